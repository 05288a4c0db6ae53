import { iso, units } from './amounts.js';
import { loanId, paymentId, recordId, recordSignature } from './checks.js';
import type { Place, Tree } from './compare.js';
import type { ModelToken } from './types.js';
import type { Variants } from '../../../core/domain/variants.js';

/** Types that the variant without credit omits. */
const CREDIT_TYPES = ['borrow', 'repay', 'liquidation', 'late_fee', 'set_off'] as const;

export type RecordType =
  | 'deposit'
  | 'withdraw'
  | 'savings_deposit'
  | 'savings_withdraw'
  | 'x402_payment'
  | 'x402_receive'
  | (typeof CREDIT_TYPES)[number];

/** A record of the history, immutable. Source: docs/reference/fidelity.md, History. */
export interface HistoryRecord {
  /** Null until a response contains it. */
  readonly id: string | null;
  readonly type: RecordType;
  readonly token: ModelToken;
  readonly amountBase: bigint;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Null for none, and until a response contains it. */
  readonly signature: string | null;
  /** Recipient of the on-chain transfer, which determines whether a completed record has a signature; null for records without one. */
  readonly carriedTo: string | null;
  readonly counterparty: string | null;
  /** For credit lines: index of the loan that `counterparty` refers to. */
  readonly loan: number | null;
  readonly memo: string | null;
  readonly createdAtMs: number;
  readonly balanceAfterBase: bigint;
}

/** The members that a record has unless it says otherwise. */
export const PLAIN_RECORD = {
  id: null,
  status: 'completed',
  signature: null,
  carriedTo: null,
  counterparty: null,
  loan: null,
  memo: null,
} as const;

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly type?: string | undefined;
  readonly token?: string | undefined;
}

/** A page of an agent's history, newest first. Source: docs/reference/fidelity.md, History. */
export function historyPage(
  { wallet, history }: { readonly wallet: string; readonly history: readonly HistoryRecord[] },
  variant: Variants['historyTypes'],
  { limit, offset, type, token }: Page,
): Tree {
  const omitted: readonly string[] = variant === 'all' ? [] : CREDIT_TYPES;
  const isListed = (record: HistoryRecord) =>
    !omitted.includes(record.type) &&
    (type === undefined || type === record.type) &&
    (token === undefined || token === record.token);
  const listed = [...history.entries()].filter(([, record]) => isListed(record)).toReversed();
  return {
    transactions: listed
      .slice(offset, offset + limit)
      .map(([index, record]) => shown(record, { wallet, index })),
    pagination: { limit, offset, total: listed.length },
  };
}

function shown(record: HistoryRecord, at: Place): Tree {
  const { type, token, carriedTo, status, loan } = record;
  const signature = status === 'completed' ? recordSignature(at) : null;
  return {
    id: type === 'repay' && loan !== null ? paymentId(at) : recordId(at),
    type,
    token,
    amount: units(token, record.amountBase),
    status,
    tx_signature: carriedTo === null ? record.signature : signature,
    counterparty: loan === null ? record.counterparty : loanId({ wallet: at.wallet, index: loan }),
    memo: record.memo,
    created_at: iso(record.createdAtMs),
    balance_after: units(token, record.balanceAfterBase),
  };
}
