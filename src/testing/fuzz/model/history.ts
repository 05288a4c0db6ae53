import { iso, units } from './amounts.js';
import { LoanId, RecordId, RecordSignature } from './checks.js';
import type { Tree } from './compare.js';
import type { ModelToken } from './types.js';
import type { Variants } from '../../../core/domain/variants.js';

export type RecordType =
  | 'deposit'
  | 'withdraw'
  | 'savings_deposit'
  | 'savings_withdraw'
  | 'x402_payment'
  | 'x402_receive'
  | 'borrow'
  | 'repay'
  | 'liquidation'
  | 'late_fee'
  | 'set_off';

/** Types that the variant without credit omits. */
const CREDIT_TYPES = new Set<RecordType>(['borrow', 'repay', 'liquidation', 'late_fee', 'set_off']);

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

/** Members of a new record; all others are null. */
export type NewRecord = Pick<
  HistoryRecord,
  'type' | 'token' | 'amountBase' | 'createdAtMs' | 'balanceAfterBase'
> &
  Partial<HistoryRecord>;

export interface HistoryFilter {
  readonly type: string | undefined;
  readonly token: string | undefined;
}

/** The records of one agent, oldest first. */
export class History {
  readonly wallet: string;
  readonly #hasCredit: boolean;
  readonly #records: HistoryRecord[];
  /** Indices of matching records by filter. Built on first use. */
  readonly #places: Map<string, number[]>;

  constructor(
    wallet: string,
    variant: Variants['historyTypes'],
    records: HistoryRecord[] = [],
    places = new Map<string, number[]>(),
  ) {
    this.wallet = wallet;
    this.#hasCredit = variant === 'all';
    this.#records = records;
    this.#places = places;
  }

  copy(): History {
    const places = new Map<string, number[]>();
    for (const [filter, list] of this.#places) places.set(filter, list.slice());
    return new History(this.wallet, this.#hasCredit ? 'all' : 'no-credit', this.#records.slice(), places);
  }

  get size(): number {
    return this.#records.length;
  }

  /** Returns the record's index. */
  add(record: NewRecord): number {
    const place = this.#records.length;
    this.#records.push({
      id: null,
      status: 'completed',
      signature: null,
      carriedTo: null,
      counterparty: null,
      loan: null,
      memo: null,
      ...record,
    });
    for (const [filter, list] of this.#places) if (this.#passes(place, filter)) list.push(place);
    return place;
  }

  at(place: number): HistoryRecord {
    const record = this.#records[place];
    if (record === undefined) throw new RangeError(`no history record ${place}`);
    return record;
  }

  types(most: number): RecordType[] {
    return this.#records.slice(-most).map(({ type }) => type);
  }

  change(place: number, change: Partial<HistoryRecord>): void {
    this.#records[place] = { ...this.at(place), ...change };
  }

  /** A page, newest first, and the number of matching records. */
  page(
    filter: HistoryFilter,
    { limit, offset }: { limit: number; offset: number },
  ): { records: Tree[]; total: number } {
    const places = this.#list(`${filter.type ?? ''}|${filter.token ?? ''}`);
    const total = places === null ? this.#records.length : places.length;
    const records: Tree[] = [];
    for (let at = total - 1 - offset; at >= 0 && records.length < limit; at -= 1) {
      records.push(this.#shown(places === null ? at : (places[at] ?? 0)));
    }
    return { records, total };
  }

  /** The indices of matching records; null for all. */
  #list(filter: string): readonly number[] | null {
    if (filter === '|' && this.#hasCredit) return null;
    let list = this.#places.get(filter);
    if (list === undefined) {
      list = [];
      for (let place = 0; place < this.#records.length; place += 1)
        if (this.#passes(place, filter)) list.push(place);
      this.#places.set(filter, list);
    }
    return list;
  }

  #passes(place: number, filter: string): boolean {
    const { type, token } = this.at(place);
    if (!this.#hasCredit && CREDIT_TYPES.has(type)) return false;
    const [wantedType, wantedToken] = filter.split('|');
    return (wantedType === '' || wantedType === type) && (wantedToken === '' || wantedToken === token);
  }

  #shown(place: number): Tree {
    const record = this.at(place);
    const at = { wallet: this.wallet, index: place };
    const { token, carriedTo, status, signature, loan } = record;
    const isUnknown = carriedTo !== null && status === 'completed' && signature === null;
    const prefix = record.type === 'repay' && loan !== null ? 'payment_' : '';
    return {
      id: record.id ?? new RecordId(at, prefix),
      type: record.type,
      token,
      amount: units(token, record.amountBase),
      status,
      tx_signature: isUnknown ? new RecordSignature(at) : signature,
      counterparty: loan === null ? record.counterparty : new LoanId({ wallet: this.wallet, index: loan }),
      memo: record.memo,
      created_at: iso(record.createdAtMs),
      balance_after: units(token, record.balanceAfterBase),
    };
  }
}
