import { useState } from 'preact/hooks';
import { filledIn } from '../components/command.js';
import { Search } from '../components/filters.js';
import { DialogButton, type FormValues, Input } from '../components/form.js';
import { CopyButton, Id, RENEWED } from '../components/ids.js';
import { Link } from '../components/link.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel } from '../components/panel.js';
import { Empty, Read } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import type { ListColumn } from '../components/virtual-list.js';
import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { amountText, countedText, instantText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Row = Answer<'customers'>['customers'][number];
type Sort = 'opened' | 'balance' | 'savings' | 'debt' | 'score' | 'lastCall';

function LastCall({ of }: { readonly of: Row['lastCall'] }) {
  if (of === null) return <span class="quiet">none in memory</span>;
  const { requestId, operation, code, at } = of;
  return (
    <>
      {requestId === null ? (
        operation
      ) : (
        <Link to="requests" id={requestId}>
          {operation ?? 'unknown call'}
        </Link>
      )}{' '}
      <span class={code === null || code === RENEWED ? 'quiet' : 'bad'}>
        {code ?? ''} {instantText(at)}
      </span>
    </>
  );
}

const FIGURE = { width: 'minmax(84px, 1fr)', isNumber: true } as const;

const COLUMNS: readonly (ListColumn<Row> & { readonly sort?: Sort })[] = [
  {
    name: 'Wallet',
    sort: 'opened',
    width: '108px',
    area: 'lead',
    cell: ({ wallet }) => <Id id={wallet} to="agents" />,
  },
  {
    ...FIGURE,
    name: 'Checking USDC',
    sort: 'balance',
    area: 'usdc',
    cell: ({ checking }) => amountText(checking.USDC, 'USDC'),
  },
  { ...FIGURE, name: 'Checking SOL', isExtra: true, cell: ({ checking }) => amountText(checking.SOL, 'SOL') },
  {
    ...FIGURE,
    name: 'Savings USDC',
    sort: 'savings',
    cell: ({ savings }) => amountText(savings.USDC, 'USDC'),
  },
  {
    ...FIGURE,
    name: 'Debt USDC',
    sort: 'debt',
    area: 'text',
    cell: ({ debt }) => (
      <>
        <span class="hint narrow-name">debt </span>
        <span class={debt > 0 ? 'warn' : ''}>{amountText(debt, 'USDC')}</span>
      </>
    ),
  },
  {
    name: 'Score',
    isNumber: true,
    sort: 'score',
    width: '64px',
    area: 'end',
    cell: ({ score }) => (
      <>
        <span class="hint narrow-name">score </span>
        {score ?? '–'}
      </>
    ),
  },
  {
    name: 'Last call',
    sort: 'lastCall',
    width: 'minmax(140px, 1.6fr)',
    area: 'time',
    cell: ({ lastCall }) => <LastCall of={lastCall} />,
  },
];

/** The columns, with headings that sort. */
function useColumns({ sort: sorted = 'opened', order = 'desc' }: Route['query']): readonly ListColumn<Row>[] {
  const session = useSession();
  const isDown = order === 'desc';
  return COLUMNS.map(({ sort, ...column }) => {
    if (sort === undefined) return column;
    const isSorted = sort === sorted;
    return {
      ...column,
      sorted: isSorted ? (isDown ? 'descending' : 'ascending') : undefined,
      head: (
        <button
          type="button"
          class="plain sort"
          onClick={() => session.setQuery({ sort, order: isSorted && isDown ? 'asc' : 'desc' })}
        >
          {column.name} {isSorted ? (isDown ? '↓' : '↑') : ''}
        </button>
      ),
    };
  });
}

type Made = Answer<'createWallet'>;

function NewWallet({ onMade }: { readonly onMade: (wallet: Made) => void }) {
  const session = useSession();
  const create = async (values: FormValues) => {
    const body = filledIn(values, [], ['SOL', 'USDC']);
    const made = await session.act(
      () => session.control.do('createWallet', { body }),
      'The wallet is created.',
    );
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
      <Input label="SOL" name="SOL" type="number" value="1" />
      <Input label="USDC" name="USDC" type="number" value="100" />
    </DialogButton>
  );
}

/** A created wallet; its secret key is shown on request. */
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
            <code>{wallet.secretKey}</code>
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

type Wallet = Answer<'wallets'>['wallets'][number];

const WALLETS: readonly Column<Wallet>[] = [
  { name: 'Wallet', cell: ({ address }) => <Id id={address} to="accounts" canCopy /> },
  { name: 'SOL', isNumber: true, cell: ({ balances }) => amountText(balances.SOL, 'SOL') },
  { name: 'USDC', isNumber: true, cell: ({ balances }) => amountText(balances.USDC, 'USDC') },
];

/** Where a first agent can sign in, and with which wallets. */
function NoAgents() {
  const { mount } = useSession();
  const reading = useCommand('wallets');
  return (
    <div class="stack">
      <Empty>
        No wallet has signed in yet. The base URL of the API is{' '}
        <code>{`${location.origin}${mount}/api/v1`}</code>. These wallets can sign in;{' '}
        <code>{`${mount}/_sim/v1/wallets`}</code> lists their keys.
      </Empty>
      <Read of={reading}>
        {({ wallets }) => <Table label="Wallets" columns={WALLETS} rows={wallets} empty="No wallets." />}
      </Read>
    </div>
  );
}

export function Agents({ route: { query } }: { readonly route: Route }) {
  const { search, sort, order } = query;
  const paged = usePaged(
    'customers',
    { search, sort, order },
    ({ customers }) => customers,
    ({ wallet }) => wallet,
  );
  const columns = useColumns(query);
  const [made, setMade] = useState<Made | null>(null);
  const { size } = paged.state.value;
  const isEmpty = size === 0 && (search ?? '') === '';
  return (
    <>
      <Head title="Agents">
        <span class="quiet" role="status">
          {size === null ? '' : countedText(size, 'agent')}
        </span>
        <NewWallet onMade={setMade} />
      </Head>
      {made === null ? null : <MadeWallet key={made.address} wallet={made} onHide={() => setMade(null)} />}
      <div class="filters" role="search" aria-label="Filters">
        <Search name="search" label="Search" hint="Part of a wallet or collection address" isLive />
      </div>
      <div class="panel list">
        {isEmpty ? (
          <NoAgents />
        ) : (
          <PagedList
            label="Agents"
            class="agents"
            of={paged}
            columns={columns}
            empty="No agent matches the search."
          />
        )}
      </div>
    </>
  );
}
