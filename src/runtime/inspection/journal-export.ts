import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import { setImmediate } from 'node:timers/promises';
import type { Books } from '../../bank/books.js';
import { isoOf } from '../../core/domain/calendar.js';
import { type AccountName, type Entry, type Posting } from '../../core/domain/entry.js';
import { DECIMALS, type Token } from '../../core/domain/money.js';
import type { State } from '../../core/domain/state.js';
import { statusOf } from './entry-status.js';

/** The formats of a journal export: a row for each posting, or a text that hledger reads. */
export const JOURNAL_FORMATS = ['csv', 'parquet', 'hledger'] as const;
export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

/** Entries that are written between two yields to the event loop. */
const AT_ONCE = 2_000;

/** An amount in token units, with all decimals of its token: exact, whatever its size. */
function decimal(token: Token, base: bigint): string {
  const digits = `${base < 0n ? -base : base}`.padStart(DECIMALS[token] + 1, '0');
  const point = digits.length - DECIMALS[token];
  return `${base < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The accounts under the top-level names of plain-text accounting. */
const PLAIN_TEXT: Readonly<Record<AccountName, string>> = {
  treasury: 'assets:treasury',
  collection: 'assets:collection',
  protocol: 'assets:protocol',
  collateral_loan: 'assets:collateral-loan',
  credit_line: 'assets:credit-line',
  checking: 'liabilities:checking',
  savings: 'liabilities:savings',
  yield: 'liabilities:yield',
  pending: 'liabilities:pending',
  uncollected: 'liabilities:uncollected',
  unclaimed: 'liabilities:unclaimed',
  interest_income: 'revenues:interest',
  network_fees: 'expenses:network-fees',
  capital: 'equity:capital',
};

const HLEDGER_HEAD = `; The journal of an agent-bank-sim world: amounts are exact, debits positive.
decimal-mark .
commodity 1.000000 USDC
commodity 1.000000000 SOL
`;

function plainTextName({ account, owner }: Posting): string {
  return owner === null ? PLAIN_TEXT[account] : `${PLAIN_TEXT[account]}:${owner}`;
}

/** The directives before the entries: `hledger check --strict` requires that every account is declared. */
function hledgerHead(entries: readonly Entry[]): string {
  const names = new Set(entries.flatMap(({ postings }) => postings.map(plainTextName)));
  return HLEDGER_HEAD + [...names].map((name) => `account ${name}\n`).join('');
}

function hledgerEntry({ seq, atMs, wallet, facts, postings }: Entry, state: State): string {
  const at = isoOf(atMs);
  const mark = statusOf(state, { seq, facts }) === 'pending' ? '!' : '*';
  const about = wallet === null ? `at:${at}` : `at:${at}, wallet:${wallet}`;
  const lines = postings.map(
    (posting) =>
      `    ${plainTextName(posting)}  ${decimal(posting.token, posting.amountBase)} ${posting.token}`,
  );
  return [`\n${at.slice(0, 10)} ${mark} (${seq}) ${facts.kind}  ; ${about}`, ...lines, ''].join('\n');
}

const CSV_HEAD = 'entry,at,kind,wallet,status,account,owner,token,amount\n';

function csvEntry({ seq, atMs, wallet, facts, postings }: Entry, state: State): string {
  const head = `${seq},${isoOf(atMs)},${facts.kind},${wallet ?? ''},${statusOf(state, { seq, facts })}`;
  return postings
    .map(
      ({ account, owner, token, amountBase }) =>
        `${head},${account},${owner ?? ''},${token},${decimal(token, amountBase)}\n`,
    )
    .join('');
}

type Journal = Readonly<{ entries: readonly Entry[]; state: State }>;

async function textOf(
  { entries, state }: Journal,
  head: string,
  line: (entry: Entry, state: State) => string,
): Promise<Uint8Array> {
  const parts = [Buffer.from(head)];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE);
    parts.push(Buffer.from(some.map((entry) => line(entry, state)).join('')));
    await setImmediate();
  }
  return Buffer.concat(parts);
}

/** 38 digits: the sums of a journal exceed 64 bits. */
const AMOUNT_LIMIT = 10n ** 38n;
const AMOUNT_BASE: SchemaElement = {
  name: 'amount_base',
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: 16,
  converted_type: 'DECIMAL',
  precision: 38,
  scale: 0,
  repetition_type: 'REQUIRED',
};

async function parquetOf({ entries, state }: Journal): Promise<Uint8Array> {
  const { parquetWriteBuffer, schemaFromColumnData } = await import('hyparquet-writer');
  const rows: { readonly entry: Entry; readonly posting: Posting }[] = entries.flatMap((entry) =>
    entry.postings.map((posting) => ({ entry, posting })),
  );
  const large = rows.find(
    ({ posting: { amountBase: base } }) => base >= AMOUNT_LIMIT || base <= -AMOUNT_LIMIT,
  );
  if (large !== undefined)
    throw new RangeError(`entry ${large.entry.seq} has more than the 38 digits of Parquet: export as csv`);
  const text = (name: string, of: (row: (typeof rows)[number]) => string | null) => ({
    name,
    data: rows.map(of),
    type: 'STRING' as const,
  });
  const columnData = [
    { name: 'entry', data: rows.map(({ entry }) => entry.seq), type: 'INT32' },
    { name: 'at', data: rows.map(({ entry }) => new Date(entry.atMs)), type: 'TIMESTAMP' },
    text('kind', ({ entry }) => entry.facts.kind),
    text('wallet', ({ entry }) => entry.wallet),
    text('status', ({ entry }) => statusOf(state, entry)),
    text('account', ({ posting }) => posting.account),
    text('owner', ({ posting }) => posting.owner),
    text('token', ({ posting }) => posting.token),
    { name: 'amount_base', data: rows.map(({ posting }) => posting.amountBase) },
  ] satisfies ColumnSource[];
  const schema = schemaFromColumnData({ columnData, schemaOverrides: { amount_base: AMOUNT_BASE } });
  return new Uint8Array(
    parquetWriteBuffer({ columnData: columnData.map(({ name, data }) => ({ name, data })), schema }),
  );
}

/** Writes the whole journal as it is now. Rejects with RangeError for amounts that the format cannot store. */
export async function exportJournal(books: Books, format: JournalFormat): Promise<Uint8Array> {
  const snapshot = books.snapshot();
  const whole = { entries: snapshot.entries.toArray(), state: snapshot.state };
  if (format === 'parquet') return parquetOf(whole);
  if (format === 'csv') return textOf(whole, CSV_HEAD, csvEntry);
  return textOf(whole, hledgerHead(whole.entries), hledgerEntry);
}
