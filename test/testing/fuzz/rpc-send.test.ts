import { expect, it } from 'vitest';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { RPC_SEND } from '../../../src/testing/fuzz/commands/rpc-send.js';
import { opening } from '../../../src/testing/fuzz/play/opening.js';
import { playSequence } from '../../../src/testing/fuzz/play/sequence.js';
import { Random } from '../../../src/testing/fuzz/random.js';
import {
  COMMANDS,
  type FuzzEngine,
  type FuzzTarget,
  Model,
  ModelRunner,
  type RpcReply,
  type Step,
} from '../../../src/testing/fuzz-library.js';
import { ENGINES } from '../../support/world.js';
import { exported, failureWith, playedTroubles } from './export-support.js';
import { hunt } from './hunt.js';
import { fuzzedWith } from './lying.js';

type Args = Step['with'];

const sent = (more: Args = {}): Args => ({
  version: 'legacy',
  transfers: [{ to: '${treasury}', lamports: 5_000_000 }],
  encoding: 'base64',
  skipPreflight: false,
  ...more,
});

/** What a node's client sees after some steps of ann: the text of the failure, or null. */
async function seen(
  steps: readonly Args[],
  { target = inProcessFuzz, engine = 'litesvm' }: { target?: FuzzTarget; engine?: FuzzEngine } = {},
) {
  const world = await target.open({ engine, transport: 'direct', seed: 'rpc', variants: {} });
  try {
    const runner = new ModelRunner(world, new Model(world.modelConfig), 3);
    const first = opening(runner.names);
    const own = steps.map((args, at) => ({
      id: first.length + at + 1,
      do: 'rpcSend',
      by: 'ann',
      with: args,
    }));
    const commands = new Map(COMMANDS.map((command) => [command.name, command]));
    const failure = await playSequence([...first, ...own], {
      runner,
      options: { commands, rules: [], proofEvery: 1 },
    });
    return failure?.text ?? null;
  } finally {
    await world.close();
  }
}

/** The id of the first step of ann. */
const FIRST = opening(['ann', 'ben', 'cem']).length + 1;

/** A world whose JSON-RPC changes what a method answers. */
function telling(method: string, change: (result: never) => unknown): FuzzTarget {
  return fuzzedWith((world) => ({
    rpc: async (called, params) => {
      const reply = await world.rpc(called, params);
      if (called !== method || 'error' in reply || reply.result === null) return reply;
      return { result: change(structuredClone(reply.result) as never) } satisfies RpcReply;
    },
  }));
}

it('a transaction that runs in spite of a fault is found', async () => {
  const target = fuzzedWith((world) => ({ rpc: (method, params) => world.rpc(method, params) }));
  expect(await seen([sent({ mishap: 'lost-transaction' })], { target })).toMatch(
    /status of what is kept away/,
  );
  expect(await seen([sent({ mishap: 'chain-unavailable' })], { target })).toMatch(/kept away: accepted/);
});

it.each(ENGINES)('a transaction of every form looks the same through all methods on %s', async (engine) => {
  const steps: Args[] = [
    sent({ version: 0, memo: 'für später', cosigner: 'ben', units: 60_000, price: 999_999 }),
    sent({ memo: 'a', fill: 0, encoding: 'base58', again: true }),
    sent({ memo: 'a', fill: 1 }),
    sent({ transfers: [], skipPreflight: true, lifetime: 'unknown' }),
    sent({ transfers: [{ to: '${ben}', lamports: 4e15 }], skipPreflight: true, again: true }),
    sent({ transfers: [{ to: '${ben}', lamports: 4e15 }] }),
    sent({ creates: 'nonce' }),
    sent({ creates: 'table' }),
    sent({
      version: 0,
      table: `\${s${FIRST + 7}.table}`,
      lifetime: `\${s${FIRST + 6}.nonce}`,
      again: true,
    }),
    sent({ version: 0, table: `\${s${FIRST + 7}.table}`, flaw: 'place' }),
    ...['lost-transaction', 'expired-blockhash', 'chain-unavailable'].flatMap((mishap) => [
      sent({ mishap }),
      sent({ mishap, again: true, skipPreflight: true }),
      sent({ mishap, transfers: [{ to: '${ben}', lamports: 4e15 }] }),
    ]),
    ...['program', 'noProgram', 'account', 'twice', 'signature', 'last', 'more', 'version'].map((flaw) =>
      sent({ flaw }),
    ),
    ...['unsigned', 'readonlyPayer', 'header', 'lessSignatures'].map((flaw) => sent({ version: 0, flaw })),
  ];
  expect(await seen(steps, { engine })).toBeNull();
});

