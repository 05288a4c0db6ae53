import { z } from 'zod';
import { wholeNumberFrom } from '../../contract/common.js';
import { ACCOUNT_NAMES } from '../../core/domain/entry.js';
import { ENTRY_KINDS, HISTORY_TYPES } from '../../core/domain/history.js';
import { isAddress } from '../../core/domain/inputs.js';
import { TOKENS } from '../../core/domain/money.js';
import { LOAN_STATUSES } from '../../core/domain/state.js';
import { checkKnown, refusedValue } from '../../core/suggestion.js';

export const instant = z.string().describe('ISO 8601 instant with time zone');

export const flag = z.boolean('must be true or false');

/** A whole number; the values of a query arrive as text. */
export const count = (min: number, max: number) => {
  const message = wholeNumberFrom(min, max);
  const number = z.number(message).int(message).min(min, message).max(max, message);
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    number,
  );
};

export const tokenName = z.enum(TOKENS);
const token = tokenName.optional();
export const address = z.string().refine(isAddress, 'must be a Solana address').optional();

export const pageQuery = z.strictObject({
  cursor: z.string().max(512).optional().describe('`next` of the previous page (default: the first page)'),
  limit: count(1, 1_000).optional().describe('maximum rows of the page, 1 to 1000 (default 100)'),
});
const paging = pageQuery.shape;

export const entryQuery = z.strictObject({
  wallet: address.describe("the entry's customer, or the owner of a posting"),
  kind: z.enum(ENTRY_KINDS).optional(),
  account: z
    .enum(ACCOUNT_NAMES)
    .optional()
    .describe('entries with a posting to this account; with `token`, of this token'),
  token,
  status: z
    .enum(['pending', 'completed', 'failed'])
    .optional()
    .describe('status of the outflow that an entry belongs to; other entries are completed'),
  from: instant.optional().describe('ISO 8601 instant with time zone, inclusive'),
  to: instant.optional().describe('ISO 8601 instant with time zone, inclusive'),
  order: z.enum(['newest', 'oldest']).optional().describe('default newest'),
  ...paging,
});

export const customerQuery = z.strictObject({
  search: z
    .string()
    .max(100)
    .optional()
    .describe('part of the wallet or of the collection address, in upper or lower case'),
  sort: z
    .enum(['opened', 'balance', 'savings', 'debt', 'score', 'lastCall'])
    .optional()
    .describe('default opened; balance and savings sort by value in USD, equal values by wallet'),
  order: z.enum(['desc', 'asc']).optional().describe('default desc'),
  ...paging,
});

export const historyQuery = z.strictObject({ type: z.enum(HISTORY_TYPES).optional(), token, ...paging });

export const transactionQuery = z.strictObject({
  address: address.describe('only those that mention this account'),
  status: z.enum(['succeeded', 'failed']).optional(),
  ...paging,
});

export const loanQuery = z.strictObject({
  wallet: address.describe('only loans of this wallet'),
  status: z.enum(LOAN_STATUSES).optional().describe('only loans with this status'),
  limit: count(1, 1_000).optional().describe('most rows, 1 to 1000 (default 100)'),
  offset: count(0, 1e9).optional().describe('number of rows to skip'),
});

export const seriesSpan = z.strictObject({
  from: instant.optional().describe('ISO 8601 (default: the start of the world)'),
  to: instant.optional().describe('ISO 8601 (default: now)'),
  points: count(2, 1_000).optional().describe('number of evenly spaced instants (default 200)'),
});
const wallet = address.describe('only of this customer');

export const requestSeriesQuery = z.strictObject({ wallet, ...seriesSpan.shape });

export const balanceSeriesQuery = z.strictObject({
  wallet,
  account: z.enum(ACCOUNT_NAMES).optional(),
  token,
  ...seriesSpan.shape,
});

/**
 * The position and length of a page.
 * @interface
 */
export type PageQuery = Readonly<z.output<typeof pageQuery>>;

/**
 * A filter on entries, and the page to return. An entry of an outflow has the outflow's current status.
 * @interface
 */
export type EntryQuery = Readonly<z.output<typeof entryQuery>>;

/**
 * A filter on customers, their order, and the page to return.
 * @interface
 */
export type CustomerQuery = Readonly<z.output<typeof customerQuery>>;

/**
 * A filter on a customer's history, and the page to return.
 * @interface
 */
export type HistoryQuery = Readonly<z.output<typeof historyQuery>>;

/**
 * A filter on transactions, and the page to return.
 * @interface
 */
export type TransactionQuery = Readonly<z.output<typeof transactionQuery>>;

/**
 * A filter on loans, newest first, and the part of the list to return.
 * @interface
 */
export type LoanQuery = Readonly<z.output<typeof loanQuery>>;

/**
 * The span of a series, and its number of instants. A span with fewer milliseconds has fewer instants.
 * @interface
 */
export type SeriesSpan = Readonly<z.output<typeof seriesSpan>>;

/**
 * The span of a series of requests, and whose.
 * @interface
 */
export type RequestSeriesQuery = Readonly<z.output<typeof requestSeriesQuery>>;

/**
 * The span of a series of balances, and which.
 * @interface
 */
export type BalanceSeriesQuery = Readonly<z.output<typeof balanceSeriesQuery>>;

type Values = Readonly<Record<string, z.ZodType>>;

/** Throws RangeError for a member that a query does not have, and for a value that is not one of the member's. */
export function checkQuery(query: object, { shape }: { readonly shape: Values }, what = 'filter'): void {
  checkKnown(query, Object.keys(shape), what);
  for (const [name, value] of Object.entries(query)) {
    const issue = shape[name]?.safeParse(value).error?.issues[0];
    if (issue === undefined) continue;
    if (issue.code !== 'invalid_value') throw new RangeError(`${name} ${issue.message}`);
    const allowed = issue.values.map(String);
    throw new RangeError(`${refusedValue(name, value, allowed)} Allowed: ${allowed.join(', ')}`);
  }
}

/** `checkQuery` for an input with members in `shape`, and others whose values are not checked here. */
export function checkInput(
  input: object,
  shape: Values,
  others: readonly string[] = [],
  what = 'option',
): void {
  const unchecked = Object.fromEntries(others.map((name) => [name, z.unknown()]));
  checkQuery(input, { shape: { ...shape, ...unchecked } }, what);
}
