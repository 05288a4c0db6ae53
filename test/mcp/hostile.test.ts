// @module-tag slow
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../src/mcp/tool.js';
import { agentWith, world } from '../support/world.js';
import { inProcess, tell } from './support.js';

type Schema = Readonly<Record<string, unknown>>;

const ANYTHING = fc.anything({ withNullPrototype: false, maxDepth: 2, maxKeys: 3 }).map((value) => {
  // What JSON can carry.
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as unknown);
});
const ODD = fc.constantFrom<unknown>(
  '..',
  '.',
  '',
  '../account',
  '%2e%2e',
  'a/b',
  'x\r\ny',
  '\u0000',
  'toString',
  '__proto__',
  '💸'.repeat(50),
  -0,
  1e308,
  Number.MAX_SAFE_INTEGER,
  0.1 + 0.2,
  1e-12,
  '5',
  { amount: 1 },
);

interface Near {
  readonly enum?: unknown[];
  readonly type?: string;
  readonly examples?: unknown[];
}

/** Values near those that a schema describes. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const { enum: allowed = [], type, examples = [] } = schema as Near;
  const known = [...allowed, ...examples];
  const fitting: fc.Arbitrary<unknown>[] = [
    ...(known.length === 0 ? [] : [fc.constantFrom(...known)]),
    ...(type === 'string' ? [fc.string({ maxLength: 300 })] : []),
    ...(type === 'number' || type === 'integer' ? [fc.double(), fc.integer()] : []),
    ...(type === 'boolean' ? [fc.boolean()] : []),
  ];
  return fc.oneof(...fitting, ODD, ANYTHING);
}

function argumentsOf({ inputSchema }: ToolDefinition): fc.Arbitrary<Record<string, unknown>> {
  const variants = [inputSchema, ...((inputSchema['anyOf'] as Schema[] | undefined) ?? [])];
  const properties = Object.assign({}, ...variants.map((each) => each['properties'])) as Schema;
  const members = Object.entries(properties).map(([name, schema]) => [name, near(schema as Schema)] as const);
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  const beyond = fc.dictionary(
    fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('id', 'body', '__proto__', 'token')),
    fc.oneof(ODD, ANYTHING),
    { maxKeys: 2 },
  );
  return fc.tuple(known, beyond).map(([a, b]) => ({ ...b, ...a }));
}

// Valid calls of these replace the world that is looked at, or set its clock going.
const LEFT_OUT = new Set(['world_revert', 'world_fork', 'world_start_recording', 'world_run', 'world_scale']);

it('10,000 hostile calls are answered by results or tool errors, and a refused call changes nothing', async () => {
  const sim = await world();
  await agentWith(sim, 0, { usdc: 50 });
  const client = await inProcess(sim, { given: { world: true } });
  const tools = (await client.listTools()).tools as unknown as ToolDefinition[];
  const called = tools.filter(({ name }) => !LEFT_OUT.has(name));
  const some = called.map((tool) => fc.tuple(fc.constant(tool), argumentsOf(tool)));
  const calls = fc.sample(fc.oneof(...some), { numRuns: 10_000, seed: 20_260_728 });
  const entries = () => sim.books.entries();
  let refused = 0;
  for (const [{ name, annotations }, args] of calls) {
    const before = [entries(), sim.now().getTime()];
    const told = await tell(client, name, args);
    const { code } = told.content['error'] ?? {};
    expect(code, `${name} ${JSON.stringify(args)} ${told.text}`).not.toBe('internal_error');
    if (!told.isError && !annotations.readOnlyHint) continue;
    refused += told.isError ? 1 : 0;
    expect([entries(), sim.now().getTime()], `${name} ${JSON.stringify(args)}`).toEqual(before);
  }
  expect(refused).toBeGreaterThan(5_000);
  expect(await sim.invariants()).toEqual([]);
}, 300_000);

it('an id cannot lead to another path', async () => {
  const sim = await world();
  const client = await inProcess(sim, { given: { world: true } });
  for (const name of ['loan', 'loan_repay', 'world_explain', 'world_clear_fault'])
    for (const id of ['..', '.', '', 7, null, ['..']]) {
      const { content } = await tell(client, name, name === 'loan_repay' ? { id, amount: 1 } : { id });
      expect(content['error'], `${name} ${JSON.stringify(id)}`).toMatchObject({
        code: 'invalid_request',
        message: 'id: must be an id',
      });
    }
  for (const id of ['../account', '..%2faccount', '%2e%2e'])
    expect((await tell(client, 'loan', { id })).content['error']).toMatchObject({ code: 'loan_not_found' });
});
