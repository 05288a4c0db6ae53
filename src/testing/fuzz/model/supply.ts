import { DAY_MS, RENT_MINIMUM, TOKENS } from './amounts.js';
import type { Books, Move } from './books.js';
import { run, sentUnderTrouble, settle } from './in-flight.js';
import { finished } from './steps.js';
import type { BaseAmounts, ModelToken, Steps, Trouble } from './types.js';

/** SOL that the treasury keeps. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
const RESERVE: BaseAmounts = { USDC: 0n, SOL: 1_000_000_000n };

/** Faults that affect the bank's transfers between its own addresses. */
type MoveTrouble = Pick<Trouble, 'chainIsOut' | 'transaction'>;

function savedBase({ agents }: Books): BaseAmounts {
  const sum = { USDC: 0n, SOL: 0n };
  for (const { savings } of agents.values())
    for (const token of TOKENS) sum[token] += savings[token].principalBase;
  return sum;
}

/** The amount of a token due to the lending protocol; negative when the protocol must return it. */
export function dueBase(books: Books, token: ModelToken): bigint {
  const { paidYield, placed } = books.chain;
  return savedBase(books)[token] - paidYield[token] - placed[token];
}

/** Changes at an address by transactions that the bank does not know. */
function unknownBase({ waiting, modelConfig }: Books, address: string, token: ModelToken): bigint {
  let sum = 0n;
  for (const { transfer, ...of } of waiting.values()) {
    if (transfer?.kind !== 'ran') continue;
    if (token === 'SOL' && address === modelConfig.treasury) sum -= transfer.costLamports;
    if (transfer.isRejected || of.token !== token) continue;
    if (of.from === address) sum -= of.amountBase;
    if (of.destination === address) sum += of.amountBase;
  }
  return sum;
}

/** The balance of an address as far as the bank knows. */
function knownBase(books: Books, address: string, token: ModelToken): bigint {
  return books.chain.of(address)[token] - unknownBase(books, address, token);
}

/** The amount that the treasury can spend, without its reserve and the amounts of pending withdrawals and payments. */
function freeBase(books: Books, token: ModelToken): bigint {
  let free = knownBase(books, books.modelConfig.treasury, token) - RESERVE[token];
  for (const each of books.waiting.values())
    if (each.kind === 'outflow' && each.token === token) free -= each.amountBase;
  return free;
}

/** Whether the treasury may be unable to send everything that agents have in checking. */
function mayBeShort(books: Books, token: ModelToken): boolean {
  let free = freeBase(books, token);
  for (const { checking } of books.agents.values()) free -= checking[token];
  return free < 0n;
}

/** Sends money from one of the bank's addresses to another. The bank does not know the outcome until it is booked. */
function* sent(books: Books, key: string, moved: Omit<Move, 'transfer'>, trouble: MoveTrouble): Steps<void> {
  const { transaction } = trouble;
  if (transaction !== null) {
    books.waiting.set(key, { ...moved, transfer: sentUnderTrouble(books, { ...moved, key }, transaction) });
    return;
  }
  yield { kind: 'chain' };
  books.waiting.set(key, { ...moved, transfer: { kind: 'ran', untilMs: Infinity, ...run(books, moved) } });
}

/** Books the outcome of a move, unless a fault hides it. */
function book(books: Books, key: string, { transaction }: MoveTrouble): void {
  const transfer = books.waiting.get(key)?.transfer;
  if (transaction === null && transfer?.kind === 'ran') settle(books, key, !transfer.isRejected);
}

/** Moves savings to the lending protocol or back. Source: docs/reference/fidelity.md, Savings. */
function* moveSavings(books: Books, trouble: MoveTrouble): Steps<void> {
  const { chain, waiting } = books;
  const { treasury, protocol } = books.modelConfig;
  if (trouble.chainIsOut) {
    chain.isSettlementScheduled = false;
    return;
  }
  const dues = TOKENS.map((token) => dueBase(books, token));
  const keys: string[] = [];
  for (const [at, token] of TOKENS.entries()) {
    const due = dues[at] ?? 0n;
    const free = freeBase(books, token);
    const amount = due > 0n && due > free ? (free > 0n ? free : 0n) : due;
    const key = `savings ${token}`;
    // Nothing moves twice while the outcome is unknown.
    if (amount === 0n || waiting.has(key)) continue;
    const way =
      amount > 0n
        ? { amountBase: amount, from: treasury, destination: protocol }
        : { amountBase: -amount, from: protocol, destination: treasury };
    yield* sent(books, key, { kind: 'savings', token, ...way }, trouble);
    keys.push(key);
  }
  // Both moves are booked after they were sent.
  for (const key of keys) book(books, key, trouble);
  // Savings that changed meanwhile keep their existing schedule.
  chain.isSettlementScheduled = false;
}

/** Sweeps a collection address into the treasury; SOL down to the rent minimum. */
function* sweep(books: Books, wallet: string, token: ModelToken, trouble: MoveTrouble): Steps<void> {
  const { treasury, collectionOf } = books.modelConfig;
  const from = collectionOf(wallet);
  const held = knownBase(books, from, token);
  const amountBase = token === 'SOL' ? held - RENT_MINIMUM : held;
  const key = `sweep ${token} ${wallet}`;
  if (amountBase <= 0n || books.waiting.has(key)) return;
  const moved = { kind: 'sweep', token, amountBase, from, destination: treasury } as const;
  yield* sent(books, key, moved, trouble);
  book(books, key, trouble);
}

/** The settlement that was scheduled when savings changed. Returns whether it was needed: savings may have been settled early. */
export function settleSavings(books: Books): boolean {
  const { chain } = books;
  const isDue = chain.isSettlementScheduled || TOKENS.some((token) => dueBase(books, token) !== 0n);
  finished(moveSavings(books, { chainIsOut: false, transaction: null }));
  return isDue;
}

/** Schedules the settlement of savings for the next midnight if it is not scheduled. */
export function scheduleSettlement({ chain, schedule, nowMs }: Books): void {
  if (chain.isSettlementScheduled) return;
  chain.isSettlementScheduled = true;
  schedule.add({ atMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS, what: { kind: 'settlement' } });
}

/**
 * Supplies the treasury with what is reserved: from the lending protocol, then from collection addresses. Returns whether it suffices.
 * Source: docs/reference/fidelity.md, Withdrawals and x402 payments.
 */
export function* supplied(books: Books, token: ModelToken, trouble: MoveTrouble): Steps<boolean> {
  const { supplying } = books;
  const isShort = () => freeBase(books, token) < 0n;
  // Other calls may reserve money before the funds are checked.
  if (mayBeShort(books, token)) yield { kind: 'chain' };
  if (!isShort()) return true;
  const turn = {};
  supplying.push(turn);
  // One call at a time, or two would move the same money.
  do yield { kind: 'turn', isOver: () => supplying[0] === turn };
  while (supplying[0] !== turn);
  if (isShort()) {
    yield* moveSavings(books, trouble);
    // Also when there was nothing to move.
    yield { kind: 'chain' };
  }
  if (!trouble.chainIsOut)
    for (const wallet of [...books.agents.keys()].toSorted())
      if (isShort()) yield* sweep(books, wallet, token, trouble);
  supplying.shift();
  return !isShort();
}
