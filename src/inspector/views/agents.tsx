import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
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

export function LastCall({ of }: { readonly of: Row['lastCall'] }) {
  if (of === null) return <span class="quiet">none in memory</span>;
  const { requestId, operation, code, at } = of;
  return (
    <>
      {requestId === null ? (
        operation
      ) : (
        <Link to="requests" id={requestId} text={operation ?? 'unknown call'} />
      )}{' '}
      <span class={code === null || code === RENEWED ? 'quiet' : 'bad'}>
        {code ?? ''} {instantText(at)}
      </span>
    </>
  );
}

const FIGURE = { width: 'minmax(84px, 1fr)', isNumber: true } as const;

const COLUMNS: readonly (readonly [...ListColumn<Row>, sort?: Sort])[] = [
  ['Wallet', ({ wallet }) => <Id id={wallet} to="agents" />, { width: '108px', area: 'lead' }, 'opened'],
  [
    'Checking USDC',
    ({ checking }) => amountText(checking.USDC, 'USDC'),
    { ...FIGURE, area: 'usdc' },
    'balance',
  ],
  ['Checking SOL', ({ checking }) => amountText(checking.SOL, 'SOL'), FIGURE],
  ['Savings USDC', ({ savings }) => amountText(savings.USDC, 'USDC'), FIGURE, 'savings'],
  [
    'Debt USDC',
    ({ debt }) => <span class={debt > 0 ? 'warn' : ''}>{amountText(debt, 'USDC')}</span>,
    { ...FIGURE, area: 'text' },
    'debt',
  ],
  ['Score', ({ score }) => score ?? '–', { width: '64px', isNumber: true, area: 'end' }, 'score'],
  [
    'Last call',
    ({ lastCall }) => <LastCall of={lastCall} />,
    { width: 'minmax(140px, 1.6fr)', area: 'time' },
    'lastCall',
  ],
];

/** The columns, with headings that sort. */
function useColumns({ sort: sorted = 'opened', order = 'desc' }: Route['query']): readonly ListColumn<Row>[] {
  const session = useSession();
  const isDown = order === 'desc';
  return COLUMNS.map(([name, cell, layout, sort]): ListColumn<Row> => {
    if (sort === undefined) return [name, cell, layout];
    const isSorted = sort === sorted;
    const arrow = isSorted ? (isDown ? '↓' : '↑') : '';
    const onClick = () => session.setQuery({ sort, order: isSorted && isDown ? 'asc' : 'desc' });
    const head = <Button name={`${name} ${arrow}`} class="plain" onClick={onClick} />;
    return [
      name,
      cell,
      { ...layout, head, sorted: isSorted ? (isDown ? 'descending' : 'ascending') : undefined },
    ];
  });
}

type Made = Answer<'createWallet'>;

function NewWallet({ onMade }: { readonly onMade: (wallet: Made) => void }) {
  const session = useSession();
  const create = async (values: FormValues) => {
    const body = filledIn(values, [], ['SOL', 'USDC']);
    const made = await session.run('createWallet', { body }, 'The wallet is created.');
    if (made !== undefined) onMade(made);
  };
  return (
    <DialogButton name="New wallet" submit="Create" class="primary" onSubmit={create}>
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
    <Panel title="New wallet" actions={<Button name="Hide" class="plain" onClick={onHide} />}>
      <div class="stack">
        <Id id={wallet.address} to="accounts" isWhole canCopy />
        {isShown ? (
          <span class="id whole">
            <code>{wallet.secretKey}</code>
            <CopyButton text={wallet.secretKey} label="Copy the secret key" />
          </span>
        ) : (
          <Button name="Show secret key" onClick={() => setShown(true)} />
        )}
      </div>
    </Panel>
  );
}

type Wallet = Answer<'wallets'>['wallets'][number];

const WALLETS: readonly Column<Wallet>[] = [
  ['Wallet', ({ address }) => <Id id={address} to="accounts" canCopy />],
  ['SOL', ({ balances }) => amountText(balances.SOL, 'SOL'), 'number'],
  ['USDC', ({ balances }) => amountText(balances.USDC, 'USDC'), 'number'],
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
