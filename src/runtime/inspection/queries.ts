import { z } from 'zod';
import { wholeNumberFrom } from '../../contract/common.js';
import { ACCOUNT_NAMES } from '../../core/domain/entry.js';
import { ENTRY_KINDS, HISTORY_TYPES } from '../../core/domain/history.js';
import { TOKENS } from '../../core/domain/money.js';
import { LOAN_STATUSES } from '../../core/domain/state.js';
import { refusedValue, suggestion } from '../../core/suggestion.js';

export const instant = z.string().describe('ISO 8601 instant with time zone');

/** A whole number; the values of a query arrive as text. */
export const count = (min: number, max: number) => {
  const message = wholeNumberFrom(min, max);
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
};

const token = z.enum(TOKENS).optional();

/** The position and length of a page. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(512).optional().describe('`next` of the previous page (default: the first page)'),
  limit: count(1, 1_000).optional().describe('maximum rows of the page, 1 to 1000 (default 100)'),
});
const paging = pageQuery.shape;

/** A filter on entries, and the page to return. An entry of an outflow has the outflow's current status. */
export const entryQuery = z.strictObject({
  wallet: z.string().optional().describe("the entry's customer, or the owner of a posting"),
  kind: z.enum(ENTRY_KINDS).optional(),
  account: z.enum(ACCOUNT_NAMES).optional().describe('entries with a posting to this account'),
  token,
  status: z
    .enum(['pending', 'completed', 'failed'])
    .optional()
    .describe('status of the outflow that an entry belongs to; other entries are completed'),
  from: instant.optional(),
  to: instant.optional().describe('ISO 8601, inclusive'),
  order: z.enum(['newest', 'oldest']).optional().describe('default newest'),
  ...paging,
});

export const customerQuery = z.strictObject({
  search: z.string().max(100).optional().describe('part of the wallet or of the collection address'),
  sort: z
    .enum(['opened', 'balance', 'savings', 'debt', 'score', 'lastCall'])
    .optional()
    .describe('default opened; balance and savings sort by value in USD'),
  order: z.enum(['desc', 'asc']).optional().describe('default desc'),
  ...paging,
});

export const historyQuery = z.strictObject({ type: z.enum(HISTORY_TYPES).optional(), token, ...paging });

/** A filter on transactions, and the page to return. */
export const transactionQuery = z.strictObject({
  address: z.string().optional().describe('only those that mention this account'),
  status: z.enum(['succeeded', 'failed']).optional(),
  ...paging,
});

/** A filter on loans, and the page to return. */
export const loanQuery = z.strictObject({
  wallet: z.string().optional().describe('only loans of this wallet'),
  status: z.enum(LOAN_STATUSES).optional().describe('only loans with this status'),
  limit: count(1, 1_000).optional().describe('most rows, 1 to 1000 (default 100)'),
  offset: count(0, 1e9).optional().describe('number of rows to skip'),
});

/** The span of a series, and its number of instants. A span with fewer milliseconds has fewer instants. */
export const seriesSpan = z.strictObject({
  from: instant.optional().describe('ISO 8601 (default: the start of the world)'),
  to: instant.optional().describe('ISO 8601 (default: now)'),
  points: count(2, 1_000).optional().describe('number of evenly spaced instants (default 200)'),
});
const wallet = z.string().optional().describe('only of this customer');

export const requestSeriesQuery = z.strictObject({ wallet, ...seriesSpan.shape });

export const balanceSeriesQuery = z.strictObject({
  wallet,
  account: z.enum(ACCOUNT_NAMES).optional(),
  token,
  ...seriesSpan.shape,
});

export type PageQuery = Readonly<z.output<typeof pageQuery>>;
export type EntryQuery = Readonly<z.output<typeof entryQuery>>;
export type CustomerQuery = Readonly<z.output<typeof customerQuery>>;
export type HistoryQuery = Readonly<z.output<typeof historyQuery>>;
export type TransactionQuery = Readonly<z.output<typeof transactionQuery>>;
export type LoanQuery = Readonly<z.output<typeof loanQuery>>;
export type SeriesSpan = Readonly<z.output<typeof seriesSpan>>;
export type RequestSeriesQuery = Readonly<z.output<typeof requestSeriesQuery>>;
export type BalanceSeriesQuery = Readonly<z.output<typeof balanceSeriesQuery>>;

/** Throws RangeError for a member that a query does not have, or for a value that the member cannot have. */
export function checkQuery(query: object, { shape }: z.ZodObject): void {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const member = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
    if (member === undefined) {
      const suggested = suggestion(name, Object.keys(shape)) || '.';
      throw new RangeError(`${name}: there is no such filter${suggested}`);
    }
    const issue = member.safeParse(value).error?.issues[0];
    if (issue?.code !== 'invalid_value') continue;
    const allowed = issue.values.map(String);
    throw new RangeError(`${refusedValue(name, value, allowed)} Allowed: ${allowed.join(', ')}`);
  }
}
