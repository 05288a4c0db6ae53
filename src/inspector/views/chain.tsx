import { Fund } from '../components/amounts.js';
import { Facts } from '../components/facts.js';
import { Amount, Id, Json } from '../components/ids.js';
import { NARROW, useMedia } from '../components/media.js';
import { Head, Panel } from '../components/panel.js';
import { Empty, Loading, Problem, Read } from '../components/states.js';
import { TransactionView } from '../components/transaction.js';
import { VirtualList } from '../components/virtual-list.js';
import { Link } from '../components/link.js';
import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { countText, instantText, shortId } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import { usePaged } from './use-paged.js';

type Row = Answer<'transactions'>['transactions'][number];
type Status = 'succeeded' | 'failed';

const HEADS = [
  ['seq', 'Slot'],
  ['time', 'Time'],
  ['name', 'Signature'],
  ['wallet', 'Signer'],
  ['text', 'Memo'],
  ['end', 'Outcome'],
] as const;

function Cells({ row: { signature, slot, at, error, signers, memo } }: { readonly row: Row }) {
  return (
    <>
      <span role="cell" class="cell-seq mono quiet">
        {countText(slot)}
      </span>
      <time role="cell" class="cell-time mono" dateTime={at}>
        {instantText(at)}
      </time>
      <span role="cell" class="cell-name">
        <Link to="transactions" id={signature} class="mono" title={signature}>
          {shortId(signature, 10)}
        </Link>
      </span>
      <span role="cell" class="cell-wallet">
        {signers[0] === undefined ? null : <Id id={signers[0]} to="accounts" />}
      </span>
      <span role="cell" class="cell-text quiet">
        {memo ?? ''}
      </span>
      <span role="cell" class="cell-end">
        {error === null ? <span class="badge good">ok</span> : <span class="badge bad">failed</span>}
      </span>
    </>
  );
}

function TransactionList({ address, status }: { readonly address: string; readonly status: string }) {
  const { control } = useSession();
  const isNarrow = useMedia(NARROW);
  const paged = usePaged<Row>(
    `${address} ${status}`,
    async (cursor, limit) => {
      const filter = {
        ...(address === '' ? {} : { address }),
        ...(status === '' ? {} : { status: status as Status }),
      };
      const page = await control.do('transactions', { query: { ...filter, cursor, limit } });
      return { rows: page.transactions, next: page.next, size: page.size };
    },
    ({ signature }) => signature,
  );
  const { rows, error } = paged.state.value;
  if (error !== null) return <Problem text={error} />;
  if (rows === null) return <Loading />;
  if (rows.length === 0) return <Empty>No transactions.</Empty>;
  return (
    <VirtualList
      label="Transactions"
      count={rows.length}
      rowHeight={isNarrow ? 56 : 30}
      keyOf={(index) => rows[index]?.signature ?? index}
      onNearEnd={() => paged.more()}
      head={HEADS.map(([cell, name]) => (
        <span key={cell} role="columnheader" class={`cell-${cell}`}>
          {name}
        </span>
      ))}
      row={(index) => {
        const row = rows[index];
        return row === undefined ? null : <Cells row={row} />;
      }}
    />
  );
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
      <div class="chips" role="group" aria-label="Outcome">
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
      <div class="panel list transactions">
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
      <Panel title="Transactions" class="transactions entries">
        <TransactionList address={id} status="" />
      </Panel>
    </>
  );
}
