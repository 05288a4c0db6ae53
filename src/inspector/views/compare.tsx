import { Delta } from '../components/amounts.js';
import { Button, Form, Input } from '../components/controls.js';
import { EventTable } from '../components/event-tables.js';
import { Id, When, Link } from '../components/values.js';
import { Panel, Empty, Read } from '../components/panel.js';
import { type Column, Table, TablePanel } from '../components/table.js';
import type { Answer } from '../control/client.js';
import { session } from '../session.js';
import { amountText, countText, countedText, percentText, usdText, wordsText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Differences = Answer<'compare'>;

type Names = Readonly<Record<'from' | 'to', string>>;

type BalanceRow = Differences['totals'][number] & { readonly wallet?: string };

function balanceColumns({ from: one, to: other }: Names): Column<BalanceRow>[] {
  return [
    ['Account', ({ account }) => account],
    ['Token', ({ token }) => token],
    [one, ({ from, token }) => amountText(from, token), 'number'],
    [other, ({ to, token }) => <mark>{amountText(to, token)}</mark>, 'number'],
    ['Difference', (row) => <Delta {...row} />, 'number'],
  ];
}

const ENTRIES: readonly Column<Differences['onlyFrom']['entries']['first'][number]>[] = [
  ['Entry', ({ entry }) => <span class="quiet">{entry}</span>],
  ['Kind', ({ kind }) => kind],
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['Time', ({ at }) => <When at={at} />],
];

function Only({
  title,
  of: { entries, events },
}: {
  readonly title: string;
  readonly of: Differences['onlyFrom'];
}) {
  const counts = [`${countText(entries.count)} entries`];
  if (events !== null) counts.push(countedText(events.count, 'event'));
  return (
    <Panel title={title} note={counts.join(', ')}>
      <Table label="Entries" columns={ENTRIES} rows={entries.first} empty="No entries." />
      {events === null ? null : (
        <details>
          <summary>Events</summary>
          <EventTable events={events.first} />
        </details>
      )}
    </Panel>
  );
}

function Shown({ of, names }: { readonly of: Differences; readonly names: Names }) {
  const { time, totals, balances, loans, chain, onlyFrom, onlyTo } = of;
  const columns = balanceColumns(names);
  return (
    <>
      <p class="quiet">
        {names.from}: <When at={time.from} /> · {names.to}: <When at={time.to} /> ·{' '}
        {countText(of.commonEntries)} entries in common
      </p>
      <TablePanel title="Totals of the bank" columns={columns} rows={totals} empty="No balance differs." />
      <TablePanel
        title="Balances of agents"
        note={countText(balances.count)}
        columns={[['Agent', ({ wallet }) => <Id id={wallet} to="agents" />], ...columns]}
        rows={balances.first}
        empty="No balance differs."
      />
      <TablePanel
        title="Loans"
        note={countText(loans.count)}
        columns={[
          ['Loan', ({ loanId }) => <Id id={loanId} to="loans" />],
          ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
          [names.from, ({ from }) => from ?? 'none'],
          [names.to, ({ to }) => <mark>{to ?? 'none'}</mark>],
        ]}
        rows={loans.first}
        empty="No loan differs."
      />
      <div class="columns">
        <Only title={`Only in ${names.from}`} of={onlyFrom} />
        <Only title={`Only in ${names.to}`} of={onlyTo} />
      </div>
      <TablePanel
        title="Accounts on chain"
        note={countText(chain.count)}
        columns={[
          ['Address', ({ address }) => <Id id={address} to="accounts" />],
          [`${names.from} SOL`, ({ SOL }) => amountText(SOL.from, 'SOL'), 'number'],
          [`${names.to} SOL`, ({ SOL }) => amountText(SOL.to, 'SOL'), 'number'],
          [
            'Tokens (base units)',
            ({ tokenBase: { from, to } }) => (from === to ? from : `${from} → ${to}`),
            'number',
          ],
        ]}
        rows={chain.first}
        empty="No account differs."
      />
    </>
  );
}

type Customer = Answer<'customer'>;

const LINES: readonly (readonly [name: string, text: (of: Customer) => string])[] = [
  ['Checking USDC', ({ accounts }) => amountText(accounts.checking.USDC, 'USDC')],
  ['Checking SOL', ({ accounts }) => amountText(accounts.checking.SOL, 'SOL')],
  ['Savings USDC', ({ savings }) => amountText(savings.USDC.principal, 'USDC')],
  ['Savings SOL', ({ savings }) => amountText(savings.SOL.principal, 'SOL')],
  ['Yield earned USDC', ({ savings }) => amountText(savings.USDC.earned, 'USDC')],
  ['Withdrawn today', ({ limits }) => usdText(limits.withdraw.used)],
  ['Paid by x402 today', ({ limits }) => usdText(limits.x402.used)],
  ['Borrowed on collateral', ({ collateral }) => amountText(collateral.borrowed, 'USDC')],
  ['Available on collateral', ({ collateral }) => amountText(collateral.available, 'USDC')],
  ['Score', ({ score }) => String(score.score)],
  ['Decision', ({ score }) => wordsText(score.decision)],
  ['Credit limit', ({ score }) => usdText(score.creditLimit)],
  ['APR', ({ score }) => percentText(score.apr)],
  ['Loans', ({ loans }) => String(loans.length)],
  ['Wallet on chain USDC', ({ onChain }) => amountText(onChain.wallet.USDC, 'USDC')],
  ['Wallet on chain SOL', ({ onChain }) => amountText(onChain.wallet.SOL, 'SOL')],
];

function Agents({ left, right }: { readonly left: string; readonly right: string }) {
  const [one, other] = [useCommand('customer', { id: left }), useCommand('customer', { id: right })];
  return (
    <Panel title="Two agents">
      <Read of={one}>
        {(a) => (
          <Read of={other}>
            {(b) => (
              <Table
                label="Two agents"
                columns={[
                  ['Figure', ([name]) => name],
                  ['One', ([, text]) => text(a), 'number'],
                  ['Other', ([, text]) => (text(a) === text(b) ? text(b) : <mark>{text(b)}</mark>), 'number'],
                ]}
                rows={LINES}
                empty=""
              />
            )}
          </Read>
        )}
      </Read>
      <p>
        One: <Id id={left} to="agents" /> · Other: <Id id={right} to="agents" />
      </p>
    </Panel>
  );
}

export function Comparison({ query }: { readonly query: Route['query'] }) {
  const { from = '', agent = '', other = '' } = query;
  const to = query['to'] || 'now';
  const isOfAgents = agent !== '' || other !== '';
  const isOfWorlds = !isOfAgents && from !== '';
  const worlds = useCommand('compare', isOfWorlds ? { query: { from, to } } : null);
  const show = (values: Route['query']) =>
    session.setQuery({ from: '', to: '', agent: '', other: '', ...values });
  return (
    <>
      <Panel
        title="What to compare"
        actions={
          <>
            {isOfWorlds ? (
              <Button name="Swap" onClick={() => session.setQuery({ from: to, to: from })} />
            ) : null}
            {isOfWorlds || isOfAgents ? <Link to="worlds" class="button" text="Clear" /> : null}
          </>
        }
      >
        <div class="stack">
          <p class="quiet">
            Two instants: now, a snapshot, a fork, or a request for the world before it. You can also select
            two requests in the timeline.
          </p>
          <Form key={`${from} ${to}`} class="line" label="Two instants or worlds" onSubmit={show}>
            <Input label="From" name="from" value={from} placeholder="snapshot-1, fork-1" isRequired />
            <Input label="To" name="to" value={to} isRequired />
            <Button name="Compare instants" />
          </Form>
          <Form key={`${agent} ${other}`} class="line" label="Two agents" onSubmit={show}>
            <Input label="Agent" name="agent" value={agent} placeholder="wallet" isRequired />
            <Input label="Other agent" name="other" value={other} placeholder="wallet" isRequired />
            <Button name="Compare agents" />
          </Form>
        </div>
      </Panel>
      {agent !== '' && other !== '' ? <Agents left={agent} right={other} /> : null}
      {isOfAgents && (agent === '' || other === '') ? <Empty>Choose a second agent.</Empty> : null}
      {isOfWorlds ? <Read of={worlds}>{(of) => <Shown of={of} names={{ from, to }} />}</Read> : null}
    </>
  );
}
