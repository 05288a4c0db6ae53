import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DialogButton, Input, Select } from './form.js';
import type { Session } from '../session.js';
import { useSession } from '../session.js';
import { type Token, amountText, usdText } from '../text/format.js';

export function Figure({
  name,
  value,
  unit,
  parent,
}: {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  /** The figure in the fork's parent. */
  readonly parent?: string | undefined;
}) {
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

export function TokenFigures({
  name,
  of,
  parent,
}: {
  readonly name: string;
  readonly of: Readonly<Record<Token, number>>;
  readonly parent?: Readonly<Record<Token, number>> | undefined;
}) {
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

/** A share from 0 to 1, as a bar below its name and value. */
export function Meter({
  name,
  share,
  high = 1,
  children,
}: {
  readonly name: string;
  readonly share: number;
  /** The share from which it is shown as a warning. */
  readonly high?: number;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <div class="meter-head">
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
      <div class="meter-head quiet">
        <span>{usdText(Math.max(0, limit - used))} left</span>
        <span>{note}</span>
      </div>
    </div>
  );
}

type Way = 'checking' | 'chain' | 'set';

/** Runs the command of a funding method; returns a message about its result. */
async function fund(session: Session, way: Way, money: { wallet: string; amount: number; token: Token }) {
  const { control } = session;
  const { wallet, amount, token } = money;
  const text = `${amountText(amount, token)} ${token}`;
  const body = { address: wallet, amount, token };
  const [run, done] = {
    checking: [() => control.do('deposit', { body: money }), `${text} deposited.`],
    chain: [() => control.do('faucet', { body }), `The faucet sent ${text}.`],
    set: [() => control.do('setBalance', { body }), `The wallet has ${text} on chain.`],
  }[way] as [() => Promise<unknown>, string];
  return session.act(run, done);
}

const HINTS: Readonly<Record<Way, string>> = {
  checking:
    'Faucet, transfer to the treasury and deposit in one step, for wallets whose keys the simulator has.',
  chain: 'An ordinary transaction from the faucet.',
  set: 'Writes the account directly, bypassing transaction rules.',
};

export function Fund({
  wallet,
  name = 'Fund',
  class: kind = 'primary',
  first = 'checking',
}: {
  readonly wallet?: string;
  readonly name?: string;
  readonly class?: string;
  readonly first?: Way;
}) {
  const session = useSession();
  const [way, setWay] = useState<Way>(first);
  return (
    <DialogButton
      name={name}
      class={kind}
      onSubmit={(values) => {
        const token = values['token'] as Token;
        void fund(session, way, {
          wallet: wallet ?? values['wallet'] ?? '',
          amount: Number(values['amount']),
          token,
        });
      }}
    >
      {wallet === undefined ? <Input label="Wallet" name="wallet" isRequired /> : null}
      <div class="field">
        <span class="label">Where to</span>
        <div class="actions" role="radiogroup" aria-label="Where to">
          {(
            [
              ['checking', 'Checking at the bank'],
              ['chain', 'Wallet on chain'],
              ['set', 'Set balance on chain'],
            ] as const
          ).map(([value, text]) => (
            <label key={value} class="check">
              <input type="radio" name="way" checked={way === value} onChange={() => setWay(value)} /> {text}
            </label>
          ))}
        </div>
        <span class="hint">{HINTS[way]}</span>
      </div>
      <Input label="Amount" name="amount" type="number" value="100" isRequired />
      <Select label="Token" name="token" options={['USDC', 'SOL']} />
    </DialogButton>
  );
}
