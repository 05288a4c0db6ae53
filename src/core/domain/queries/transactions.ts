import { List } from 'immutable';
import { isoOf } from '../calendar.js';
import type { Entry } from '../entry.js';
import { type HistoryType, historyLine } from '../history.js';
import { repaymentId, uuid } from '../ids.js';
import { customer } from '../inputs.js';
import { type Amount, type Token, amountOf } from '../money.js';
import type { Env } from '../ports.js';
import type { State } from '../state.js';

/** One record of an agent's history. */
export interface TransactionView {
  readonly id: string;
  readonly type: HistoryType;
  readonly token: Token;
  readonly amount: Amount;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly tx_signature: string | null;
  readonly counterparty: string | null;
  readonly memo: string | null;
  readonly created_at: string;
  readonly balance_after: Amount;
}

export interface TransactionsInput {
  readonly wallet: string;
  readonly limit: number;
  readonly offset: number;
  readonly type?: HistoryType | undefined;
  readonly token?: Token | undefined;
}

type Particulars = Pick<TransactionView, 'status' | 'tx_signature' | 'counterparty' | 'memo'>;

function particulars(state: State, entry: Entry): Particulars {
  const plain: Particulars = { status: 'completed', tx_signature: null, counterparty: null, memo: null };
  const { facts } = entry;
  switch (facts.kind) {
    case 'deposit':
    case 'x402.received':
      return { ...plain, tx_signature: facts.signature, counterparty: facts.sender };
    case 'outflow.pending': {
      const outflow = state.outflows.get(entry.seq);
      return {
        status: outflow?.status ?? 'pending',
        tx_signature: outflow?.signature ?? null,
        counterparty: facts.terms.recipient,
        memo: facts.terms.memo,
      };
    }
    case 'loan.approved':
    case 'loan.charged':
    case 'loan.set_off':
      return { ...plain, counterparty: facts.loanId };
    case 'loan.repaid':
      return { ...plain, tx_signature: facts.signature, counterparty: facts.loanId };
    default:
      return plain;
  }
}

function record(state: State, entry: Entry, env: Env): TransactionView {
  const line = historyLine(entry);
  if (line === null) throw new Error(`entry ${entry.seq} is not part of a history`);
  return {
    id:
      entry.facts.kind === 'loan.repaid'
        ? repaymentId(env.salt, entry.seq)
        : uuid(env.salt, 'entry', entry.seq),
    type: line.type,
    token: line.token,
    amount: amountOf(line.token, line.amountBase),
    ...particulars(state, entry),
    created_at: isoOf(entry.atMs),
    balance_after: amountOf(line.token, entry.balanceAfterBase ?? 0n),
  };
}

/** A page of an agent's history, newest first. `entryAt` reads the journal by number. */
export function transactions(
  state: State,
  input: TransactionsInput,
  env: Env,
  entryAt: (seq: number) => Entry,
) {
  const { wallet, limit, offset, type, token } = input;
  const key = type === undefined ? (token ?? '') : token === undefined ? type : `${type}/${token}`;
  const numbers = customer(state, wallet).history.get(key) ?? List<number>();
  const page: TransactionView[] = [];
  for (let at = numbers.size - 1 - offset; at >= 0 && page.length < limit; at -= 1) {
    page.push(record(state, entryAt(numbers.get(at) as number), env));
  }
  return { transactions: page, pagination: { limit, offset, total: numbers.size } };
}
