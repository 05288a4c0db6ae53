import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DialogButton, Input, Select } from './controls.js';
import { session } from '../session.js';
import { type Token, amountText, usdText } from '../text/format.js';

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly parent?: string | undefined;
}

export function Figure({ name, value, unit, parent }: FigureProps) {
  const isOther = parent !== undefined && parent !== value;
  return (
    <div class="figure">
      <span class="hint">{name}</span>
      <span class="figure-value">
        {isOther ? <mark>{value}</mark> : value}
        {unit === undefined ? null : <span class="unit"> {unit}</span>}
      </span>
      {isOther ? <span class="hint">parent {parent}</span> : null}
    </div>
  );
}

interface DeltaProps {
  readonly from: number;
  readonly to: number;
  readonly token: Token;
}

/** What an amount has become more or less. */
export function Delta({ from, to, token }: DeltaProps) {
  return (
    <span class={to > from ? 'good' : to < from ? 'bad' : 'quiet'}>
      {to > from ? '+' : ''}
      {amountText(to - from, token)}
    </span>
  );
}

type Amounts = Readonly<Record<Token, number>>;

interface TokenFiguresProps {
  readonly name: string;
  readonly of: Amounts;
  readonly parent?: Amounts | undefined;
}

export function TokenFigures({ name, of, parent }: TokenFiguresProps) {
  return (
    <>
      {(['USDC', 'SOL'] as const).map((token) => (
        <Figure
          key={token}
          name={name}
          value={amountText(of[token], token)}
          unit={token}
          parent={parent && amountText(parent[token], token)}
        />
      ))}
    </>
  );
}

interface MeterProps {
  readonly name: string;
  readonly share: number;
  /** The share from which it is shown as a warning. */
  readonly high?: number;
  readonly children: ComponentChildren;
}

/** A share from 0 to 1, as a bar below its name and value. */
export function Meter({ name, share, high = 1, children }: MeterProps) {
  return (
    <div>
      <div class="line apart">
        <span>{name}</span>
        <span class="mono">{children}</span>
      </div>
      <meter min={0} max={1} high={high} value={share} aria-label={name} />
    </div>
  );
}

interface UsageProps {
  readonly name: string;
  /** In USD, as the limit is. */
  readonly used: number;
  readonly limit: number;
  readonly note?: string | undefined;
}

export function Usage({ name, used, limit, note }: UsageProps) {
  return (
    <div>
      <Meter name={name} share={limit === 0 ? 0 : Math.min(1, used / limit)} high={0.8}>
        {usdText(used)} <span class="quiet">of {usdText(limit)}</span>
      </Meter>
      <div class="line apart quiet">
        <span>{usdText(Math.max(0, limit - used))} left</span>
        <span>{note}</span>
      </div>
    </div>
  );
}

const WAYS = [
  [
    'deposit',
    'Checking at the bank',
    'Faucet, transfer to the treasury and deposit in one step, for wallets whose keys the simulator has.',
  ],
  ['faucet', 'Wallet on chain', 'An ordinary transaction from the faucet.'],
  ['setBalance', 'Set balance on chain', 'Writes the account directly, bypassing transaction rules.'],
] as const;
type Way = (typeof WAYS)[number][0];

interface Funding {
  readonly way: Way;
  readonly wallet: string;
  readonly amount: number;
  readonly token: Token;
}

/** Runs the command of a way; resolves when its outcome is shown. */
function fund({ way, wallet, amount, token }: Funding) {
  const text = `${amountText(amount, token)} ${token}`;
  if (way === 'deposit') return session.run(way, { body: { wallet, amount, token } }, `${text} deposited.`);
  const ask = { body: { address: wallet, amount, token } };
  if (way === 'faucet') return session.run(way, ask, `The faucet sent ${text}.`);
  return session.run(way, ask, `The wallet has ${text} on chain.`);
}

interface FundProps {
  readonly wallet?: string;
  readonly name?: string;
  readonly class?: string;
  readonly first?: Way;
}

export function Fund({ wallet, name = 'Fund', class: kind = 'primary', first = 'deposit' }: FundProps) {
  const [way, setWay] = useState<string>(first);
  const hint = WAYS.find(([value]) => value === way)?.[2] ?? '';
  return (
    <DialogButton
      name={name}
      class={kind}
      onSubmit={(values: Funding) => fund({ ...(wallet === undefined ? {} : { wallet }), ...values })}
    >
      {wallet === undefined ? <Input label="Wallet" name="wallet" isRequired /> : null}
      <Select label="Where to" name="way" options={WAYS} value={way} hint={hint} onChange={setWay} />
      <Input label="Amount" name="amount" type="number" value="100" isRequired />
      <Select label="Token" name="token" options={['USDC', 'SOL']} />
    </DialogButton>
  );
}
