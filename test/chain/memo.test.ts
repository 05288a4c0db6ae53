import { LiteSVM } from 'litesvm';
import { describe, expect, it } from 'vitest';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { computeUnitLimit } from '../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';
import { ENGINES, world } from '../support/world.js';

const ADDRESSES = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
];
/** The compute units that x402 clients allow for a whole payment. */
const PAYMENT_UNITS = 20_000;
/** What remains for the memo: a token transfer needs 6,200 and the two compute budget instructions 300. */
const MEMO_UNITS = 13_000n;

describe('memo program', () => {
  it('is the build bundled with litesvm', () => {
    const address = ADDRESSES[0] as Parameters<LiteSVM['getAccount']>[0];
    const bundled = new LiteSVM().getAccount(address);
    expect(bundled.exists && Buffer.from(bundled.data).equals(memoProgram())).toBe(true);
  });

  it.each(ENGINES)('leaves compute units for an x402 payment, in every world on %s', async (engine) => {
    for (const at of [1, 2]) {
      const sim = await world({ engine });
      const payer = new KeyRing(`memo ${at}`).derive('payer');
      await sim.faucet(payer.address, 1, 'SOL');
      for (const program of ADDRESSES) {
        const memo = { program, accounts: [], data: Buffer.from('m'.repeat(120)) };
        const { blockhash } = sim.chain.latestBlockhash();
        const bytes = buildTransaction([computeUnitLimit(PAYMENT_UNITS), memo], [payer], blockhash);
        const submission = await sim.chain.submit(bytes);
        expect(submission.kind, program).toBe('processed');
        if (submission.kind !== 'processed') return;
        expect(submission.record.execution.unitsConsumed).toBeLessThan(MEMO_UNITS);
      }
      await sim.close();
    }
  });
});
