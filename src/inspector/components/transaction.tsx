import type { Answer } from '../control/client.js';
import { Amount, Id, Json, When } from './ids.js';
import { Facts } from './facts.js';
import { amountText, countText } from '../text/format.js';

type Details = Answer<'transaction'>;
type Account = Details['accounts'][number];

function Change({ from, to, unit }: { readonly from: number; readonly to: number; readonly unit: string }) {
  const delta = to - from;
  const token = unit === 'SOL' ? 'SOL' : 'USDC';
  return (
    <>
      <td class="number">{amountText(from, token)}</td>
      <td class="number">{amountText(to, token)}</td>
      <td class={`number ${delta > 0 ? 'good-text' : delta < 0 ? 'bad-text' : 'quiet'}`}>
        {delta > 0 ? '+' : ''}
        {amountText(delta, token)} <span class="unit">{unit}</span>
      </td>
    </>
  );
}

function AccountRows({ account }: { readonly account: Account }) {
  const { address, before, after, signer } = account;
  const held = after?.tokens ?? before?.tokens ?? null;
  const name = (
    <td>
      <Id id={address} to="accounts" />
      {signer ? <span class="badge">signer</span> : null}
      {held === null ? null : (
        <span class="quiet">
          {' '}
          of <Id id={held.owner} to="accounts" />
        </span>
      )}
    </td>
  );
  return (
    <>
      {held === null ? null : (
        <tr>
          {name}
          <Change from={before?.tokens?.amount ?? 0} to={after?.tokens?.amount ?? 0} unit="tokens" />
        </tr>
      )}
      {held !== null && before?.SOL === after?.SOL ? null : (
        <tr>
          {held === null ? name : <td class="quiet">its rent</td>}
          <Change from={before?.SOL ?? 0} to={after?.SOL ?? 0} unit="SOL" />
        </tr>
      )}
    </>
  );
}

function Balances({ accounts }: { readonly accounts: readonly Account[] }) {
  const written = accounts.filter(({ writable }) => writable);
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Balances before and after">
      <table>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" class="number">
              Before
            </th>
            <th scope="col" class="number">
              After
            </th>
            <th scope="col" class="number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {written.map((account) => (
            <AccountRows key={account.address} account={account} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A transaction: what it changed, its instructions and its logs. */
export function TransactionView({ of }: { readonly of: Details }) {
  const { signature, slot, at, fee, error, memo, signers, computeUnits, instructions, logs, accounts } = of;
  return (
    <>
      <Facts
        rows={[
          ['Signature', <Id id={signature} to="transactions" isWhole canCopy />],
          [
            'Outcome',
            error === null ? (
              <span class="badge good">succeeded</span>
            ) : (
              <span class="badge bad">{JSON.stringify(error)}</span>
            ),
          ],
          ['Slot', <span class="mono">{countText(slot)}</span>],
          ['Time', <When at={at} />],
          ['Fee', <Amount value={fee} token="SOL" />],
          ['Compute units', <span class="mono">{countText(computeUnits)}</span>],
          ['Signers', signers.map((signer) => <Id key={signer} id={signer} to="accounts" />)],
          memo === null ? null : ['Memo', <span class="mono">{memo}</span>],
        ]}
      />
      <Balances accounts={accounts} />
      <details>
        <summary>
          {instructions.length} {instructions.length === 1 ? 'instruction' : 'instructions'}
        </summary>
        <Json value={instructions} />
      </details>
      <details>
        <summary>Logs</summary>
        <pre tabIndex={0}>{logs.join('\n')}</pre>
      </details>
    </>
  );
}
