import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EndpointId, endpoints } from '../../../../src/contract/endpoints.js';
import { PUBLISHED_LIMITS } from '../../../../src/core/domain/bank-limits.js';
import { parseBySchema } from '../../../../src/contract/parse.js';
import { DEFAULT_VARIANTS, type Variants } from '../../../../src/core/domain/variants.js';
import { Forms } from '../../../../src/testing/fuzz/model/forms.js';
import { membersOf, valueOf } from '../../../../src/testing/fuzz-library.js';
import { wrongType } from '../../../../src/testing/fuzz/shapes.js';

const OTHERS: Variants = {
  ...DEFAULT_VARIANTS,
  purposes: 'four',
  duration: 'required',
  historyTypes: 'no-credit',
};

type Schema = Parameters<typeof membersOf>[0];

/** Bodies or queries with members at their bounds, of other types, null, or missing. */
function objectsOf(schema: Schema, other: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const members = membersOf(schema).map(({ name, shape }) => {
    const texts = shape.pattern === undefined ? [] : [fc.stringMatching(new RegExp(shape.pattern))];
    const value = fc.oneof(valueOf(shape), ...texts);
    return [name, fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: other })] as const;
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}

function pathsOf(refusal: unknown): unknown[] {
  const { details } = refusal as { details: { issues: { path: string }[] } };
  return details.issues.map(({ path }) => path).toSorted();
}

const issuesOf = (issues: readonly { path: PropertyKey[] }[], where: string) =>
  issues.map(({ path }) => [where, ...path].join('.')).toSorted();

it.each([
  ['the default switches', DEFAULT_VARIANTS, PUBLISHED_LIMITS],
  ['other switches', OTHERS, PUBLISHED_LIMITS],
  ['other limits', DEFAULT_VARIANTS, { ...PUBLISHED_LIMITS, historyRows: 3, requestSeconds: 7 }],
])('the model takes the bodies and queries that the contract takes: %s', (_about, variants, limits) => {
  const forms = new Forms({ variants, limits });
  const call = { authorization: null, params: {}, query: {}, body: undefined, key: null };
  for (const [id, { body, query }] of Object.entries(endpoints(variants, limits)) as [
    EndpointId,
    { body?: Schema; query?: Schema },
  ][]) {
    if (body !== undefined)
      fc.assert(
        fc.property(
          fc.oneof({ weight: 9, arbitrary: objectsOf(body, wrongType) }, { weight: 1, arbitrary: wrongType }),
          (given) => {
            const parsed = parseBySchema(body, given);
            const refusal = forms.bodyRefusal({ ...call, operation: id, body: given });
            expect(refusal === null ? [] : pathsOf(refusal), id).toEqual(
              issuesOf(parsed.error?.issues ?? [], 'body'),
            );
          },
        ),
        { seed: 1, numRuns: 300 },
      );
    if (query !== undefined)
      fc.assert(
        fc.property(objectsOf(query, fc.string()), (given) => {
          const texts = Object.fromEntries(
            Object.entries(given).map(([name, value]) => [name, String(value as string | number)]),
          );
          const parsed = query.safeParse(texts);
          const answer = forms.query({ ...call, operation: id, query: texts });
          if ('values' in answer) expect(answer.values, id).toEqual(parsed.data);
          else expect(pathsOf(answer), id).toEqual(issuesOf(parsed.error?.issues ?? [], 'query'));
        }),
        { seed: 1, numRuns: 300 },
      );
  }
});
