import { credit, debit, draft } from '../src/core/domain/entry.js';
import type { Simulator } from '../src/index.js';
import { ensure, randomAddress } from './measure.js';

/** Credits an agent's checking from the bank's capital, without a transaction on chain. */
function endow(sim: Simulator, wallet: string, amountBase: bigint): void {
  const facts = {
    kind: 'deposit',
    token: 'USDC',
    amountBase,
    signature: randomAddress(),
    sender: wallet,
  } as const;
  const postings = [
    debit('capital', null, 'USDC', amountBase),
    credit('checking', wallet, 'USDC', amountBase),
  ];
  sim.bank.books.append(draft(wallet, facts, postings), sim.now().getTime());
}

/** Creates customers with 100 USDC in checking and 10 in savings. */
export function makeSavers(sim: Simulator, count: number): string[] {
  return Array.from({ length: count }, () => {
    const wallet = randomAddress();
    sim.bank.openAccount(wallet);
    endow(sim, wallet, 110_000_000n);
    ensure(sim.bank.savingsDeposit({ wallet, amount: 10, token: 'USDC' }).ok, 'no savings');
    return wallet;
  });
}
