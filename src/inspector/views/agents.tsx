import { useState } from 'preact/hooks';
import { Button, DialogButton, Input, Search } from '../components/controls.js';
import { CopyButton, Id, RENEWED, Link } from '../components/values.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel, Empty, Read } from '../components/panel.js';
import { type Column, Table } from '../components/table.js';
import type { ListColumn } from '../components/virtual-list.js';
import type { Answer, Ask } from '../control/client.js';
import { session } from '../session.js';
import { amountText, countedText, instantText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Row = Answer<'customers'>['customers'][number];

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

const COLUMNS: readonly ListColumn<Row>[] = [
  [
    'Wallet',
    ({ wallet }) => <Id id={wallet} to="agents" />,
    { width: '108px', area: 'lead', sort: 'opened' },
  ],
  [
    'Checking USDC',
    ({ checking }) => amountText(checking.USDC, 'USDC'),
    { ...FIGURE, area: 'end', sort: 'balance' },
  ],
  ['Checking SOL', ({ checking }) => amountText(checking.SOL, 'SOL'), FIGURE],
  ['Savings USDC', ({ savings }) => amountText(savings.USDC, 'USDC'), { ...FIGURE, sort: 'savings' }],
  [
    'Debt USDC',
    ({ debt }) => <span class={debt > 0 ? 'warn' : ''}>{amountText(debt, 'USDC')}</span>,
    { ...FIGURE, area: 'time', sort: 'debt' },
  ],
  ['Score', ({ score }) => score ?? '–', { width: '64px', isNumber: true, sort: 'score' }],
  [
    'Last call',
    ({ lastCall }) => <LastCall of={lastCall} />,
    { width: 'minmax(140px, 1.6fr)', area: 'text', sort: 'lastCall' },
  ],
];

type Made = Answer<'createWallet'>;

function NewWallet({ onMade }: { readonly onMade: (wallet: Made) => void }) {
  const create = async (body: NonNullable<Ask<'createWallet'>['body']>) => {
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
  const { mount } = session;
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

export function Agents({ query }: { readonly query: Route['query'] }) {
  const { search, sort, order } = query;
  const paged = usePaged(
    'customers',
    { search, sort, order },
    ({ customers }) => customers,
    ({ wallet }) => wallet,
  );
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
          <PagedList label="Agents" of={paged} columns={COLUMNS} empty="No agent matches the search." />
        )}
      </div>
    </>
  );
}
