import { useEffect, useMemo, useState } from 'preact/hooks';
import type { EventRow } from '../control/events.js';
import { Button, Chips, Search } from '../components/controls.js';
import { Id, Kind, Line, Outcome, When, Link } from '../components/values.js';
import { Head, Empty } from '../components/panel.js';
import { type ListColumn, VirtualList } from '../components/virtual-list.js';
import { session } from '../session.js';
import { EVENT_KINDS, matcherOf } from '../text/event-filter.js';
import { countText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { FilteredRows } from './filtered-rows.js';

function EventName({ row }: { readonly row: EventRow }) {
  const { kind, requestId, name, subject } = row;
  if (requestId !== null) return <Link to="requests" id={requestId} title={requestId} text={name} />;
  if (subject === null) return <span>{name}</span>;
  return <Link to={kind === 'entry' ? 'journal' : 'transactions'} id={subject} text={name} />;
}

function Ending({ row }: { readonly row: EventRow }) {
  if (row.isRequest) return <Outcome status={row.status} code={row.code} />;
  return row.code === null ? null : <span class="badge bad">failed</span>;
}

/** The name of an event's instant for comparisons: a request stands for the world before it. */
function pointOf({ isRequest, requestId, name, text }: EventRow): string | null {
  if (isRequest) return requestId;
  return name === 'world snapshot' ? text : null;
}

const COLUMNS: readonly ListColumn<EventRow>[] = [
  ['#', ({ seq }) => <span class="quiet">{seq}</span>, { width: '56px', isNumber: true }],
  ['Time', ({ at }) => <When at={at} withMs />, { width: '184px', area: 'time' }],
  ['Kind', ({ kind }) => <Kind of={kind} />, { width: '84px' }],
  ['What', (row) => <EventName row={row} />, { width: 'minmax(80px, 200px)', area: 'lead' }],
  ['Wallet', ({ wallet }) => <Id id={wallet} to="agents" />, { width: '84px' }],
  ['Details', ({ text }) => <Line text={text} />, { width: 'minmax(60px, 1fr)', area: 'text' }],
  [
    'Outcome',
    (row) => (
      <>
        {row.isFaulty ? <span class="badge warn">fault</span> : null}
        <Ending row={row} />
      </>
    ),
    { width: 'auto', area: 'end' },
  ],
];

/** Reads older events while the page is idle, until the window is full. */
function useOlderEvents(): void {
  const { feed, connection } = session;
  const isLive = connection.value === 'live';
  const hasRows = feed.version.value > 0;
  useEffect(() => {
    if (!isLive || !hasRows) return undefined;
    const stop = new AbortController();
    void feed.readOlder(stop.signal).catch(() => undefined);
    return () => stop.abort();
  }, [isLive, hasRows]);
}

function useFiltered(query: Route['query']): readonly EventRow[] {
  const { feed } = session;
  const filtered = useMemo(() => new FilteredRows(feed), []);
  const key = JSON.stringify(query);
  useEffect(() => filtered.setFilter(matcherOf(query)), [key]);
  const { value } = feed.version;
  useEffect(() => filtered.update(), [value]);
  return filtered.version.value >= 0 ? filtered.rows : [];
}

function Picked({ ids, onClear }: { readonly ids: readonly string[]; readonly onClear: () => void }) {
  const [from, to = 'now'] = ids;
  if (from === undefined) return null;
  return (
    <div class="banner line">
      <span>
        From <b class="mono">{from}</b> to <b class="mono">{to}</b>{' '}
        <span class="quiet">(a request stands for the world before it)</span>
      </span>
      <Link to="compare" query={{ from, to }} class="button" text="Show changes" />
      <Button name="Clear" onClick={onClear} />
    </div>
  );
}

export function Timeline({ query }: { readonly query: Route['query'] }) {
  const { feed } = session;
  const isFollowing = session.isFollowing.value;
  const setFollowing = (is: boolean) => {
    session.isFollowing.value = is;
  };
  const [picked, setPicked] = useState<readonly EventRow[]>([]);
  useOlderEvents();
  const rows = useFiltered(query);
  const pick = (row: EventRow) =>
    setPicked((now) => (now.includes(row) ? now.filter((each) => each !== row) : [...now.slice(-1), row]));
  const ids = picked.toSorted((a, b) => a.seq - b.seq).flatMap((row) => pointOf(row) ?? []);
  const missed = feed.missed.value;
  const pickColumn: ListColumn<EventRow> = [
    'Compare',
    (row) =>
      pointOf(row) === null ? null : (
        <input
          type="checkbox"
          checked={picked.includes(row)}
          onChange={() => pick(row)}
          aria-label={`Compare from event ${row.seq}`}
        />
      ),
    { head: <span class="hidden-text">Compare</span>, width: '16px', area: 'mark' },
  ];
  return (
    <>
      <Head title="Timeline">
        <span class="quiet" role="status">
          {countText(rows.length)} of {countText(feed.rows.length)} events
          {missed === 0 ? '' : `, ${countText(missed)} missed`}
        </span>
        <Button name="Follow" isPressed={isFollowing} onClick={() => setFollowing(!isFollowing)} />
      </Head>
      <div class="filters" role="search" aria-label="Filters">
        <Search name="text" label="Text" hint="Text, request, signature" isLive />
        <Search name="wallet" label="Wallet" isLive />
        <Search name="operation" label="Operation" isLive />
        <Search name="code" label="Code" hint="Code or refused" isLive />
        <Chips name="kind" label="Kinds" options={EVENT_KINDS} isMany />
      </div>
      <Picked ids={ids} onClear={() => setPicked([])} />
      <div class="panel list timeline">
        {rows.length === 0 ? (
          <Empty>
            {feed.rows.length === 0 ? 'Nothing has happened yet.' : 'No event matches the filters.'}
          </Empty>
        ) : (
          <VirtualList
            label="Events"
            rows={rows}
            columns={[pickColumn, ...COLUMNS]}
            keyOf={({ seq }) => seq}
            isFollowing={isFollowing}
            onAtEnd={setFollowing}
          />
        )}
      </div>
    </>
  );
}
