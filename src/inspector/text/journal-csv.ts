/** An entry of the journal as the control interface shows it. */
export interface CsvEntry {
  readonly entry: number;
  readonly at: string;
  readonly kind: string;
  readonly status: string;
  readonly wallet: string | null;
  readonly postings: readonly {
    readonly account: string;
    readonly owner?: string;
    readonly token: 'USDC' | 'SOL';
    readonly amount: number;
  }[];
}

export const CSV_HEAD = 'entry,at,kind,status,wallet,account,owner,token,debit,credit';

const DIGITS = { USDC: 6, SOL: 9 } as const;

/** Entries as lines of CSV: one for each posting, and one for an entry without any. No value needs quotes. */
export function csvLines(entries: readonly CsvEntry[]): string[] {
  return entries.flatMap(({ entry, at, kind, status, wallet, postings }) => {
    const head = `${entry},${at},${kind},${status},${wallet ?? ''}`;
    if (postings.length === 0) return [`${head},,,,,`];
    return postings.map(({ account, owner = '', token, amount }) => {
      const text = Math.abs(amount).toFixed(DIGITS[token]);
      return `${head},${account},${owner},${token},${amount > 0 ? `${text},` : `,${text}`}`;
    });
  });
}
