import { amountText } from '../text/format.js';
import { Chart } from './chart.js';
import { ReadPanel } from './panel.js';

/** The drawn accounts. Debts grow beyond the principal on the books. */
const DRAWN: Readonly<Record<string, string>> = {
  checking: 'checking',
  savings: 'savings',
  collateral_loan: 'collateral loan, principal',
  credit_line: 'credit line, principal',
  pending: 'pending',
};

/** Balances in USDC over time, of one agent or of all. */
export function BalanceChart({ wallet }: { readonly wallet?: string }) {
  const query = { token: 'USDC', ...(wallet === undefined ? {} : { wallet }) } as const;
  return (
    <ReadPanel title="Balances over time" note="USDC" command="balanceSeries" ask={{ query }}>
      {({ at, series }) => (
        <Chart
          label="Balances over time"
          at={at}
          lines={series.flatMap(({ account, values }) => {
            const name = DRAWN[account];
            return name === undefined ? [] : [{ name, values }];
          })}
          format={(value) => amountText(value, 'USDC')}
        />
      )}
    </ReadPanel>
  );
}
