import type { Books, InFlight, Outflow, Move } from './books.js';
import { type BankTransfer, SIGNATURE_FEE } from './chain-count.js';
import type { TransactionTrouble, BaseAmounts, ModelToken, Steps, Trouble } from './types.js';
import { DAY_MS, RENT_MINIMUM, TOKENS, least } from './amounts.js';

/** Source: Solana's DEFAULT_MS_PER_SLOT, and docs/reference/faults.md, Effects. */
const SLOT_MS = 400;
const BLOCKHASH_SLOTS = 150;

/** The number of slots since the start: by the clock, plus one for each transaction, since the clock stands still meanwhile. */
export function slotOf({ nowMs, modelConfig, chain }: Books): number {
  return chain.transactions + Math.floor((nowMs - modelConfig.startMs) / SLOT_MS);
}

/** Executes a transfer on the chain, which may reject it. */
export function run(books: Books, transfer: BankTransfer) {
  const isRejected = !books.chain.takes(transfer);
  const costLamports = isRejected ? books.chain.rejected(transfer, books.nowMs) : books.noteSent(transfer);
  return { isRejected, costLamports };
}

/** Sends a transfer whose outcome the bank does not learn immediately. */
export function sentUnderTrouble(
  books: Books,
  { key, ...transfer }: BankTransfer & { readonly key: string },
  trouble: TransactionTrouble,
): InFlight {
  const { nowMs } = books;
  const atMs = trouble.kind === 'lost' ? Infinity : nowMs + trouble.ms;
  if (trouble.kind !== 'lost' && trouble.ms > 0)
    books.schedule.add({ atMs, what: { kind: 'arrival', of: { key } } });
  if (trouble.kind === 'unconfirmed') return { kind: 'ran', untilMs: atMs, ...run(books, transfer) };
  return { kind: 'sent', deadSlot: slotOf(books) + BLOCKHASH_SLOTS + 1, arrivesMs: atMs };
}

/** Delivers a transaction, or the news that it was executed. It does not run if its blockhash has expired. Returns the result. */
export function arrive(books: Books, key: string): 'arrived' | 'expired' | 'confirmed' {
  const waiting = books.waiting.get(key);
  if (waiting?.transfer?.kind !== 'sent') return 'confirmed';
  const isDead = slotOf(books) >= waiting.transfer.deadSlot;
  const ran = isDead ? { isRejected: true, costLamports: 0n } : run(books, waiting);
  books.waiting.set(key, { ...waiting, transfer: { kind: 'ran', untilMs: books.nowMs, ...ran } });
  return isDead ? 'expired' : 'arrived';
}

/** The instant at which the blockhash of the first lost transfer expires, if the clock jumps there; infinite when none is lost. */
export function nextLostMs({ waiting, modelConfig, chain }: Books): number {
  const deadSlots = Array.from(waiting.values(), ({ transfer }) =>
    transfer?.kind === 'sent' && transfer.arrivesMs === Infinity ? transfer.deadSlot : Infinity,
  );
  return modelConfig.startMs + (Math.min(...deadSlots) - chain.transactions) * SLOT_MS;
}

/** Settles the transfers whose outcome is now known: the bank looks them up before each call and transaction, and as time passes. */
export function lookUpTransfers(books: Books): void {
  for (const [key, waiting] of books.waiting) {
    const { transfer } = waiting;
    if (transfer === null) continue;
    if (transfer.kind === 'ran') {
      if (transfer.untilMs <= books.nowMs) settle(books, key, !transfer.isRejected);
    } else if (transfer.arrivesMs === Infinity && slotOf(books) >= transfer.deadSlot)
      settle(books, key, false);
  }
}

/** Corrects what is known of a payment's transaction that failed, or that the chain has never seen. */
function withoutPayment(books: Books, { at, transfer }: Outflow): void {
  const { signature } = books.record(at);
  const known = signature === null ? undefined : books.transactions.get(signature);
  if (signature === null || known === undefined) return;
  // Only a transaction that ran costs a fee.
  const hasRun = transfer?.kind === 'ran' && transfer.costLamports > 0n;
  books.transactions = hasRun
    ? books.transactions.set(signature, { ...known, hasFailed: true })
    : books.transactions.delete(signature);
}