it.each<[string, string, (result: never) => unknown, string]>([
  [
    'a fee',
    'getTransaction',
    (told: { meta: { fee: number } }) => ({ ...told, meta: { ...told.meta, fee: told.meta.fee + 1 } }),
    'rpc fee: 5001, not 5000',
  ],
  [
    'another error than a simulation',
    'simulateTransaction',
    ({ value }: { value: object }) => ({ value: { ...value, err: 'AccountNotFound' } }),
    'rpc error of a simulation: "AccountNotFound", not null',
  ],
  [
    'an account that is not writable as writable',
    'getTransaction',
    (told: { transaction: { message: { accountKeys: { writable: boolean }[] } } }) => {
      for (const key of told.transaction.message.accountKeys)
        if (typeof key === 'object') key.writable = true;
      return told;
    },
    'rpc accounts: ',
  ],
  ['no signatures', 'getSignaturesForAddress', () => [], 'rpc last signature of the payer: nothing, not '],
  [
    'no transactions in blocks',
    'getBlock',
    (told: object) => ({ ...told, signatures: [] }),
    'rpc signatures of the block: ',
  ],
  [
    'another signed blockhash',
    'getTransaction',
    (told: { transaction: { message: { recentBlockhash: string } } }) => {
      told.transaction.message.recentBlockhash = '1'.repeat(32);
      return told;
    },
    'rpc message: ',
  ],
  [
    'another log than its simulation',
    'simulateTransaction',
    ({ value }: { value: object }) => ({ value: { ...value, logs: [] } }),
    'rpc log of a simulation: ',
  ],
  ['a slot of its own', 'getSlot', (slot: number) => slot + 1, 'rpc slot of the clock: '],
] as never)('a service that answers with %s is found', async (_, method, change, text) => {
  expect(await seen([sent()], { target: telling(method, change) })).toContain(text);
});

it('a service that takes a damaged transaction is found', async () => {
  const target = fuzzedWith((world) => ({
    rpc: async (method, params) => {
      const reply = await world.rpc(method, params);
      return method === 'sendTransaction' && 'error' in reply ? { result: 'signature' } : reply;
    },
  }));
  expect(await seen([sent({ flaw: 'more' })], { target })).toContain('of a damaged transaction: accepted');
});

it('its steps fit their schema, and are drawn in every form', async () => {
  const world = await inProcessFuzz.open({
    engine: 'litesvm',
    transport: 'direct',
    seed: 'rpc',
    variants: {},
  });
  const runner = new ModelRunner(world, new Model(world.modelConfig), 3);
  const { args } = COMMANDS.find(({ name }) => name === 'rpcSend') as typeof RPC_SEND;
  const random = new Random(1);
  const members = new Set<string>();
  for (let at = 0; at < 500; at += 1) {
    const drawn = RPC_SEND.draw(random, runner);
    expect(args?.safeParse(drawn?.with).error).toBeUndefined();
    for (const name of Object.keys(drawn?.with ?? {})) members.add(name);
  }
  // Tables and nonces are there when a step has created them.
  expect([...members].toSorted()).toEqual(
    ['version', 'transfers', 'memo', 'fill', 'units', 'price', 'cosigner', 'lifetime', 'creates']
      .concat('encoding', 'skipPreflight', 'flaw', 'mishap', 'again')
      .toSorted(),
  );
  await world.close();
});

it('a campaign about the chain holds', { tags: ['slow'] }, async () => {
  const { found, steps } = await hunt(inProcessFuzz, { property: 'chain', runs: 12 });
  expect(found).toBeNull();
  expect(steps).toBeGreaterThan(200);
});

it('is sent in another form by a scenario if it has run, and else left out; of nothing else there is no scenario', async () => {
  const step = (more: Args = {}) => ({ id: FIRST, do: 'rpcSend', by: 'ann', with: sent(more) });
  expect(await exported(failureWith([step({ flaw: 'more' })]))).toBe('');
  const own = step({ version: 0, price: 1_000_000, units: 60_000 });
  const body = { amount: 0.005, token: 'SOL', tx_signature: `\${s${FIRST}.signature}` };
  const deposit = { id: FIRST + 1, do: 'deposit', by: 'ann', with: { body } };
  const text = await exported(failureWith([...opening(['ann', 'ben', 'cem']), own, deposit]));
  expect(text).toContain(`(s${FIRST}, rpcSend): it is sent in another form, for another fee`);
  expect(await playedTroubles(text)).toEqual([]);
});
