import { download } from '../components/download.js';
import { Members } from '../components/facts.js';
import { Search } from '../components/filters.js';
import { Form, Input } from '../components/form.js';
import { Id, Status, When } from '../components/ids.js';
import { Link } from '../components/link.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Postings } from '../components/postings.js';
import { Empty, Read } from '../components/states.js';
import { Table } from '../components/table.js';
import type { ListColumn } from '../components/virtual-list.js';
import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { amountText, countText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Entry = Answer<'journalEntries'>['entries'][number];

const FILTERS = ['wallet', 'kind', 'account', 'token', 'status', 'from', 'to'] as const;

function postingText(postings: Entry['postings']): string {
  return postings
    .map(
      ({ account, token, amount }) =>
        `${account} ${amount > 0 ? '+' : ''}${amountText(amount, token)} ${token}`,
    )
    .join(' · ');
}

const COLUMNS: readonly ListColumn<Entry>[] = [
  {
    name: 'Entry',
    width: '56px',
    isNumber: true,
    area: 'mark',
    cell: ({ entry }) => (
      <Link to="journal" id={String(entry)}>
        {entry}
      </Link>
    ),
  },
  { name: 'Time', width: '156px', area: 'time', cell: ({ at }) => <When at={at} /> },
  { name: 'Kind', width: 'minmax(110px, 150px)', area: 'lead', cell: ({ kind }) => kind },
  {
    name: 'Agent',
    width: '84px',
    cell: ({ wallet }) => <Id id={wallet} to="agents" none="bank" />,
  },
  {
    name: 'Postings (debit +)',
    width: 'minmax(80px, 1fr)',
    area: 'text',
    cell: ({ postings }) => (
      <span class="quiet mono" title={postingText(postings)}>
        {postingText(postings)}
      </span>
    ),
  },
  {
    name: 'Status',
    width: '74px',
    area: 'end',
    cell: ({ status }) => (status === 'completed' ? null : <Status of={status} />),
  },
];

function Entries({ query }: { readonly query: Route['query'] }) {
  const paged = usePaged(
    'journalEntries',
    Object.fromEntries(FILTERS.map((name) => [name, query[name]])),
    ({ entries }) => entries,
    ({ entry }) => entry,
  );
  const { size } = paged.state.value;
  return (
    <Panel
      title="Entries"
      note={size === null ? undefined : countText(size)}
      class="list part"
      actions={FILTERS.map((name) => (
        <Search key={name} name={name} />
      ))}
    >
      <PagedList label="Entries" of={paged} columns={COLUMNS} empty="No entry matches the filters." />
    </Panel>
  );
}

function TrialBalance({ query: { at = '', entry = '' } }: { readonly query: Route['query'] }) {
  const session = useSession();
  return (
    <ReadPanel
      title="Trial balance"
      command="trialBalance"
      ask={{ query: { at, entry: entry === '' ? undefined : Number(entry) } }}
      note={(balance) => (
        <>
          after entry {countText(balance.entry)}, <When at={balance.at} />
        </>
      )}
      actions={
        <Form class="inline" label="Trial balance at" onSubmit={(values) => session.setQuery(values)}>
          <Input key={at} label="At" name="at" value={at} placeholder="now" />
          <Input key={entry} label="or after entry" name="entry" value={entry} placeholder="last" />
          <button type="submit">Show</button>
        </Form>
      }
    >
      {({ accounts, debits, credits }) => (
        <>
          <Table
            label="Trial balance"
            columns={[
              {
                name: 'Account',
                cell: ({ account }) => (
                  <Link to="journal" query={{ account }}>
                    {account}
                  </Link>
                ),
              },
              { name: 'Token', cell: ({ token }) => token },
              {
                name: 'Debit',
                isNumber: true,
                cell: ({ debit, token }) => (debit === 0 ? '' : amountText(debit, token)),
              },
              {
                name: 'Credit',
                isNumber: true,
                cell: ({ credit, token }) => (credit === 0 ? '' : amountText(credit, token)),
              },
            ]}
            rows={accounts.filter(({ debit, credit }) => debit !== 0 || credit !== 0)}
            empty="No account has a balance."
          />
          <p class="total panel-body">
            Debits and credits:{' '}
            {(['USDC', 'SOL'] as const).map((token) => (
              <span key={token} class={debits[token] === credits[token] ? 'good' : 'bad'}>
                {amountText(debits[token], token)} {debits[token] === credits[token] ? '=' : '≠'}{' '}
                {amountText(credits[token], token)} {token}{' '}
              </span>
            ))}
          </p>
        </>
      )}
    </ReadPanel>
  );
}

/** The formats of an exported journal: the names of the button and of the file. */
const EXPORTS = [
  ['csv', 'Export CSV', 'journal.csv'],
  ['parquet', 'Export Parquet', 'journal.parquet'],
  ['hledger', 'Export for hledger', 'books.journal'],
] as const;

function Export() {
  const session = useSession();
  return (
    <>
      {EXPORTS.map(([format, label, file]) => (
        <button
          key={format}
          type="button"
          onClick={() =>
            void session.act(
              async () => download(file, await session.control.bytes('exportJournal', { query: { format } })),
              `The journal is exported to ${file}.`,
            )
          }
        >
          {label}
        </button>
      ))}
    </>
  );
}

function EntryPage({ id }: { readonly id: string }) {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const reading = useCommand('journalEntries', { query: { cursor: String(number + 1), limit: 1 } });
  return (
    <>
      <Head title={`Entry ${id}`}>
        <Link to="journal" query={{ entry: id }} class="button">
          Trial balance after it
        </Link>
      </Head>
      <Read of={reading}>
        {({ entries: [entry] }) => {
          if (entry?.entry !== number) return <Empty>The journal does not have this entry.</Empty>;
          const { kind: _, ...facts } = entry.facts as Record<string, unknown>;
          return (
            <>
              <Panel title={entry.kind} note={<When at={entry.at} />} actions={<Status of={entry.status} />}>
                <Postings rows={entry.postings} />
              </Panel>
              <Panel title="Facts">
                <div class="panel-body">
                  <Members of={{ wallet: entry.wallet ?? 'the bank', ...facts }} />
                </div>
              </Panel>
            </>
          );
        }}
      </Read>
    </>
  );
}

export function Journal({ route: { id, query } }: { readonly route: Route }) {
  if (id !== null) return <EntryPage id={id} />;
  return (
    <>
      <Head title="Journal">
        <Export />
      </Head>
      <TrialBalance query={query} />
      <Entries query={query} />
    </>
  );
}
