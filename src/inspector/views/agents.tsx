import { useState } from 'preact/hooks';
import { DialogButton, Input } from '../components/form.js';
import { CopyButton, Id, RENEWED } from '../components/ids.js';
import { Link } from '../components/link.js';
import { NARROW, useMedia } from '../components/media.js';
import { Head, Panel } from '../components/panel.js';
import { Empty, Loading, Problem, Read } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import { VirtualList } from '../components/virtual-list.js';
import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { amountText, countText, instantText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import { usePaged } from './use-paged.js';

type Row = Answer<'customers'>['customers'][number];
type Sort = 'opened' | 'balance' | 'savings' | 'debt' | 'score' | 'lastCall';

const HEADS: readonly (readonly [cell: string, name: string, sort: Sort | null])[] = [
  ['wallet', 'Wallet', 'opened'],
  ['usdc', 'Checking USDC', 'balance'],
  ['sol', 'Checking SOL', null],
  ['savings', 'Savings USDC', 'savings'],
  ['debt', 'Debt USDC', 'debt'],
  ['score', 'Score', 'score'],
  ['last', 'Last call', 'lastCall'],
];

function Heads({ query }: { readonly query: Route['query'] }) {
  const session = useSession();
  const { sort = 'opened', order = 'desc' } = query;
  return (
    <>
      {HEADS.map(([cell, name, by]) => (
        <span
          key={cell}
          role="columnheader"
          class={`cell-${cell}`}
          aria-sort={by === sort ? (order === 'desc' ? 'descending' : 'ascending') : undefined}
        >
          {by === null ? (
            name
          ) : (
            <button
              type="button"
              class="plain sort"
              onClick={() =>
                session.setQuery({ sort: by, order: by === sort && order === 'desc' ? 'asc' : 'desc' })
              }
            >
              {name} {by === sort ? (order === 'desc' ? '↓' : '↑') : ''}
            </button>
          )}
        </span>
      ))}
    </>
  );
}

function Cells({ row }: { readonly row: Row }) {
  const { wallet, checking, savings, debt, score, lastCall } = row;
  return (
    <>
      <span role="cell" class="cell-wallet">
        <Id id={wallet} to="agents" />
      </span>
      <span role="cell" class="number cell-usdc">
        {amountText(checking.USDC, 'USDC')}
      </span>
      <span role="cell" class="number cell-sol">
        {amountText(checking.SOL, 'SOL')}
      </span>
      <span role="cell" class="number cell-savings">
        {amountText(savings.USDC, 'USDC')}
      </span>
      <span role="cell" class={`number cell-debt ${debt > 0 ? 'warn-text' : ''}`}>
        {amountText(debt, 'USDC')}
      </span>
      <span role="cell" class="number cell-score">
        {score ?? '–'}
      </span>
      <span role="cell" class="cell-last">
        {lastCall === null ? (
          <span class="quiet">none that is remembered</span>
        ) : (
          <>
            {lastCall.requestId === null ? (
              lastCall.operation
            ) : (
              <Link to="requests" id={lastCall.requestId}>
                {lastCall.operation ?? 'unknown call'}
              </Link>
            )}{' '}
            <span class={lastCall.code === null || lastCall.code === RENEWED ? 'quiet' : 'bad-text'}>
              {lastCall.code ?? ''} {instantText(lastCall.at)}
            </span>
          </>
        )}
      </span>
    </>
  );
}

type Made = Answer<'createWallet'>;

function NewWallet({ onMade }: { readonly onMade: (wallet: Made) => void }) {
  const session = useSession();
  const create = async ({ sol = '', usdc = '' }: Readonly<Record<string, string>>) => {
    const body = {
      ...(sol === '' ? {} : { SOL: Number(sol) }),
      ...(usdc === '' ? {} : { USDC: Number(usdc) }),
    };
    const made = await session.act(() => session.control.do('createWallet', { body }), 'The wallet is made.');
    if (made !== undefined) onMade(made);
  };
  return (
    <DialogButton
      name="New wallet"
      submit="Create"
      class="primary"
      onSubmit={(values) => void create(values)}
    >
      <p class="quiet">
        A wallet becomes an agent of the bank when it first signs in. The faucet can fund it on chain.
      </p>
      <Input label="SOL" name="sol" type="number" value="1" />
      <Input label="USDC" name="usdc" type="number" value="100" />
    </DialogButton>
  );
}

/** A wallet that was made; its secret key is shown when asked for. */
function MadeWallet({ wallet, onHide }: { readonly wallet: Made; readonly onHide: () => void }) {
  const [isShown, setShown] = useState(false);
  return (
    <Panel
      title="New wallet"
      actions={
        <button type="button" class="plain" onClick={onHide}>
          Hide
        </button>
      }
    >
      <div class="panel-body stack">
        <Id id={wallet.address} to="accounts" isWhole canCopy />
        {isShown ? (
          <span class="id whole">
            <code class="secret">{wallet.secretKey}</code>
            <CopyButton text={wallet.secretKey} label="Copy the secret key" />
          </span>
        ) : (
          <button type="button" onClick={() => setShown(true)}>
            Show secret key
          </button>
        )}
      </div>
    </Panel>
  );
}

function useAgents({ search, sort, order }: Route['query']) {
  const { control } = useSession();
  return usePaged<Row>(
    JSON.stringify([search, sort, order]),
    async (cursor, limit) => {
      const filter = {
        search,
        sort: sort as Sort | undefined,
        order: order as 'asc' | 'desc' | undefined,
      };
      const page = await control.do('customers', { query: { ...filter, cursor, limit } });
      return { rows: page.customers, next: page.next, size: page.size };
    },
    ({ wallet }) => wallet,
  );
}

type Wallet = Answer<'wallets'>['wallets'][number];

const WALLETS: readonly Column<Wallet>[] = [
  { name: 'Wallet', cell: ({ address }) => <Id id={address} to="accounts" canCopy /> },
  { name: 'SOL', isNumber: true, cell: ({ balances }) => amountText(balances.SOL, 'SOL') },
  { name: 'USDC', isNumber: true, cell: ({ balances }) => amountText(balances.USDC, 'USDC') },
];

/** With which wallets, and where, a first agent can sign in. */
function NoAgents() {
  const { mount } = useSession();
  const reading = useCommand('wallets');
  return (
    <div class="stack">
      <Empty>
        No wallet has signed in yet. The base URL of the API is{' '}
        <code>{`${location.origin}${mount}/api/v1`}</code>. These wallets can sign in;{' '}
        <code>{`${mount}/_sim/v1/wallets`}</code> has their keys.
      </Empty>
      <Read of={reading}>
        {({ wallets }) => (
          <Table
            label="Wallets"
            columns={WALLETS}
            rows={wallets}
            keyOf={({ address }) => address}
            empty="No wallets."
          />
        )}
      </Read>
    </div>
  );
}

export function Agents({ route: { query } }: { readonly route: Route }) {
  const session = useSession();
  const paged = useAgents(query);
  const isNarrow = useMedia(NARROW);
  const [made, setMade] = useState<Made | null>(null);
  const { rows, size, error } = paged.state.value;
  return (
    <>
      <Head title="Agents">
        <span class="quiet" role="status">
          {size === null ? '' : `${countText(size)} ${size === 1 ? 'agent' : 'agents'}`}
        </span>
        <NewWallet onMade={setMade} />
      </Head>
      {made === null ? null : <MadeWallet key={made.address} wallet={made} onHide={() => setMade(null)} />}
      <div class="filters" role="search" aria-label="Filters">
        <input
          type="search"
          class="filter-search"
          aria-label="Search"
          placeholder="Part of a wallet or collection address"
          value={query['search'] ?? ''}
          onInput={({ currentTarget }) => session.setQuery({ search: currentTarget.value })}
        />
      </div>
      <div class="panel list agents">
        {error === null ? null : <Problem text={error} />}
        {rows === null ? (
          error === null ? (
            <Loading />
          ) : null
        ) : rows.length === 0 ? (
          size === 0 && (query['search'] ?? '') === '' ? (
            <NoAgents />
          ) : (
            <Empty>No agent matches the search.</Empty>
          )
        ) : (
          <VirtualList
            label="Agents"
            count={rows.length}
            rowHeight={isNarrow ? 56 : 32}
            keyOf={(index) => rows[index]?.wallet ?? index}
            head={<Heads query={query} />}
            onNearEnd={() => paged.more()}
            row={(index) => {
              const row = rows[index];
              return row === undefined ? null : <Cells row={row} />;
            }}
          />
        )}
      </div>
    </>
  );
}
