import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.js';
import type { Token } from '../../src/core/domain/money.js';
import {
  type Document,
  type Operation,
  type Schema,
  documentFor,
  responseCheck,
  validatorOf,
} from '../support/contract-check.js';
import { RawCaller, agentWith, worldWithAgent } from '../support/world.js';

/** A part of a request. */
interface Member {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly values: readonly unknown[];
}

const ORIGIN = 'http://sim.local';

const resolved = (document: Document, schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema);

/** What the document suggests as values: examples, names, defaults; of an object one with all of its members. */
function valuesOf(document: Document, given: Schema): unknown[] {
  const schema = resolved(document, given);
  if (schema.properties !== undefined)
    return [
      Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, valuesOf(document, member)[0]]),
      ),
    ];
  const { examples = [], enum: names = [] } = schema;
  if (schema.anyOf !== undefined) return valuesOf(document, schema.anyOf[0] as Schema);
  return [
    ...new Set([
      ...examples,
      ...names.filter((each) => each !== null),
      ...('default' in schema ? [schema.default] : []),
    ]),
  ];
}

const allowsNull = ({ type, anyOf }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf?.at(-1)?.type === 'null';

function membersOf(document: Document, { parameters = [], requestBody }: Operation): Member[] {
  const body = resolved(document, requestBody?.content['application/json'].schema ?? {});
  const inBody = Object.entries(body.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'body' as const,
    required: body.required?.includes(name) === true,
    schema,
  }));
  return [...parameters, ...inBody].map(({ name, in: place, required = false, schema }) => ({
    name,
    in: place,
    isRequired: required,
    isNullable: allowsNull(schema),
    values: valuesOf(document, schema),
  }));
}

const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase() as 'GET',
      operation,
    })),
  );

/** What only the world can give, by operation. */
const FROM_WORLD: Readonly<Record<string, readonly string[]>> = {
  verify: ['signature', 'message'],
  deposit: ['tx_signature'],
  x402Pay: ['payment_request'],
  x402Receive: ['tx_signature'],
  loan: ['id'],
  loanRepay: ['id', 'txSignature'],
};

type Values = Readonly<Record<string, unknown>>;

/** A world in which every example can be carried out; gives a function that makes a call and returns its answer. */
async function readyFor(document: Document, options: object) {
  const { sim, agent } = await worldWithAgent({ usdc: 5_000, sol: 50, ...options });
  const payer = await agentWith(sim, 1, { usdc: 500, sol: 10 });
  await agent.depositSavings({ amount: 2_000, token: 'USDC' });
  await agent.depositSavings({ amount: 20, token: 'SOL' });
  await agent.borrow({ amount: 100 });
  const { application } = await agent.applyForLoan({ amount: 200, purpose: 'task', duration: 30 });
  await sim.reviews.approve(application.id);
  const caller = await RawCaller.signedIn(sim, 0);
  const wallet = agent.wallet.address;
  const arrived = (token: Token, amount: number) => payer.pay({ recipient: wallet, amount, token });
  const given: Record<string, (values: Values) => Promise<Values>> = {
    verify: async () => {
      const { body } = await caller.post('/agent/auth/challenge', { wallet });
      const message = body['challenge'] as string;
      return { wallet, message, signature: agent.wallet.signText(message) };
    },
    deposit: async ({ amount, token }) => ({
      tx_signature: await agent.sendToTreasury(amount as number, token as Token),
    }),
    x402Receive: async ({ expected_amount, expected_token }) => {
      const { tx_signature } = await arrived(
        (expected_token ?? 'USDC') as Token,
        (expected_amount ?? 5) as number,
      );
      return { tx_signature };
    },
    loan: async () => ({ id: application.id }),
    loanRepay: async () => ({ id: application.id }),
  };
  const start = await sim.snapshot();
  const check = responseCheck(document, endpoints(sim.config.variants));
  return async (
    path: string,
    method: 'GET' | 'POST',
    members: readonly Member[],
    operation: Operation,
    values: Values,
  ) => {
    await sim.revert(start);
    const all = { ...values, ...(await given[operation.operationId]?.(values)) } as Record<string, string>;
    const of = (place: Member['in']) =>
      Object.fromEntries(
        members
          .filter((each) => each.in === place && each.name in all)
          .map(({ name }) => [name, all[name] as string]),
      );
    const query = new URLSearchParams(of('query')).toString();
    const url = `${path.replace('{id}', all['id'] ?? '')}${query === '' ? '' : `?${query}`}`;
    const answer = await caller.send(
      method,
      url,
      operation.requestBody === undefined ? undefined : of('body'),
      of('header'),
    );
    const { status, body, headers } = answer;
    const problem = await check(method, `${ORIGIN}/api/v1${url}`, Response.json(body, { status, headers }));
    return { status, code: body.code, problem };
  };
}

