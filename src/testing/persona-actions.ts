import fc from 'fast-check';
import { DECIMALS, type Token } from '../core/domain/money.js';
import type { Draw } from './fuzz/draw.js';

/** What limits the amount of a call: a balance, or what the bank asks or offers. */
export type AmountOf =
  | 'wallet'
  | 'checking'
  | 'savings'
  | 'borrowable'
  | 'debt'
  | 'request'
  | 'application'
  | 'credit line';

/** A transaction to the bank that an agent has sent. */
export interface SentTransaction {
  /** Its signature, or a reference to it. */
  readonly signature: string;
  readonly amount: number;
  readonly token: Token;
}

/** The agent that acts next. Amounts are in token units. Agents, loans and signatures are texts that its caller understands. */
export interface Actor {
  readonly draw: Draw;
  readonly token: Token;
  /** Itself, as a recipient. */
  readonly self: string;
  readonly treasury: string;
  /** What it does with a transaction that it claims again. */
  readonly reclaims: readonly ('deposit' | 'x402.receive')[];
  checking(token: Token): number;
  /** Draws an amount; null if there is nothing. */
  amount(of: AmountOf, token: Token): number | null;
  /** Draws the term of a credit line, in days. */
  days(): number;
  /** Another agent; itself if there is no other. */
  recipient(): string;
  /** A transaction of its own or of another agent; null if there is none, as below. */
  sent(isOwn: boolean): SentTransaction | null;
  /** The signature of a payment to it. */
  payment(): string | null;
  /** Its credit line to repay. */
  loan(): string | null;
  /** A credit line that a reviewer can decide on. */
  application(): string | null;
  /** A time to wait, such as `1d`. */
  span(): string | null;
}

/** The arguments of a call, named as in scenarios. */
export interface CallArguments {
  readonly amount?: number | string | boolean | null;
  readonly token?: Token;
  readonly recipient?: string;
  readonly to?: string;
  readonly tx_signature?: string;
  readonly id?: string;
  readonly loan?: string;
  readonly purpose?: string;
  readonly duration?: number;
  readonly by?: string;
}

/** A step of a scenario: `do` is a verb of an agent, such as `withdraw`, or a command to the world, such as `time.advance`. */
export interface PersonaCall {
  readonly do: string;
  readonly with: CallArguments;
}

type Action = (actor: Actor) => PersonaCall | null;

/** A call about an amount of a token. `more` draws further arguments after the amount. */
function about(verb: string, of: AmountOf, more: (actor: Actor) => CallArguments = () => ({})): Action {
  return (actor) => {
    const { token } = actor;
    const amount = actor.amount(of, token);
    return amount === null ? null : { do: verb, with: { ...more(actor), amount, token } };
  };
}

/** A call about an amount of USDC. */
function aboutUsdc(verb: string, of: AmountOf): Action {
  return (actor) => {
    const amount = actor.amount(of, 'USDC');
    return amount === null ? null : { do: verb, with: { amount } };
  };
}

function look(verb: string): Action {
  return () => ({ do: verb, with: {} });
}

function claimed(
  { signature, amount, token }: SentTransaction,
  verb: Actor['reclaims'][number],
): PersonaCall {
  const what = verb === 'deposit' ? { amount, token } : {};
  return { do: verb, with: { ...what, tx_signature: signature } };
}

/** A token that the bank does not have. */
const UNKNOWN_TOKEN = 'EUR' as Token;

const BAD_AMOUNTS = [-1, 0, 'ten', null, 1e13, 0.000_000_000_1, true];

/** The actions of personas, by name. */
const ACTIONS: Readonly<Record<string, Action>> = {
  deposit: about('deposit', 'wallet'),
  withdraw: about('withdraw', 'checking'),
  'savings.deposit': about('savings.deposit', 'checking'),
  'savings.withdraw': about('savings.withdraw', 'savings'),
  'collateral.borrow': aboutUsdc('collateral.borrow', 'borrowable'),
  'collateral.repay': aboutUsdc('collateral.repay', 'debt'),
  'x402.pay': about('x402.pay', 'checking', (actor) => ({ recipient: actor.recipient() })),
  'x402.request': about('x402.request', 'request'),
  'x402.receive': (actor) => {
    const signature = actor.payment();
    return signature === null ? null : { do: 'x402.receive', with: { tx_signature: signature } };
  },
  'loans.apply': (actor) => {
    const amount = actor.amount('application', 'USDC');
    return { do: 'loans.apply', with: { amount, purpose: 'task', duration: actor.days() } };
  },
  // In studies, the reviewer of the world decides.
  'review.approve': (actor) => {
    const loan = actor.application();
    if (loan === null) return null;
    const verbs = ['review.approve', 'review.approve', 'review.deny'] as const;
    return { do: actor.draw(fc.constantFrom(...verbs)), with: { loan } };
  },
  'loans.repay': (actor) => {
    const id = actor.loan();
    const amount = id === null ? null : actor.amount('credit line', 'USDC');
    return id === null || amount === null ? null : { do: 'loans.repay', with: { id, amount } };
  },
  account: look('account'),
  transactions: look('transactions'),
  profile: look('profile'),
  loans: look('loans'),
  wait: (actor) => {
    const by = actor.span();
    return by === null ? null : { do: 'time.advance', with: { by } };
  },
  steal: (actor) => {
    const sent = actor.sent(false);
    return sent === null ? null : claimed(sent, 'deposit');
  },
  /** Claims a transaction again, possibly for another purpose. */
  replay: (actor) => {
    const sent = actor.sent(true);
    return sent === null ? null : claimed(sent, actor.draw(fc.constantFrom(...actor.reclaims)));
  },
  overdraw: (actor) => {
    const { token } = actor;
    const scale = 10 ** DECIMALS[token];
    return { do: 'withdraw', with: { amount: Math.round(actor.checking(token) * scale + 1) / scale, token } };
  },
  nonsense: ({ draw, token, self }) => ({
    do: draw(fc.constantFrom('withdraw', 'savings.deposit', 'collateral.borrow', 'x402.pay')),
    with: {
      amount: draw(fc.constantFrom(...BAD_AMOUNTS)),
      token: draw(fc.constantFrom(token, UNKNOWN_TOKEN)),
      recipient: self,
    },
  }),
  /** Sends to the treasury without recording it; only the sender should be able to record it later. */
  prepay: about('send', 'wallet', ({ treasury }) => ({ to: treasury })),
  send: about('send', 'wallet', (actor) => ({ to: actor.recipient() })),
};

export const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

/** Draws the call of an action; null if it is impossible now. Throws RangeError for an unknown action. */
export function drawCall(name: string, actor: Actor): PersonaCall | null {
  const action = ACTIONS[name];
  if (action === undefined) throw new RangeError(`there is no action ${name}`);
  return action(actor);
}
