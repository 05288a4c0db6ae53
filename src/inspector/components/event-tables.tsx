import { type EventRow, type LoggedEvent, type PostingRow, rowOf } from '../control/events.js';
import { type Column, Table } from './table.js';
import { Amount, Id, Kind, When } from './values.js';

const EVENTS: readonly Column<EventRow>[] = [
  ['#', ({ seq }) => <span class="quiet">{seq}</span>],
  ['Kind', ({ kind }) => <Kind of={kind} />],
  ['What', ({ name }) => name],
  ['Details', ({ code, text }) => <span class={code === null ? 'quiet' : 'bad'}>{code ?? text}</span>],
  ['Time', ({ at }) => <When at={at} />],
];

export function EventTable({ events }: { readonly events: readonly LoggedEvent[] }) {
  return <Table label="Events" columns={EVENTS} rows={events.map(rowOf)} empty="No events." />;
}

const POSTINGS: readonly Column<PostingRow>[] = [
  ['Account', ({ account }) => account],
  ['Owner', ({ owner = null }) => <Id id={owner} to="agents" none="bank" />],
  ['Debit', ({ amount, token }) => (amount > 0 ? <Amount value={amount} token={token} /> : null), 'number'],
  ['Credit', ({ amount, token }) => (amount < 0 ? <Amount value={-amount} token={token} /> : null), 'number'],
];

/** The lines of an entry: debits and credits in columns of their own. */
export function Postings({ rows }: { readonly rows: readonly PostingRow[] }) {
  return <Table label="Postings" columns={POSTINGS} rows={rows} empty="No money moved." />;
}
