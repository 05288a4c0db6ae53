import * as web3 from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RPC_METHODS } from '../../../src/core/rpc-methods.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { world } from '../../support/world.js';
import { rpcMessage, words } from './support.js';
import { forAllAsync } from '../../support/for-all.js';

const METHODS = [...RPC_METHODS, 'accountSubscribe', 'constructor', '__proto__', ''];

/** Members of a configuration, and names that are values of some. */
const MEMBERS = words(`
  encoding commitment dataSlice filters minContextSlot limit before accounts mint programId epoch identity range
  maxSupportedTransactionVersion transactionDetails sigVerify replaceRecentBlockhash skipPreflight __proto__
`);
const VALUES = words('base64 base58 jsonParsed base64+zstd confirmed processed finalized full accounts');

/** Parameters of any form, many almost valid. */
function parameter(sim: Simulator): fc.Arbitrary<unknown> {
  const wallet = sim.wallets[0]?.address ?? '';
  const config = fc.dictionary(
    fc.constantFrom(...MEMBERS),
    fc.oneof(
      fc.constantFrom(...VALUES, wallet, sim.facts.usdcMint, true, 0, 1, -1, 2 ** 60, null),
      fc.constant({ offset: 0, length: 10 }),
      fc.constant({ firstSlot: 0, lastSlot: 2 ** 53 }),
      fc.constant([{ memcmp: { offset: 0, bytes: wallet } }, { dataSize: 165 }]),
      fc.jsonValue(),
    ),
  );
  const text = fc.oneof(
    fc.constantFrom(
      wallet,
      sim.facts.usdcMint,
      sim.facts.treasury,
      '11111111111111111111111111111111',
      'SysvarC1ock11111111111111111111111111111111',
    ),
    fc.uint8Array({ minLength: 60, maxLength: 66 }).map((bytes) => bs58.encode(bytes)),
    fc.uint8Array({ maxLength: 1_500 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.string({ maxLength: 100 }),
  );
  const number = fc.constantFrom(0, 1, -1, 1.5, 100, 2 ** 53, 1e300, 499_999);
  return fc.oneof(text, text, config, config, number, fc.array(text, { maxLength: 5 }), fc.jsonValue());
}

/** A signed transfer with some of its bytes changed. */
function damagedTransaction(sim: Simulator): fc.Arbitrary<string> {
  const payer = web3.Keypair.fromSecretKey(bs58.decode(sim.wallets[0]?.secretKey ?? ''));
  const { blockhash } = sim.chain.latestBlockhash();
  const to = new web3.PublicKey(sim.facts.treasury);
  const transfer = web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 5 });
  const parts = { payerKey: payer.publicKey, recentBlockhash: blockhash, instructions: [transfer] };
  const unsigned = new web3.TransactionMessage(parts);
  const whole = [unsigned.compileToLegacyMessage(), unsigned.compileToV0Message()].map((compiled) => {
    const transaction = new web3.VersionedTransaction(compiled);
    transaction.sign([payer]);
    return transaction.serialize();
  });
  const change = fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 255 }));
  return fc
    .record({
      bytes: fc.constantFrom(...whole),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
      cut: fc.option(fc.nat(300)),
    })
    .map(({ bytes, changes, cut }) => {
      const damaged = Buffer.from(bytes);
      // Two changes of one byte could cancel out.
      const flips = new Map(changes.map(([place, bits]) => [place % damaged.length, bits]));
      for (const [at, flip] of flips) damaged[at] = (damaged[at] as number) ^ flip;
      return damaged.subarray(0, cut ?? damaged.length).toString('base64');
    });
}

function isAnswer(answer: unknown): boolean {
  const { jsonrpc, id, result, error } = answer as Record<string, unknown>;
  const hasOne = (result === undefined) !== (error === undefined);
  const { code, message } = (error ?? { code: 0, message: '' }) as { code: unknown; message: unknown };
  return (
    jsonrpc === '2.0' && id !== undefined && hasOne && Number.isInteger(code) && typeof message === 'string'
  );
}

/** Sends a message; the answer must be JSON-RPC or empty, without a bug. */
async function attack(sim: Simulator, bugs: readonly unknown[], sent: string): Promise<void> {
  const text = await sim.rpc(sent);
  expect(bugs, sent).toEqual([]);
  if (text === '') return;
  const answer = JSON.parse(text) as unknown;
  for (const one of Array.isArray(answer) ? answer : [answer])
    expect(isAnswer(one), `${sent} -> ${text}`).toBe(true);
}

async function target(engine: 'bankrun' | 'litesvm'): Promise<{ sim: Simulator; bugs: unknown[] }> {
  const bugs: unknown[] = [];
  const sim = await world({ engine }, { onBug: (error) => bugs.push(error) });
  return { sim, bugs };
}

describe.each(['litesvm', 'bankrun'] as const)('hostile JSON-RPC on %s', (engine) => {
  // The engines see the few messages that are transactions.
  const numRuns = engine === 'litesvm' ? 6_000 : 1_500;

  it('gets a JSON-RPC response, and books and chain still agree', { tags: ['slow'] }, async () => {
    const { sim, bugs } = await target(engine);
    const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() });
    const members = {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.oneof(fc.nat(), fc.string(), fc.jsonValue()),
      method: mostly(fc.constantFrom(...METHODS)),
      params: mostly(fc.array(parameter(sim), { maxLength: 4 })),
    };
    const call = fc.record(members, { requiredKeys: [] });
    const noise = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1'));
    const messages = fc.oneof(
      { weight: 8, arbitrary: call.map((one) => JSON.stringify(one)) },
      { weight: 1, arbitrary: fc.array(call, { maxLength: 4 }).map((many) => JSON.stringify(many)) },
      { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string(), noise) },
    );
    await forAllAsync(numRuns, messages, (text) => attack(sim, bugs, text));
    expect(await sim.invariants()).toEqual([]);
  });

  it('with a damaged transaction moves no money', { tags: ['slow'] }, async () => {
    const { sim, bugs } = await target(engine);
    const before = await sim.chain.balances(sim.facts.treasury);
    const wishes = fc.constantFrom(
      {},
      { skipPreflight: true },
      { sigVerify: true },
      { replaceRecentBlockhash: true },
      { innerInstructions: true },
    );
    const methods = fc.constantFrom('sendTransaction', 'simulateTransaction');
    const damaged = damagedTransaction(sim);
    await forAllAsync(numRuns / 3, damaged, methods, wishes, (transaction, method, wish) =>
      attack(sim, bugs, rpcMessage(method, transaction, { encoding: 'base64', ...wish })),
    );
    expect(await sim.chain.balances(sim.facts.treasury)).toEqual(before);
    expect(await sim.invariants()).toEqual([]);
  });
});
