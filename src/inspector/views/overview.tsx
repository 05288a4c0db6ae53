import { useState } from 'preact/hooks';
import { EVENT_KINDS } from '../../api/control/names.js';
import { Figure, Fund } from '../components/amounts.js';
import { BalanceChart, Chart, type ChartLine } from '../components/chart.js';
import { Facts, Link } from '../components/values.js';
import { DialogButton, Input, Select, CommandButton, Dialog, Form, Button } from '../components/controls.js';
import { Head, ReadPanel, Read } from '../components/panel.js';
import { type Column, Table } from '../components/table.js';
import type { Answer, Ask } from '../control/client.js';
import { session } from '../session.js';
import {
  type Token,
  amountText,
  countText,
  percentText,
  usdText,
  countedText,
  instantText,
} from '../text/format.js';
import { useCommand, useParent } from '../use-command.js';

function outcome({ now, fired, reached }: Answer<'advance'>): string {
  const text = `It is ${instantText(now)}; ${countedText(fired.length, 'event')} occurred.`;
  return reached ? text : `${text} The awaited event did not occur.`;
}

function Advance() {
  const [isOpen, setOpen] = useState(false);
  const advance = (body: NonNullable<Ask<'advance'>['body']>) => {
    setOpen(false);
    void session.run('advance', { body }, outcome);
  };
  return (
    <>
      <Button name="Advance" class="primary" onClick={() => setOpen(true)} />
      {isOpen ? (
        <Dialog title="Advance the clock" onClose={() => setOpen(false)}>
          <Form class="line" label="By a duration" onSubmit={advance}>
            <Input label="By" name="by" value="30d" hint="90s, 1h30m, 30d, 2w, 1y" isRequired />
            <Button name="Advance by" class="primary" />
          </Form>
          <div class="actions">
            {['1h', '1d', '7d', '30d'].map((by) => (
              <Button key={by} name={by} class="chip" onClick={() => advance({ by })} />
            ))}
          </div>
          <Form class="line" label="To an instant" onSubmit={advance}>
            <Input
              label="To"
              name="to"
              value={session.clock.value?.now ?? ''}
              hint="ISO 8601 with time zone"
              isRequired
            />
            <Button name="Advance to" />
          </Form>
          <Form class="line" label="Until an event" onSubmit={advance}>
            <Select label="Until" name="until" options={EVENT_KINDS} />
            <Input label="Within" name="within" placeholder="10y" />
            <Button name="Advance until" />
          </Form>
          <div class="actions">
            <Button name="Cancel" onClick={() => setOpen(false)} />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function ClockActions() {
  const mode = session.clock.value?.mode;
  return (
    <>
      <CommandButton
        name="Freeze"
        command="freeze"
        done="The clock is frozen."
        isDisabled={mode === 'frozen'}
      />
      <CommandButton
        name="Run"
        command="run"
        done="The clock runs in real time."
        isDisabled={mode === 'real'}
      />
      <CommandButton
        name="Scale"
        title="Run the clock faster"
        submit="Set scale"
        command="scale"
        done={({ factor }) => `The clock runs ${factor} times as fast.`}
      >
        <Input label="Factor" name="factor" type="number" value="60" isRequired />
      </CommandButton>
      <Advance />
    </>
  );
}

type Rows = Answer<'trialBalance'>['accounts'];

/** The bank's liabilities to its agents. */
const OWED = ['checking', 'savings', 'yield', 'pending', 'uncollected', 'unclaimed'];

/** Accounts by their role for the bank, and the sign of their balances: debit positive. */
const FIGURES: readonly (readonly [name: string, token: Token, sign: 1 | -1, ...accounts: string[]])[] = [
  ['Treasury', 'USDC', 1, 'treasury'],
  ['Collection addresses', 'USDC', 1, 'collection'],
  ['Owed to agents', 'USDC', -1, ...OWED],
  ['Lent', 'USDC', 1, 'collateral_loan', 'credit_line'],
  ['Treasury', 'SOL', 1, 'treasury'],
  ['Collection addresses', 'SOL', 1, 'collection'],
  ['Owed to agents', 'SOL', -1, ...OWED],
  ['Interest income', 'USDC', -1, 'interest_income'],
];

function sumText(rows: Rows, [, token, sign, ...accounts]: (typeof FIGURES)[number]): string {
  const sum = rows
    .filter((row) => row.token === token && accounts.includes(row.account))
    .reduce((total, { debit, credit }) => total + debit - credit, 0);
  return amountText(sign * sum, token);
}

/** The bank's figures; in a fork, with the parent's figures where they differ. */
function Sums({ rows }: { readonly rows: Rows }) {
  const parent = useParent('trialBalance')?.accounts;
  return (
    <div class="figures">
      {FIGURES.map((figure) => {
        const [name, token] = figure;
        return (
          <Figure
            key={`${name}${token}`}
            name={name}
            value={sumText(rows, figure)}
            unit={token}
            parent={parent && sumText(parent, figure)}
          />
        );
      })}
    </div>
  );
}

const VIOLATIONS: readonly Column<Answer<'invariants'>['violations'][number]>[] = [
  ['Violated', ({ rule }) => <b class="bad">{rule}</b>],
  ['How', ({ text }) => text],
];

function Reviews() {
  const { data } = useCommand('reviews');
  if (data === null || data.reviews.length === 0) return null;
  return (
    <p class="banner">
      Waiting for a decision: {countedText(data.reviews.length, 'application')}.{' '}
      <Link to="loans" query={{ status: 'pending_review' }} text="Decide" />
    </p>
  );
}

const RATE = /^[\d.]+ ?%$/;

function SetValue() {
  const set = ({ what, value = '', ...when }: { what: string; value?: string; in?: string }) => {
    const [kind, token] = what.split(' ') as ['apy' | 'usd', Token];
    if (kind === 'apy') {
      const source = RATE.test(value) ? value : Number(value);
      if (Number.isNaN(source)) return 'A rate is a percentage such as 5%, or a fraction such as 0.05.';
      return session.run('setApy', { body: { token, source, ...when } }, 'The rate is set.');
    }
    const source = Number(value);
    if (Number.isNaN(source)) return 'A price is a number of USD such as 120.';
    return session.run('setPrice', { body: { token, source, ...when } }, 'The price is set.');
  };
  return (
    <DialogButton name="Set rate or price" onSubmit={set}>
      <Select
        label="What"
        name="what"
        options={[
          ['usd SOL', 'Price of SOL in USD'],
          ['usd USDC', 'Price of USDC in USD'],
          ['apy USDC', 'Savings rate of USDC'],
          ['apy SOL', 'Savings rate of SOL'],
        ]}
      />
      <Input label="Value" name="value" placeholder="120, or 5%" isRequired />
      <Input label="In" name="in" placeholder="now" hint="a duration such as 30d" />
    </DialogButton>
  );
}

function Rates() {
  return (
    <ReadPanel title="Rates and prices" actions={<SetValue />} command="oracle">
      {({ apy, usd, outage, stale, planned }) => (
        <Facts
          rows={[
            ['Savings', `USDC ${percentText(apy.USDC)}, SOL ${percentText(apy.SOL)}`],
            ['Prices', `USDC ${usdText(usd.USDC)}, SOL ${usdText(usd.SOL)}`],
            [
              'Oracle',
              outage ? <span class="bad">out</span> : stale ? <span class="warn">stale</span> : 'in order',
            ],
            ['Planned', `${countText(planned.length)} changes`],
          ]}
        />
      )}
    </ReadPanel>
  );
}

function RequestChart() {
  const title = 'Requests and refusals';
  const linesOf = ({ requests, refused }: Answer<'requestSeries'>): ChartLine[] => [
    { name: 'requests', values: requests, isBars: true },
    { name: 'refused', values: refused, isBars: true, isBad: true },
  ];
  return (
    <ReadPanel title={title} command="requestSeries" ask={{ query: { points: 60 } }}>
      {(of) => <Chart label={title} at={of.at} lines={linesOf(of)} format={countText} />}
    </ReadPanel>
  );
}

/** Savings rates, or the price of SOL (the price of USDC hardly moves). */
function RateChart({ title, drawn }: { readonly title: string; readonly drawn: 'apy' | 'usd' }) {
  const linesOf = ({ series }: Answer<'rateSeries'>): ChartLine[] =>
    series
      .filter(({ kind, token }) => kind === drawn && (kind === 'apy' || token === 'SOL'))
      .map(({ token, values }) => ({ name: token, values }));
  const format = drawn === 'apy' ? percentText : usdText;
  return (
    <ReadPanel title={title} command="rateSeries">
      {(of) => <Chart label={title} at={of.at} lines={linesOf(of)} format={format} />}
    </ReadPanel>
  );
}

export function Overview() {
  const balance = useCommand('trialBalance');
  return (
    <>
      <Head title="Overview">
        <ClockActions />
        <Fund name="Faucet" class="" />
      </Head>
      <Reviews />
      <Read of={balance}>{({ accounts }) => <Sums rows={accounts} />}</Read>
      <BalanceChart />
      <div class="columns">
        <Rates />
        <ReadPanel title="Books match chain" command="invariants">
          {({ violations }) => (
            <Table
              label="Violated rules"
              columns={VIOLATIONS}
              rows={violations}
              empty="All rules hold: the books balance and match the chain."
            />
          )}
        </ReadPanel>
      </div>
      <div class="columns">
        <RequestChart />
        <RateChart title="Savings rates over time" drawn="apy" />
        <RateChart title="Price of SOL over time" drawn="usd" />
      </div>
    </>
  );
}
