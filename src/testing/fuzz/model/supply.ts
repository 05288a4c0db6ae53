import { RENT_MINIMUM, TOKENS } from './amounts.js';
import type { Books, InFlight, Move } from './books.js';
import { run, sentUnderTrouble, settle } from './in-flight.js';
import type { BaseAmounts, ModelToken, Trouble } from './types.js';

const DAY_MS = 86_400_000;
/** SOL that the treasury keeps. Source: docs/fidelity.md, Withdrawals and x402 payments. */
const RESERVE: BaseAmounts = { USDC: 0n, SOL: 1_000_000_000n };

/** Faults that the bank's transfers between its own addresses meet. */
type MoveTrouble = Pick<Trouble, 'chainIsOut' | 'transaction'>;

/** Savings of all agents. */
function savedBase({ agents }: Books): BaseAmounts {
  const sum = { USDC: 0n, SOL: 0n };
  for (const { savings } of agents.values())
    for (const token of TOKENS) sum[token] += savings[token].principalBase;
  return sum;
}

/** What transactions have changed at an address without the bank knowing. */
function unknownBase({ waiting, modelConfig }: Books, address: string, token: ModelToken): bigint {
  let sum = 0n;
  for (const { transfer, ...sent } of waiting.values()) {
    if (transfer?.kind !== 'ran') continue;
    if (token === 'SOL' && address === modelConfig.treasury) sum -= transfer.costLamports;
    if (transfer.isRejected || sent.token !== token) continue;
    if (sent.from === address) sum -= sent.amountBase;
    if (sent.destination === address) sum += sent.amountBase;
  }
  return sum;
}

/** What an address holds as far as the bank knows. */
function knownBase(books: Books, address: string, token: ModelToken): bigint {
  return books.chain.of(address)[token] - unknownBase(books, address, token);
}

/** What the treasury can spend: less what withdrawals and payments reserve, and a reserve of its own. */
function freeBase(books: Books, token: ModelToken): bigint {
  let free = knownBase(books, books.modelConfig.treasury, token) - RESERVE[token];
  for (const each of books.waiting.values())
    if (each.kind === 'outflow' && each.token === token) free -= each.amountBase;
  return free;
}

/** Moves money of the bank between its addresses. Nothing is moved twice while the outcome is unknown. */
function move(books: Books, key: string, moved: Omit<Move, 'transfer'>, trouble: MoveTrouble): void {
  if (books.waiting.has(key)) return;
  const { transaction } = trouble;
  const transfer: InFlight =
    transaction === null
      ? { kind: 'ran', untilMs: books.nowMs, ...run(books, moved) }
      : sentUnderTrouble(books, moved, transaction);
  books.waiting.set(key, { ...moved, transfer });
  if (transaction === null && transfer.kind === 'ran') settle(books, key, !transfer.isRejected);
}

/** What is to move to the lending protocol; negative: back. */
function dueBase({ chain }: Books, saved: BaseAmounts, token: ModelToken): bigint {
  return saved[token] - chain.paidYield[token] - chain.placed[token];
}

/** Moves savings to the lending protocol or back. Source: docs/fidelity.md, Savings. `wanted` is reserved besides. */
function moveSavings(books: Books, wanted: BaseAmounts, trouble: MoveTrouble): void {
  const { treasury, protocol } = books.modelConfig;
  books.chain.isSettlementScheduled = false;
  if (trouble.chainIsOut) return;
  const saved = savedBase(books);
  // The costs of both moves are booked after them.
  const amounts = TOKENS.map((token): [ModelToken, bigint] => {
    const free = freeBase(books, token) - wanted[token];
    const due = dueBase(books, saved, token);
    return [token, due > 0n && due > free ? (free > 0n ? free : 0n) : due];
  });
  for (const [token, amount] of amounts) {
    if (amount === 0n) continue;
    const way =
      amount > 0n
        ? { amountBase: amount, from: treasury, destination: protocol }
        : { amountBase: -amount, from: protocol, destination: treasury };
    move(books, `savings ${token}`, { kind: 'savings', token, ...way }, trouble);
  }
}

/** Empties a collection address into the treasury, of SOL to the rent minimum. */
function sweep(books: Books, wallet: string, token: ModelToken, trouble: MoveTrouble): void {
  const { treasury, collectionOf } = books.modelConfig;
  const from = collectionOf(wallet);
  const held = knownBase(books, from, token);
  const amountBase = token === 'SOL' ? held - RENT_MINIMUM : held;
  if (amountBase <= 0n) return;
  const moved = { kind: 'sweep', token, amountBase, from, destination: treasury } as const;
  move(books, `sweep ${token} ${wallet}`, moved, trouble);
}

/** The settlement that was scheduled when savings changed. It finds nothing to do when it was made early and all of it succeeded. */
export function settleSavings(books: Books): void {
  moveSavings(books, { USDC: 0n, SOL: 0n }, { chainIsOut: false, transaction: null });
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
  trouble: MoveTrouble,
): boolean {
  const isShort = () => freeBase(books, token) < base;
  if (!isShort()) return true;
  moveSavings(books, { USDC: 0n, SOL: 0n, [token]: base }, trouble);
  if (!trouble.chainIsOut)
    for (const wallet of [...books.agents.keys()].toSorted())
      if (isShort()) sweep(books, wallet, token, trouble);
  return !isShort();
}
