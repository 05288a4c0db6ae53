import type { Balances, Holdings } from '../results.js';

/** Random choices that determine one action; all from 0, smaller is simpler. */
export interface Choice {
  /** Index of the agent. */
  readonly who: number;
  /** Index among the agent's actions. */
  readonly what: number;
  /** Selects amount, counterparty and duration. */
  readonly how: number;
  /** Selects the token. */
  readonly token: number;
}

/** A result that later actions may refer to. */
export interface Evidence {
  /** Reference to the signature or id. */
  readonly reference: string;
  readonly agent: string;
  readonly kind: 'deposit' | 'payment' | 'loan' | 'pending';
  readonly to: string | null;
  readonly amount: number;
  readonly token: 'USDC' | 'SOL';
}

/** Input for choosing an action: agents, holdings and evidence so far. */
export interface Situation {
  readonly agents: readonly string[];
  readonly balances: Balances;
  readonly evidence: readonly Evidence[];
}

/** A step in file notation: action and arguments. */
export interface Action {
  readonly title: string;
  readonly args: unknown;
  /** Evidence it produces on success: `member` is the answer's member that holds the signature or id. */
  readonly leaves?: Omit<Evidence, 'reference'> & { readonly member: string };
}

type Unit = 'usdc' | 'sol';
const DECIMALS: Readonly<Record<Unit, number>> = { usdc: 6, sol: 9 };
const DURATIONS = ['1s', '1h', '1d', '12h', '7d', '31d', '61d', '1y'];
const CAP_USD = 1_000;
/** The simulator's default SOL price; it only has to be roughly right to approach the limit. */
const SOL_USD = 150;
const BAD_AMOUNTS = [-1, 0, 'ten', null, 1e13, 0.000_000_000_1, true];

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}

/** Rounds to whole base units; never below zero. */
function whole(amount: number, unit: Unit): number {
  const scale = 10 ** DECIMALS[unit];
  return Math.max(0, Math.round(amount * scale)) / scale;
}

/** Amounts around a limit, simple ones first. */
function amountNear(limit: number, unit: Unit, how: number): number {
  const step = 10 ** -DECIMALS[unit];
  const cap = unit === 'usdc' ? CAP_USD : CAP_USD / SOL_USD;
  const amounts = [1, 10, cap + 1, limit, limit + step, limit - step, limit / 2, step, cap, cap + step];
  const amount = whole(pick(amounts, how), unit);
  return amount > 0 ? amount : step;
}

interface Actor {
  readonly name: string;
  readonly has: Holdings;
  readonly choice: Choice;
  readonly situation: Situation;
  readonly unit: Unit;
  readonly token: 'USDC' | 'SOL';
  /** Another agent, or itself if there is none. */
  readonly other: string;
}

type MakeAction = (mover: Actor) => Action | null;

const inChecking = ({ has, unit }: Actor): number => has.checking?.[unit] ?? 0;
const inSavings = ({ has, unit }: Actor): number => has.savings?.[unit] ?? 0;

/** A call with an amount near its limit. */
function amountAction(verb: string, limit: (mover: Actor) => number, only?: Unit): MakeAction {
  return (given) => {
    const mover = only === undefined ? given : { ...given, unit: only, token: 'USDC' as const };
    const amount = amountNear(limit(mover), mover.unit, mover.choice.how);
    const args = only === undefined ? { amount, token: mover.token } : { amount };
    return { title: `${mover.name}.${verb}`, args };
  };
}

/** Finds matching evidence. */
function found({ situation, choice }: Actor, fits: (evidence: Evidence) => boolean): Evidence | null {
  const list = situation.evidence.filter(fits);
  return list.length === 0 ? null : pick(list.toReversed(), choice.how);
}

