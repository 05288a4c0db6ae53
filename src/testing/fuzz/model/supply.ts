import { TOKENS } from './amounts.js';
import type { Books } from './books.js';
import type { BaseAmounts, ModelToken, Trouble } from './types.js';

const DAY_MS = 86_400_000;

/** Savings of all agents. */
function savedBase({ agents }: Books): BaseAmounts {
  const sum = { USDC: 0n, SOL: 0n };
  for (const { savings } of agents.values())
    for (const token of TOKENS) sum[token] += savings[token].principalBase;
  return sum;
}

/** What transfers reserve that are not settled. The books know neither amount nor cost of one that has run. */
function waitingBase({ waiting }: Books): Record<ModelToken, bigint> {
  const sum = { USDC: 0n, SOL: 0n };
  for (const { token, amountBase, transfer } of waiting.values()) {
    const hasMoved = transfer?.kind === 'ran' && !transfer.isRejected;
    if (!hasMoved) sum[token] += amountBase;
    if (transfer?.kind === 'ran') sum.SOL -= transfer.costLamports;
  }
  return sum;
}

/** What transfers have brought to an address without the bank knowing. */
function unknownBase({ waiting }: Books, address: string, token: ModelToken): bigint {
  let sum = 0n;
  for (const { transfer, destination, ...of } of waiting.values())
    if (transfer?.kind === 'ran' && !transfer.isRejected && destination === address && of.token === token)
      sum += of.amountBase;
  return sum;
}

/** The settlement that was scheduled when savings changed. */
export function settleSavings(books: Books): void {
  // It was made early when the treasury was short.
  if (!books.chain.isSettlementScheduled) return;
  books.chain.isSettlementScheduled = false;
  books.chain.settle(savedBase(books), waitingBase(books));
}

/** Schedules the settlement of savings for the next midnight, unless it is scheduled. */
export function scheduleSettlement({ chain, schedule, nowMs }: Books): void {
  if (chain.isSettlementScheduled) return;
  chain.isSettlementScheduled = true;
  schedule.add({ atMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS, what: { kind: 'settlement' } });
}

/**
 * Makes the treasury able to send an amount: with savings from the lending protocol, then with what lies at collection addresses.
 * Whether it is. Source: docs/fidelity.md, Withdrawals and x402 payments.
 */
export function supplied(
  books: Books,
  { token, base }: { readonly token: ModelToken; readonly base: bigint },
  trouble: Pick<Trouble, 'chainIsOut'>,
): boolean {
  const { chain, modelConfig, agents } = books;
  const reserved = waitingBase(books);
  reserved[token] += base;
  const isShort = () => chain.isShort(token, reserved[token]);
  if (!isShort()) return true;
  chain.isSettlementScheduled = false;
  if (trouble.chainIsOut) return false;
  chain.settle(savedBase(books), reserved);
  for (const wallet of [...agents.keys()].toSorted()) {
    if (!isShort()) break;
    const address = modelConfig.collectionOf(wallet);
    chain.sweep(address, token, unknownBase(books, address, token));
  }
  return !isShort();
}