describe.each([
  ['litesvm', {}],
  ['bankrun', {}],
  [
    'litesvm',
    {
      purposes: 'four',
      duration: 'required',
      overview: 'A',
      historyTypes: 'no-credit',
      withdrawals: 'queued',
    },
  ],
] as const)('OpenAPI document on %s with %j', (engine, variants) => {
  const document = documentFor(variants);

  it('has examples that fit their schemas', () => {
    const wrong = validatorOf(document);
    for (const { path, method, operation } of operationsOf(document)) {
      const at = ['paths', path, method.toLowerCase()];
      for (const [index, { name, schema }] of (operation.parameters ?? []).entries())
        for (const value of valuesOf(document, schema))
          expect(wrong([...at, 'parameters', String(index), 'schema'], value), `${path} ${name}`).toBe('');
      const body = operation.requestBody?.content['application/json'].schema;
      for (const [name, schema] of Object.entries(resolved(document, body ?? {}).properties ?? {})) {
        const place = body?.$ref?.slice(2).split('/') ?? [
          ...at,
          'requestBody',
          'content',
          'application/json',
          'schema',
        ];
        for (const value of valuesOf(document, schema))
          expect(wrong([...place, 'properties', name], value), `${path} ${name}`).toBe('');
      }
    }
  });

  it(
    'has examples for every member that an agent can choose, and the service accepts each',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      const call = await readyFor(document, { engine, variants });
      for (const { path, method, operation } of operationsOf(document)) {
        const members = membersOf(document, operation);
        const without = members.filter(({ values }) => values.length === 0).map(({ name }) => name);
        expect(without, operation.operationId).toEqual(FROM_WORLD[operation.operationId] ?? []);
        const first = (some: readonly Member[]) =>
          Object.fromEntries(
            some.filter(({ values }) => values.length > 0).map(({ name, values }) => [name, values[0]]),
          );
        const needed = first(members.filter(({ isRequired }) => isRequired));
        const requests = [
          needed,
          first(members),
          ...members.flatMap(({ name, values, isNullable }) =>
            [...values, ...(isNullable ? [null] : [])].map((value) => ({ ...needed, [name]: value })),
          ),
        ];
        for (const request of requests)
          expect(
            await call(path, method, members, operation, request),
            `${operation.operationId} ${JSON.stringify(request)}`,
          ).toEqual({ status: 200, code: undefined, problem: '' });
      }
    },
  );
});

it('the OpenAPI document lets null stand for the absence of every optional member of a body, and of no other', () => {
  const document = documentFor({});
  const members = operationsOf(document).flatMap(({ operation }) => membersOf(document, operation));
  for (const each of members)
    expect(each.isNullable, `${each.in} ${each.name}`).toBe(each.in === 'body' && !each.isRequired);
  const { collateral } = document.components.schemas['LoanApplication']?.properties ?? {};
  for (const member of Object.values(collateral?.anyOf?.[0]?.properties ?? collateral?.properties ?? {}))
    expect(allowsNull(member)).toBe(true);
});
