import { Amount, Id } from './ids.js';
import type { Token } from '../text/format.js';

export interface PostingRow {
  readonly account: string;
  readonly owner?: string;
  readonly token: Token;
  /** Debit positive. */
  readonly amount: number;
}

/** The lines of an entry: debits and credits in columns of their own. */
export function Postings({ rows }: { readonly rows: readonly PostingRow[] }) {
  if (rows.length === 0) return <p class="quiet">No money moved.</p>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Postings">
      <table class="postings">
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Owner</th>
            <th scope="col" class="number">
              Debit
            </th>
            <th scope="col" class="number">
              Credit
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ account, owner, token, amount }, at) => (
            <tr key={at}>
              <td>{account}</td>
              <td>{owner === undefined ? <span class="quiet">bank</span> : <Id id={owner} to="agents" />}</td>
              <td class="number">{amount > 0 ? <Amount value={amount} token={token} /> : null}</td>
              <td class="number">{amount < 0 ? <Amount value={-amount} token={token} /> : null}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
