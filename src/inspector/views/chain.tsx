import { Fund, Delta } from '../components/amounts.js';
import { Facts, Amount, Id, Json, Line, When, Link } from '../components/values.js';
import { Chips, Search } from '../components/controls.js';
import { PagedList, usePaged } from '../components/paged-list.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import type { ListColumn } from '../components/virtual-list.js';
import type { Answer } from '../control/client.js';
import { countText, countedText, shortId, type Token, amountText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { type Column, Table } from '../components/table.js';

type Details = Answer<'transaction'>;
type Account = Details['accounts'][number];

interface Balance {
  readonly account: Account;
  /** The owner of a token account; null for a balance in SOL. */
  readonly owner: string | null;
  readonly token: Token;
  readonly from: number;
  readonly to: number;
  /** Whether it is the SOL balance of a token account. */
  readonly isRent: boolean;
}

function balancesOf(account: Account): Balance[] {
  const { before, after } = account;
  const owner = (after?.tokens ?? before?.tokens)?.owner ?? null;
  const isRent = owner !== null;
  const [from, to] = [before?.SOL ?? 0, after?.SOL ?? 0];
  const sol = { account, owner: null, token: 'SOL', from, to, isRent } as const;
  if (!isRent) return [sol];
  const tokens = { from: before?.tokens?.amount ?? 0, to: after?.tokens?.amount ?? 0 };
  const held = { account, owner, token: 'USDC', ...tokens, isRent: false } as const;
  return from === to ? [held] : [held, sol];
}

function AccountName({ of: { account, owner, isRent } }: { readonly of: Balance }) {
  if (isRent) return <span class="quiet">its rent</span>;
  return (
    <>
      <Id id={account.address} to="accounts" />
      {account.signer ? <span class="badge">signer</span> : null}
      {owner === null ? null : (
        <span class="quiet">
          {' '}
          of <Id id={owner} to="accounts" />
        </span>
      )}
    </>
  );
}

const BALANCES: readonly Column<Balance>[] = [
  ['Account', (row) => <AccountName of={row} />],
  ['Before', ({ from, token }) => amountText(from, token), 'number'],
  ['After', ({ to, token }) => amountText(to, token), 'number'],
  [
    'Change',
    (row) => (
      <>
        <Delta {...row} /> <span class="unit">{row.owner === null ? 'SOL' : 'tokens'}</span>
      </>
    ),
    'number',
  ],
];

export function TransactionView({ of }: { readonly of: Details }) {
  const { signature, slot, at, fee, error, memo, signers, computeUnits, instructions, logs, accounts } = of;
  return (
    <>
      <Facts
        rows={[
          ['Signature', <Id id={signature} to="transactions" isWhole canCopy />],
          [
            'Outcome',
            <span class={`badge ${error === null ? 'good' : 'bad'}`}>
              {error === null ? 'succeeded' : JSON.stringify(error)}
            </span>,
          ],
          ['Slot', <span class="mono">{countText(slot)}</span>],
          ['Time', <When at={at} />],
          ['Fee', <Amount value={fee} token="SOL" />],
          ['Compute units', <span class="mono">{countText(computeUnits)}</span>],
          ['Signers', signers.map((signer) => <Id key={signer} id={signer} to="accounts" />)],
          ...(memo === null ? [] : [['Memo', <span class="mono">{memo}</span>] as const]),
        ]}
      />
      <Table
        label="Balances before and after"
        columns={BALANCES}
        rows={accounts.filter(({ writable }) => writable).flatMap(balancesOf)}
        empty="The transaction did not write any account."
      />
      <details>
        <summary>{countedText(instructions.length, 'instruction')}</summary>
        <Json value={instructions} />
      </details>
      <details>
        <summary>Logs</summary>
        <pre tabIndex={0}>{logs.join('\n')}</pre>
      </details>
    </>
  );
}

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

export function TransactionPage({ id }: { readonly id: string }) {
  return (
    <>
      <Head title="Transaction" id={shortId(id, 8)} />
      <ReadPanel title="Transaction" command="transaction" ask={{ id }}>
        {(details) => <TransactionView of={details} />}
      </ReadPanel>
    </>
  );
}

export function Transactions({ query }: { readonly query: Route['query'] }) {
  return (
    <>
      <Head title="Chain">
        <Fund name="Airdrop" first="faucet" />
      </Head>
      <div class="filters" role="search" aria-label="Filters">
        <Search name="address" label="Address" hint="Address that a transaction mentions" />
        <Chips name="status" label="Outcome" options={['succeeded', 'failed']} />
      </div>
      <div class="panel list">
        <TransactionList query={query} />
      </div>
    </>
  );
}

export function AccountPage({ id }: { readonly id: string }) {
  return (
    <>
      <Head title="Account" id={shortId(id, 6)}>
        <Link to="agents" id={id} class="button" text="As an agent" />
        <Fund wallet={id} name="Airdrop or set" first="faucet" />
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
