import { Fund } from '../components/amounts.js';
import { Facts } from '../components/facts.js';
import { Amount, Id, Json, When } from '../components/ids.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel } from '../components/panel.js';
import { Empty, Read } from '../components/states.js';
import { TransactionView } from '../components/transaction.js';
import type { ListColumn } from '../components/virtual-list.js';
import { Link } from '../components/link.js';
import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { countText, shortId } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Row = Answer<'transactions'>['transactions'][number];
type Status = 'succeeded' | 'failed';

const COLUMNS: readonly ListColumn<Row>[] = [
  { name: 'Slot', width: '92px', isNumber: true, cell: ({ slot }) => countText(slot) },
  { name: 'Time', width: '156px', area: 'time', cell: ({ at }) => <When at={at} /> },
  {
    name: 'Signature',
    width: 'minmax(150px, 1fr)',
    area: 'lead',
    cell: ({ signature }) => (
      <Link to="transactions" id={signature} class="mono" title={signature}>
        {shortId(signature, 10)}
      </Link>
    ),
  },
  {
    name: 'Signer',
    width: '84px',
    area: 'text',
    cell: ({ signers: [signer] }) => (signer === undefined ? null : <Id id={signer} to="accounts" />),
  },
  {
    name: 'Memo',
    width: 'minmax(60px, 1fr)',
    cell: ({ memo }) => <span class="quiet">{memo ?? ''}</span>,
  },
  {
    name: 'Outcome',
    width: '64px',
    area: 'end',
    cell: ({ error }) => (
      <span class={`badge ${error === null ? 'good' : 'bad'}`}>{error === null ? 'ok' : 'failed'}</span>
    ),
  },
];

function TransactionList({ address, status }: { readonly address: string; readonly status: string }) {
  const { control } = useSession();
  const paged = usePaged<Row>(
    `${address} ${status}`,
    async (page) => {
      const filter = {
        ...(address === '' ? {} : { address }),
        ...(status === '' ? {} : { status: status as Status }),
      };
      const { transactions, ...rest } = await control.do('transactions', { query: { ...filter, ...page } });
      return { rows: transactions, ...rest };
    },
    ({ signature }) => signature,
  );
  return <PagedList label="Transactions" of={paged} columns={COLUMNS} empty="No transactions." />;
}

function Filters({ query }: { readonly query: Route['query'] }) {
  const session = useSession();
  const { address = '', status = '' } = query;
  return (
    <div class="filters" role="search" aria-label="Filters">
      <input
        type="search"
        class="filter-search"
        aria-label="Address"
        placeholder="Address that a transaction mentions"
        value={address}
        onChange={({ currentTarget }) => session.setQuery({ address: currentTarget.value.trim() })}
      />
      <div class="actions" role="group" aria-label="Outcome">
        {(['succeeded', 'failed'] as const).map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={status === each}
            onClick={() => session.setQuery({ status: status === each ? '' : each })}
          >
            {each}
          </button>
        ))}
      </div>
    </div>
  );
}

function TransactionPage({ id }: { readonly id: string }) {
  const reading = useCommand('transaction', { id });
  return (
    <>
      <Head
        title={
          <>
            Transaction <span class="mono">{shortId(id, 8)}</span>
          </>
        }
      />
      <Panel title="Transaction">
        <Read of={reading}>{(details) => <TransactionView of={details} />}</Read>
      </Panel>
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
      <Filters query={query} />
      <div class="panel list">
        <TransactionList address={query['address'] ?? ''} status={query['status'] ?? ''} />
      </div>
    </>
  );
}

/** An account of the chain with its parsed data, and the transactions that mention it. */
export function AccountPage({ route: { id } }: { readonly route: Route }) {
  const reading = useCommand('chainAccount', id === null ? null : { id });
  if (id === null) return <Empty>Choose an account in the list of transactions.</Empty>;
  return (
    <>
      <Head
        title={
          <>
            Account <span class="mono">{shortId(id, 6)}</span>
          </>
        }
      >
        <Link to="agents" id={id} class="button">
          As an agent
        </Link>
        <Fund wallet={id} name="Airdrop or set" first="chain" />
      </Head>
      <Panel title="Account">
        <Read of={reading}>
          {({ address, SOL, owner, executable, bytes, data, base64 }) => (
            <>
              <Facts
                rows={[
                  ['Address', <Id id={address} isWhole canCopy />],
                  ['Balance', <Amount value={SOL} token="SOL" />],
                  ['Owner', <Id id={owner} to="accounts" />],
                  ['Data', `${countText(bytes)} bytes${executable ? ', executable' : ''}`],
                ]}
              />
              {data !== null ? (
                <div class="panel-body">
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
        </Read>
      </Panel>
      <Panel title="Transactions" class="list part">
        <TransactionList address={id} status="" />
      </Panel>
    </>
  );
}
