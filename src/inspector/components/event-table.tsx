import { type EventRow, type LoggedEvent, rowOf } from '../control/events.js';
import { kindOf } from '../text/event-filter.js';
import { Kind, When } from './ids.js';
import { type Column, Table } from './table.js';

const COLUMNS: readonly Column<EventRow>[] = [
  ['#', ({ seq }) => <span class="quiet">{seq}</span>],
  ['Kind', (row) => <Kind of={kindOf(row)} />],
  ['What', ({ name }) => name],
  ['Details', ({ code, text }) => <span class={code === null ? 'quiet' : 'bad'}>{code ?? text}</span>],
  ['Time', ({ at }) => <When at={at} />],
];

/** Events as part of another view. */
export function EventTable({ events }: { readonly events: readonly LoggedEvent[] }) {
  return <Table label="Events" columns={COLUMNS} rows={events.map(rowOf)} empty="No events." />;
}
