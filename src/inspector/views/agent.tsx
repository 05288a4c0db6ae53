import { Figure, Fund, Meter, TokenFigures, Usage } from '../components/amounts.js';
import { BalanceChart } from '../components/chart.js';
import { Facts, Amount, CopyButton, Id, Status, When, Link } from '../components/values.js';
import { CommandButton, Check } from '../components/controls.js';
import { LoanTable, creditHistory } from './loans.js';
import { Head, Panel, Read } from '../components/panel.js';
import { type Column, TablePanel } from '../components/table.js';
import type { Answer } from '../control/client.js';
import {
  amountText,
  countText,
  instantText,
  percentText,
  shortId,
  usdText,
  wordsText,
} from '../text/format.js';
import { useCommand, useParent } from '../use-command.js';
import { LastCall } from './agents.js';

type Customer = Answer<'customer'>;
type HistoryRow = Customer['history'][number];

function Limits({ of: { limits, collateral } }: { readonly of: Customer }) {
  const note = ({ frees: [next] }: Customer['limits']['x402']) =>
    next && `${usdText(next.usd)} free at ${instantText(next.at).slice(0, 16)}`;
  const { borrowed, limit, ltv } = collateral;
  return (
    <Panel title="Limits">
      <div class="columns">
        <Usage name="Daily withdrawals" {...limits.withdraw} note={note(limits.withdraw)} />
        <Usage name="Daily x402 payments" {...limits.x402} note={note(limits.x402)} />
        <Usage
          name="Borrowed on collateral"
          used={borrowed}
          limit={limit}
          note={`up to ${percentText(ltv)} of savings`}
        />
      </div>
    </Panel>
  );
}

const SUBSCORES = {
  onChain: 'On chain',
  identity: 'Identity',
  banking: 'Banking',
  repayment: 'Repayment',
} as const;

function Score({ of }: { readonly of: Customer['score'] }) {
  const { score, decision, creditLimit, apr, riskCategory, pdBand, subscores, evidence } = of;
  return (
    <Panel title="Score" note={wordsText(decision)}>
      <div class="stack">
        <div class="figures" style={{ '--columns': 3 }}>
          <Figure name="Score" value={String(score)} />
          <Figure name="Credit limit" value={usdText(creditLimit)} />
          <Figure name="APR of a new loan" value={percentText(apr)} />
        </div>
        {(Object.keys(SUBSCORES) as (keyof typeof SUBSCORES)[]).map((name) => (
          <Meter key={name} name={SUBSCORES[name]} share={subscores[name] / 1_000}>
            {subscores[name]}
          </Meter>
        ))}
        <Facts
          rows={[
            ['Risk', `${riskCategory}, default ${pdBand}`],
            [
              'On chain',
              `${amountText(evidence.sol, 'SOL')} SOL, ${countText(evidence.transactions)} transactions, ${evidence.accountAgeDays} days old`,
            ],
            [
              'Linked',
              [evidence.x ? ['X'] : [], evidence.github ? ['GitHub'] : []].flat().join(', ') || 'nothing',
            ],
            ...creditHistory(evidence),
          ]}
        />
      </div>
    </Panel>
  );
}

const HISTORY: readonly Column<HistoryRow>[] = [
  ['Time', ({ created_at: at }) => <When at={at} />],
  ['Type', ({ type }) => wordsText(type)],
  ['Status', ({ status }) => <Status of={status} />],
  ['Amount', ({ amount, token }) => <Amount value={amount} token={token} />, 'number'],
  ['Balance after', ({ balance_after: after, token }) => <Amount value={after} token={token} />, 'number'],
  ['Transaction', ({ tx_signature: signature }) => <Id id={signature} to="transactions" />],
];

function LinkIdentity({ of: { wallet, identity } }: { readonly of: Customer }) {
  return (
    <CommandButton
      name="Link identity"
      command="linkIdentity"
      ask={{ body: { wallet } }}
      done="The linked accounts are set."
    >
      <p class="quiet">
        The operator's accounts that are linked to this wallet. They count towards its score.
      </p>
      <Check label="X" name="x" value={identity.x} />
      <Check label="GitHub" name="github" value={identity.github} />
    </CommandButton>
  );
}

/** The figures of a customer; in a fork, with the parent's figures where they differ. */
function Figures({ of, parent }: { readonly of: Customer; readonly parent: Customer | undefined }) {
  const saved = (customer: Customer) => ({
    USDC: customer.savings.USDC.principal,
    SOL: customer.savings.SOL.principal,
  });
  const earned = ({ savings: { USDC, SOL } }: Customer) => ({ USDC: USDC.earned, SOL: SOL.earned });
  return (
    <div class="figures">
      <TokenFigures name="Checking" of={of.accounts.checking} parent={parent?.accounts.checking} />
      <TokenFigures name="Savings" of={saved(of)} parent={parent && saved(parent)} />
      <TokenFigures name="Yield earned" of={earned(of)} parent={parent && earned(parent)} />
      <TokenFigures name="Wallet on chain" of={of.onChain.wallet} parent={parent?.onChain.wallet} />
    </div>
  );
}

function Whole({ of }: { readonly of: Customer }) {
  const parent = useParent('customer', { id: of.wallet });
  const { wallet, collectionAddress, openedAt, accounts, savings, loans, history, onChain, lastCall } = of;
  return (
    <>
      <Figures of={of} parent={parent ?? undefined} />
      <BalanceChart wallet={wallet} />
      <Limits of={of} />
      <div class="columns">
        <Score of={of.score} />
        <Panel title="Account">
          <Facts
            rows={[
              ['Opened', <When at={openedAt} />],
              ['Collection', <Id id={collectionAddress} to="accounts" canCopy />],
              ['On collection', <Amount value={onChain.collection.USDC} token="USDC" />],
              ['Reserved', <Amount value={accounts.pending.USDC} token="USDC" />],
              ['Savings rates', `USDC ${percentText(savings.USDC.apy)}, SOL ${percentText(savings.SOL.apy)}`],
              ['Last call', <LastCall of={lastCall} />],
            ]}
          />
        </Panel>
      </div>
      <Panel title="Loans">
        <LoanTable rows={loans} />
      </Panel>
      <TablePanel
        title="History"
        note="the newest 20"
        actions={<Link to="journal" query={{ wallet }} text="All entries" />}
        columns={HISTORY}
        rows={history}
        empty="Nothing yet."
      />
    </>
  );
}

export function AgentPage({ id }: { readonly id: string }) {
  const reading = useCommand('customer', { id });
  return (
    <>
      <Head
        title="Agent"
        id={
          <>
            {shortId(id, 6)} <CopyButton text={id} label="Copy the wallet's address" />
          </>
        }
      >
        <Link to="timeline" query={{ wallet: id }} class="button" text="Timeline" />
        <Link to="compare" query={{ agent: id }} class="button" text="Compare" />
        {reading.data === null ? null : <LinkIdentity of={reading.data} />}
        <Fund wallet={id} />
      </Head>
      <Read of={reading}>{(of) => <Whole of={of} />}</Read>
    </>
  );
}
