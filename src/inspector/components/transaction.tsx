import type { Answer } from '../control/client.js';
import { Delta } from './amounts.js';
import { Amount, Id, Json, When } from './ids.js';
import { Facts } from './facts.js';
import { type Column, Table } from './table.js';
import { amountText, countText, countedText } from '../text/format.js';

type Details = Answer<'transaction'>;
type Account = Details['accounts'][number];

/** A balance of an account before and after. */
interface Balance {
  readonly account: Account;
  /** The owner of a token account; null for a balance in SOL. */
  readonly owner: string | null;
  readonly from: number;
  readonly to: number;
  /** Whether it is the SOL balance of a token account. */
  readonly isRent: boolean;
}

function balancesOf(account: Account): Balance[] {
  const { before, after } = account;
  const owner = (after ?? before)?.tokens?.owner ?? before?.tokens?.owner ?? null;
  const isRent = owner !== null;
  const tokens = { account, owner, from: before?.tokens?.amount ?? 0, to: after?.tokens?.amount ?? 0 };
  const sol = { account, owner: null, from: before?.SOL ?? 0, to: after?.SOL ?? 0, isRent };
  return [
    ...(isRent ? [{ ...tokens, isRent: false }] : []),
    ...(isRent && before?.SOL === after?.SOL ? [] : [sol]),
  ];
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

const tokenOf = ({ owner }: Balance) => (owner === null ? 'SOL' : 'USDC');

function Change({ of }: { readonly of: Balance }) {
  return (
    <>
      <Delta {...of} token={tokenOf(of)} /> <span class="unit">{of.owner === null ? 'SOL' : 'tokens'}</span>
    </>
  );
}

const BALANCES: readonly Column<Balance>[] = [
  ['Account', (row) => <AccountName of={row} />],
  ['Before', (row) => amountText(row.from, tokenOf(row)), 'number'],
  ['After', (row) => amountText(row.to, tokenOf(row)), 'number'],
  ['Change', (row) => <Change of={row} />, 'number'],
];

/** A transaction: its balance changes, instructions and logs. */
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