/** Records the outcome of a transfer. A failed outflow is refunded. */
export function settle(books: Books, key: string, isDone: boolean): void {
  const waiting = books.waiting.get(key);
  if (waiting === undefined) return;
  books.waiting.delete(key);
  const { token, amountBase } = waiting;
  if (waiting.kind === 'savings') {
    const sign = waiting.destination === books.modelConfig.protocol ? 1n : -1n;
    books.chain.isSettlementScheduled = false;
    if (isDone) books.chain.placed[token] += sign * amountBase;
  }
  if (waiting.kind !== 'outflow') return;
  const { at, type, use } = waiting;
  books.changeRecord(at, { status: isDone ? 'completed' : 'failed' });
  if (isDone) return;
  withoutPayment(books, waiting);
  const { checking, uses } = books.agent(at.wallet);
  checking[token] += amountBase;
  uses[type] = uses[type].filter((each) => each !== use);
}

/** SOL that the treasury keeps. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
const RESERVE: BaseAmounts = { USDC: 0n, SOL: 1_000_000_000n };

/** Faults that affect the bank's transfers between its own addresses. */
type MoveTrouble = Pick<Trouble, 'chainIsOut' | 'transaction'>;

/** The amount of a token due to the lending protocol; negative when the protocol must return it. */
export function dueBase({ agents, chain }: Books, token: ModelToken): bigint {
  let due = -chain.paidYield[token] - chain.placed[token];
  for (const { savings } of agents.values()) due += savings[token].principalBase;
  return due;
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

/** What the treasury can send to the lending protocol; if negative, it recalls what it lacks and the protocol can return. */
function spendableBase(books: Books, token: ModelToken, isRecalled: boolean): bigint {
  const free = freeBase(books, token);
  if (free >= 0n || !isRecalled) return free > 0n ? free : 0n;
  const placed = books.chain.placed[token] + books.chain.paidYield[token];
  // Savings of both tokens may be recalled, each by a transfer with two signatures.
  const fees = token === 'SOL' ? 4n * SIGNATURE_FEE : 0n;
  return placed > 0n ? -least(placed, fees - free) : 0n;
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
function* moveSavings(books: Books, trouble: MoveTrouble, recalled?: ModelToken): Steps<void> {
  const { chain, waiting, schedule } = books;
  const { treasury, protocol } = books.modelConfig;
  const dues = TOKENS.map((token) => dueBase(books, token));
  const keys: string[] = [];
  for (const [at, token] of TOKENS.entries()) {
    const amount = least(dues[at] ?? 0n, spendableBase(books, token, token === recalled));
    const key = `savings ${token}`;
    // Nothing moves twice while the outcome is unknown.
    if (trouble.chainIsOut || amount === 0n || waiting.has(key)) continue;
    const way =
      amount > 0n
        ? { amountBase: amount, from: treasury, destination: protocol }
        : { amountBase: -amount, from: protocol, destination: treasury };
    yield* sent(books, key, { kind: 'savings', token, ...way }, trouble);
    keys.push(key);
  }
  // Both moves are booked after they were sent.
  for (const key of keys) book(books, key, trouble);
  // The treasury may be able to pay the rest at the next midnight.
  chain.isSettlementScheduled =
    schedule.events.some(({ what }) => what.kind === 'settlement') ||
    TOKENS.every((token) => dueBase(books, token) <= 0n);
  scheduleSettlement(books);
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
    yield* moveSavings(books, trouble, token);
    // Also when there was nothing to move.
    yield { kind: 'chain' };
  }
  if (!trouble.chainIsOut)
    for (const wallet of [...books.agents.keys()].toSorted())
      if (isShort()) yield* sweep(books, wallet, token, trouble);
  supplying.shift();
  return !isShort();
}

/** The result of a call that runs without interruption by other calls. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
