import { amountText } from '../text/format.js';
import { useCommand } from '../use-command.js';
import { Chart } from './chart.js';
import { Panel } from './panel.js';
import { Read } from './states.js';

const DRAWN: ReadonlySet<string> = new Set([
  'checking',
  'savings',
  'collateral_loan',
  'credit_line',
  'pending',
]);

/** Balances in USDC over time: an agent's, or those of all. */
export function BalanceChart({ wallet }: { readonly wallet?: string }) {
  const query = { token: 'USDC', ...(wallet === undefined ? {} : { wallet }) } as const;
  const reading = useCommand('balanceSeries', { query });
  return (
    <Panel title="Balances over time" note="USDC">
      <Read of={reading}>
        {({ at, series }) => (
          <Chart
            label="Balances over time"
            at={at}
            lines={series
              .filter(({ account }) => DRAWN.has(account))
              .map(({ account, values }) => ({ name: account.replace('_', ' '), values }))}
            format={(value) => amountText(value, 'USDC')}
          />
        )}
      </Read>
    </Panel>
  );
}
