import { Fund } from '../components/amounts.js';
import { Facts } from '../components/facts.js';
import { Search, StatusFilter } from '../components/filters.js';
import { Amount, Id, Json, Line, When } from '../components/ids.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Empty } from '../components/states.js';
import { TransactionView } from '../components/transaction.js';
import type { ListColumn } from '../components/virtual-list.js';
import { Link } from '../components/link.js';
import type { Answer } from '../control/client.js';
import { countText, countedText, shortId } from '../text/format.js';
import type { Route } from '../text/routes.js';

type Row = Answer<'transactions'>['transactions'][number];

const COLUMNS: readonly ListColumn<Row>[] = [
  ['Slot', ({ slot }) => countText(slot), { width: '92px', isNumber: true }],
  ['Time', ({ at }) => <When at={at} />, { width: '156px', area: 'time' }],
  [
    'Signature',
    ({ signature: id }) => <Link to="transactions" id={id} class="mono" title={id} text={shortId(id, 10)} />,
    { width: 'minmax(150px, 1fr)', area: 'lead' },
  ],
  [
    'Signer',
    ({ signers: [signer = null] }) => <Id id={signer} to="accounts" />,
    { width: '84px', area: 'text' },
  ],
  ['Memo', ({ memo }) => <Line text={memo ?? ''} />, { width: 'minmax(60px, 1fr)' }],
  [
    'Outcome',
    ({ error }) => (
      <span class={`badge ${error === null ? 'good' : 'bad'}`}>{error === null ? 'ok' : 'failed'}</span>
    ),
    { width: '64px', area: 'end' },
  ],
];

function TransactionList({ query }: { readonly query: Route['query'] }) {
  const { address, status } = query;
  const paged = usePaged(
    'transactions',
    { address, status },
    ({ transactions }) => transactions,
    ({ signature }) => signature,
  );
  return <PagedList label="Transactions" of={paged} columns={COLUMNS} empty="No transactions." />;
}

function TransactionPage({ id }: { readonly id: string }) {
  return (
    <>
      <Head title="Transaction" id={shortId(id, 8)} />
      <ReadPanel title="Transaction" command="transaction" ask={{ id }}>
        {(details) => <TransactionView of={details} />}
      </ReadPanel>
    </>
  );
}

export function Transactions({ route: { id, query } }: { readonly route: Route }) {
  if (id !== null) return <TransactionPage id={id} />;
  return (
    <>
      <Head title="Chain">
        <Fund name="Airdrop" first="chain" />
      </Head>
      <div class="filters" role="search" aria-label="Filters">
        <Search name="address" label="Address" hint="Address that a transaction mentions" />
        <StatusFilter label="Outcome" options={['succeeded', 'failed']} />
      </div>
      <div class="panel list">
        <TransactionList query={query} />
      </div>
    </>
  );
}

/** An account of the chain with its parsed data, and the transactions that mention it. */
export function AccountPage({ route: { id } }: { readonly route: Route }) {
  if (id === null) return <Empty>Choose an account in the list of transactions.</Empty>;
  return (
    <>
      <Head title="Account" id={shortId(id, 6)}>
        <Link to="agents" id={id} class="button" text="As an agent" />
        <Fund wallet={id} name="Airdrop or set" first="chain" />
      </Head>
      <ReadPanel title="Account" command="chainAccount" ask={{ id }}>
        {({ address, SOL, owner, executable, bytes, data, base64 }) => (
          <>
            <Facts
              rows={[
                ['Address', <Id id={address} isWhole canCopy />],
                ['Balance', <Amount value={SOL} token="SOL" />],
                ['Owner', <Id id={owner} to="accounts" />],
                ['Data', `${countedText(bytes, 'byte')}${executable ? ', executable' : ''}`],
              ]}
            />
            {data !== null ? (
              <div>
                <Json value={data} />
              </div>
            ) : bytes === 0 ? null : (
              <details>
                <summary>Data in base64</summary>
                <pre tabIndex={0}>{base64}</pre>
              </details>
            )}
          </>
        )}
      </ReadPanel>
      <Panel title="Transactions" class="list">
        <TransactionList query={{ address: id }} />
      </Panel>
    </>
  );
}
