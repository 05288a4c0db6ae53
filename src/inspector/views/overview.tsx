import { Head, Panel } from '../components/panel.js';
import { Read } from '../components/states.js';
import { useSession } from '../session.js';
import { amountText } from '../text/format.js';
import { useCommand } from '../use-command.js';

/** Stops and starts the clock. */
function ClockActions() {
  const session = useSession();
  return (
    <>
      <button
        type="button"
        onClick={() => void session.act(() => session.control.do('freeze'), 'The clock stands still.')}
      >
        Freeze
      </button>
      <button
        type="button"
        onClick={() => void session.act(() => session.control.do('run'), 'The clock runs.')}
      >
        Run
      </button>
    </>
  );
}

/** The bank at a glance. */
export function Overview() {
  const balance = useCommand('trialBalance');
  return (
    <>
      <Head title="Overview">
        <ClockActions />
      </Head>
      <Panel title="Balances">
        <Read of={balance}>
          {({ accounts }) => (
            <table>
              <thead>
                <tr>
                  <th>Account</th>
                  <th class="number">Debit</th>
                  <th class="number">Credit</th>
                  <th>Token</th>
                </tr>
              </thead>
              <tbody>
                {accounts
                  .filter(({ debit, credit }) => debit !== 0 || credit !== 0)
                  .map(({ account, token, debit, credit }) => (
                    <tr key={`${account}/${token}`}>
                      <td>{account}</td>
                      <td class="number">{debit === 0 ? '' : amountText(debit, token)}</td>
                      <td class="number">{credit === 0 ? '' : amountText(credit, token)}</td>
                      <td>{token}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          )}
        </Read>
      </Panel>
    </>
  );
}