const ACTIONS: Readonly<Record<string, MakeAction>> = {
  deposit: (mover) => {
    const { name, token, unit, has, choice } = mover;
    // Keep some SOL for fees.
    const limit = unit === 'sol' ? has.wallet.sol - 0.01 : has.wallet.usdc;
    const amount = whole(Math.min(amountNear(limit, unit, choice.how), limit), unit);
    if (amount <= 0) return null;
    const leaves = {
      agent: name,
      kind: 'deposit',
      to: null,
      amount,
      token,
      member: 'deposit.tx_signature',
    } as const;
    return { title: `${name}.deposit`, args: { amount, token }, leaves };
  },
  withdraw: amountAction('withdraw', inChecking),
  'savings.deposit': amountAction('savings.deposit', inChecking),
  'savings.withdraw': amountAction('savings.withdraw', inSavings),
  'collateral.borrow': amountAction(
    'collateral.borrow',
    ({ has }) => (has.savings?.usdc ?? 0) * 0.7 - (has.debtUsdc ?? 0),
    'usdc',
  ),
  'collateral.repay': amountAction('collateral.repay', ({ has }) => has.debtUsdc ?? 0, 'usdc'),
  'x402.pay': (mover) => {
    const { name, other, token, unit, choice } = mover;
    const amount = amountNear(inChecking(mover), unit, choice.how);
    const leaves = {
      agent: name,
      kind: 'payment',
      to: other,
      amount,
      token,
      member: 'tx_signature',
    } as const;
    return { title: `${name}.x402.pay`, args: { recipient: `\${${other}}`, amount, token }, leaves };
  },
  'x402.request': ({ name, choice }) => ({
    title: `${name}.x402.request`,
    args: { amount: pick([1, 0.000_001, 1_000], choice.how) },
  }),
  'x402.receive': (mover) => {
    const paid = found(mover, ({ kind, to }) => kind === 'payment' && to === mover.name);
    return paid === null
      ? null
      : { title: `${mover.name}.x402.receive`, args: { tx_signature: paid.reference } };
  },
  'loans.apply': ({ name, choice }) => ({
    title: `${name}.loans.apply`,
    args: {
      amount: pick([100, 10_000, 99.999_999, 10_000.000_001, 500], choice.how),
      purpose: 'task',
      duration: pick([30, 1, 90], choice.token),
    },
    leaves: { agent: name, kind: 'pending', to: null, amount: 0, token: 'USDC', member: 'application.id' },
  }),
  'review.approve': (mover) => {
    const loan = found(mover, ({ kind }) => kind === 'pending');
    return loan === null
      ? null
      : {
          title: pick(['review.approve', 'review.approve', 'review.deny'], mover.choice.token),
          args: loan.reference,
        };
  },
  'loans.repay': (mover) => {
    const loan = found(mover, ({ kind, agent }) => kind === 'pending' && agent === mover.name);
    const amount = amountNear(mover.has.debtUsdc ?? 0, 'usdc', mover.choice.how);
    return loan === null
      ? null
      : { title: `${mover.name}.loans.repay`, args: { id: loan.reference, amount } };
  },
  account: ({ name }) => ({ title: `${name}.account`, args: {} }),
  transactions: ({ name }) => ({ title: `${name}.transactions`, args: {} }),
  profile: ({ name }) => ({ title: `${name}.profile`, args: {} }),
  loans: ({ name }) => ({ title: `${name}.loans`, args: {} }),
  wait: ({ choice }) => ({ title: 'time.advance', args: pick(DURATIONS, choice.how) }),
  /** Records a deposit made by another agent. */
  steal: (mover) => {
    const other = found(mover, ({ agent, kind }) => agent !== mover.name && kind !== 'pending');
    if (other === null) return null;
    const { reference, amount, token } = other;
    return { title: `${mover.name}.deposit`, args: { amount, token, tx_signature: reference } };
  },
  /** Records a transaction again, possibly for another purpose. */
  replay: (mover) => {
    const own = found(mover, ({ agent, kind }) => agent === mover.name && kind !== 'pending');
    if (own === null) return null;
    const { reference, amount, token } = own;
    return mover.choice.token % 2 === 0
      ? { title: `${mover.name}.deposit`, args: { amount, token, tx_signature: reference } }
      : { title: `${mover.name}.x402.receive`, args: { tx_signature: reference } };
  },
  overdraw: (mover) => ({
    title: `${mover.name}.withdraw`,
    args: { amount: whole(inChecking(mover) + 10 ** -DECIMALS[mover.unit], mover.unit), token: mover.token },
  }),
  nonsense: ({ name, choice, token }) => ({
    title: `${name}.${pick(['withdraw', 'savings.deposit', 'collateral.borrow', 'x402.pay'], choice.token)}`,
    args: { amount: pick(BAD_AMOUNTS, choice.how), token, recipient: `\${${name}}` },
  }),
  /** Sends to the treasury without recording it; only the sender should be able to record it later. */
  prepay: (mover) => {
    const { name, unit, token, has, choice } = mover;
    const limit = unit === 'sol' ? has.wallet.sol - 0.01 : has.wallet.usdc;
    const amount = whole(Math.min(amountNear(limit, unit, choice.how), limit), unit);
    const leaves = { agent: name, kind: 'deposit', to: null, amount, token, member: 'signature' } as const;
    return amount <= 0 ? null : { title: `${name}.send`, args: { to: '${treasury}', amount, token }, leaves };
  },
  send: (mover) => {
    const { name, other, unit, token, has, choice } = mover;
    const limit = unit === 'sol' ? has.wallet.sol - 0.01 : has.wallet.usdc;
    const amount = whole(Math.min(amountNear(limit, unit, choice.how), limit), unit);
    const leaves = { agent: name, kind: 'payment', to: other, amount, token, member: 'signature' } as const;
    return amount <= 0
      ? null
      : { title: `${name}.send`, args: { to: `\${${other}}`, amount, token }, leaves };
  },
};

/** Names of all actions. */
export const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

/** The action for a choice in a situation; null if none is possible. */
export function actionOf(
  choice: Choice,
  weights: readonly (readonly string[])[],
  situation: Situation,
): Action | null {
  const { agents, balances } = situation;
  const at = choice.who % agents.length;
  const name = agents[at] as string;
  const has = balances[name];
  const does = weights[at] ?? [];
  if (has === undefined) return null;
  const isSol = choice.token % 4 === 3;
  const other = agents[(at + 1 + (choice.how % Math.max(1, agents.length - 1))) % agents.length] as string;
  const mover: Actor = {
    name,
    has,
    choice,
    situation,
    unit: isSol ? 'sol' : 'usdc',
    token: isSol ? 'SOL' : 'USDC',
    other,
  };
  // If an action is impossible now, try the agent's next one.
  for (let more = 0; more < does.length; more += 1) {
    const action = ACTIONS[pick(does, choice.what + more)]?.(mover) ?? null;
    if (action !== null) return action;
  }
  return null;
}
