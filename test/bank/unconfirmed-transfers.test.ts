import { expect, it } from 'vitest';
import type { Purpose } from '../../src/bank/in-flight-work.js';
import { UnconfirmedTransfers } from '../../src/bank/unconfirmed-transfers.js';
import { NO_REQUEST } from '../../src/core/domain/request-context.js';

const PURPOSES: readonly Purpose[] = [
  { kind: 'outflow', outflow: 1 },
  { kind: 'outflow', outflow: 2 },
  { kind: 'account', owner: 'ann' },
  { kind: 'account', owner: 'ben' },
  { kind: 'savings', token: 'USDC', amountBase: 1n },
  { kind: 'savings', token: 'SOL', amountBase: 1n },
  { kind: 'sweep', wallet: 'ann', token: 'USDC', amountBase: 1n },
  { kind: 'sweep', wallet: 'ann', token: 'SOL', amountBase: 1n },
  { kind: 'sweep', wallet: 'ben', token: 'SOL', amountBase: 1n },
];

it('a transfer with unknown outcome keeps back those of its own subject only', () => {
  for (const purpose of PURPOSES) {
    const late = new UnconfirmedTransfers({} as never, { prepare: () => null, finish: () => undefined });
    late.add({ signature: 'signature', booking: { purpose, movedLamports: 0n, cause: NO_REQUEST } });
    expect(PURPOSES.filter((other) => late.isWaiting(other))).toEqual([purpose]);
  }
});
