import { Button, ExportButton, Form, Input, Search } from '../components/controls.js';
import { Members, Id, Line, Status, When, Link } from '../components/values.js';
import { Postings } from '../components/event-tables.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel, ReadPanel, Empty, Read } from '../components/panel.js';
import { Table } from '../components/table.js';
import type { ListColumn } from '../components/virtual-list.js';
import type { Answer } from '../control/client.js';
import { session } from '../session.js';
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
  ['Entry', ({ entry }) => <Link to="journal" id={entry} />, { width: '56px', area: 'mark', isNumber: true }],
  ['Time', ({ at }) => <When at={at} />, { width: '156px', area: 'time' }],
  ['Kind', ({ kind }) => kind, { width: 'minmax(110px, 150px)', area: 'lead' }],
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" none="bank" />, { width: '84px' }],
  [
    'Postings (debit +)',
    ({ postings }) => <Line text={postingText(postings)} class="mono" />,
    { width: 'minmax(80px, 1fr)', area: 'text' },
  ],
  [
    'Status',
    ({ status }) => (status === 'completed' ? null : <Status of={status} />),
    { width: '74px', area: 'end' },
  ],
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
      class="list"
      actions={FILTERS.map((name) => (
        <Search key={name} name={name} />
      ))}
    >
      <PagedList label="Entries" of={paged} columns={COLUMNS} empty="No entry matches the filters." />
    </Panel>
  );
}

function TrialBalance({ query: { at = '', entry = '' } }: { readonly query: Route['query'] }) {
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
        <Form
          class="line"
          label="Trial balance at"
          onSubmit={(values) => session.setQuery({ at: '', entry: '', ...values })}
        >
          <Input key={at} label="At" name="at" value={at} placeholder="now" />
          <Input key={entry} label="or after entry" name="entry" value={entry} placeholder="last" />
          <Button name="Show" />
        </Form>
      }
    >
      {({ accounts, debits, credits }) => (
        <>
          <Table
            label="Trial balance"
            columns={[
              ['Account', ({ account }) => <Link to="journal" query={{ account }} text={account} />],
              ['Token', ({ token }) => token],
              ['Debit', ({ debit, token }) => (debit === 0 ? '' : amountText(debit, token)), 'number'],
              ['Credit', ({ credit, token }) => (credit === 0 ? '' : amountText(credit, token)), 'number'],
            ]}
            rows={accounts.filter(({ debit, credit }) => debit !== 0 || credit !== 0)}
            empty="No account has a balance."
          />
          <p class="line">
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

const EXPORTS = [
  ['csv', 'Export CSV', 'journal.csv'],
  ['parquet', 'Export Parquet', 'journal.parquet'],
  ['hledger', 'Export for hledger', 'books.journal'],
] as const;

export function EntryPage({ id }: { readonly id: string }) {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const reading = useCommand('journalEntries', { query: { cursor: String(number + 1), limit: 1 } });
  return (
    <>
      <Head title={`Entry ${id}`}>
        <Link to="journal" query={{ entry: id }} class="button" text="Trial balance after it" />
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
                <Members of={{ wallet: entry.wallet ?? 'the bank', ...facts }} />
              </Panel>
            </>
          );
        }}
      </Read>
    </>
  );
}

export function Journal({ query }: { readonly query: Route['query'] }) {
  return (
    <>
      <Head title="Journal">
        {EXPORTS.map(([format, name, file]) => (
          <ExportButton
            key={format}
            name={name}
            file={file}
            read={() => session.control.bytes('exportJournal', { query: { format } })}
          />
        ))}
      </Head>
      <TrialBalance query={query} />
      <Entries query={query} />
    </>
  );
}
