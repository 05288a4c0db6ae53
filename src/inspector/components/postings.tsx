import { Amount, Id } from './ids.js';
import { type Column, Table } from './table.js';
import type { PostingRow } from '../control/events.js';

const COLUMNS: readonly Column<PostingRow>[] = [
  ['Account', ({ account }) => account],
  ['Owner', ({ owner = null }) => <Id id={owner} to="agents" none="bank" />],
  ['Debit', ({ amount, token }) => (amount > 0 ? <Amount value={amount} token={token} /> : null), 'number'],
  ['Credit', ({ amount, token }) => (amount < 0 ? <Amount value={-amount} token={token} /> : null), 'number'],
];

/** The lines of an entry: debits and credits in columns of their own. */
export function Postings({ rows }: { readonly rows: readonly PostingRow[] }) {
  return <Table label="Postings" columns={COLUMNS} rows={rows} empty="No money moved." />;
}
