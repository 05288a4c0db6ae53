import type { Books, InFlight, Outflow } from './books.js';
import type { BankTransfer } from './chain-count.js';
import type { TransactionTrouble } from './types.js';

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
