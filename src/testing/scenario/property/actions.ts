import fc from 'fast-check';
import { type Draw, chance, weighted } from '../../fuzz/draw.js';
import type { Args, Step } from '../../fuzz/step.js';
import type { ActionName } from '../../personas.js';
import type { AgentFile } from '../file/schema.js';
import type { Balances, Holdings } from '../results.js';

/** An agent of a property: initial holdings and actions by weight. */
export interface PropertyAgent {
  readonly name: string;
  readonly begins: AgentFile;
  readonly actions: readonly { readonly name: string; readonly weight: number }[];
}

/** A result that later actions can refer to. */
export interface Evidence {
  readonly kind: 'transaction' | 'loan';
  readonly reference: string;
  readonly agent: string;
  /** Arguments of the step that it results from. */
  readonly args: Args;
}

type Unit = 'usdc' | 'sol';
const DECIMALS: Readonly<Record<Unit, number>> = { usdc: 6, sol: 9 };
const DURATIONS = ['1s', '1h', '1d', '12h', '7d', '31d', '61d', '1y'];
const CAP_USD = 1_000;
/** The simulator's default SOL price in USD; a rough value suffices to approach the limit. */
const SOL_USD = 150;
const BAD_AMOUNTS = [-1, 0, 'ten', null, 1e13, 0.000_000_000_1, true];
/** SOL that stays in the wallet for fees. */
const FOR_FEES_SOL = 0.01;

/** The agent that acts next. */
interface Actor {
  readonly name: string;
  readonly has: Holdings;
  readonly evidence: readonly Evidence[];
  readonly draw: Draw;
  readonly unit: Unit;
  readonly token: 'USDC' | 'SOL';
  /** Another agent; the agent itself if there is no other. */
  readonly other: string;
}

/** A step as written in files, without its number. */
type Drawn = Pick<Step, 'do' | 'with'>;
type Action = (actor: Actor) => Drawn | null;

/** Rounds to whole base units, at least zero. */
function whole(amount: number, unit: Unit): number {
  const scale = 10 ** DECIMALS[unit];
  return Math.max(0, Math.round(amount * scale)) / scale;
}

/** A simple amount, or one around a limit. */
function amountNear(limit: number, { draw, unit }: Pick<Actor, 'draw' | 'unit'>): number {
  const step = 10 ** -DECIMALS[unit];
  const cap = unit === 'usdc' ? CAP_USD : CAP_USD / SOL_USD;
  const amounts = [1, 10, cap + 1, limit, limit + step, limit - step, limit / 2, step, cap, cap + step];
  const amount = whole(draw(fc.constantFrom(...amounts)), unit);
  return amount > 0 ? amount : step;
}

const inChecking = ({ has, unit }: Actor): number => has.checking?.[unit] ?? 0;
const inSavings = ({ has, unit }: Actor): number => has.savings?.[unit] ?? 0;

/** A call about an amount near its limit. */
function amountAction(verb: string, limit: (actor: Actor) => number): Action {
  return (actor) => {
    const { name, token } = actor;
    return { do: `${name}.${verb}`, with: { amount: amountNear(limit(actor), actor), token } };
  };
}

/** A call about an amount of USDC near its limit. */
function usdcAction(verb: string, limit: (has: Holdings) => number): Action {
  return ({ name, has, draw }) => {
    const amount = amountNear(limit(has), { draw, unit: 'usdc' });
    return { do: `${name}.${verb}`, with: { amount } };
  };
}

/** A transfer of an amount that the wallet holds. */
function fromWallet(verb: string, to: (actor: Actor) => Args): Action {
  return (actor) => {
    const { name, has, unit, token } = actor;
    const limit = unit === 'sol' ? has.wallet.sol - FOR_FEES_SOL : has.wallet.usdc;
    const amount = whole(Math.min(amountNear(limit, actor), limit), unit);
    return amount <= 0 ? null : { do: `${name}.${verb}`, with: { ...to(actor), amount, token } };
  };
}

/** A call without arguments. */
function look(verb: string): Action {
  return ({ name }) => ({ do: `${name}.${verb}`, with: {} });
}

/** An action that refers to suitable earlier evidence. */
function about(
  fits: (evidence: Evidence, actor: Actor) => boolean,
  act: (evidence: Evidence, actor: Actor) => Drawn,
): Action {
  return (actor) => {
    const list = actor.evidence.filter((each) => fits(each, actor));
    return list.length === 0 ? null : act(actor.draw(fc.constantFrom(...list)), actor);
  };
}

const isTransaction = ({ kind }: Evidence) => kind === 'transaction';
const isLoan = ({ kind }: Evidence) => kind === 'loan';

function recordDeposit({ reference, args }: Evidence, { name }: Actor): Drawn {
  const { amount = 0, token = 'USDC' } = args;
  return { do: `${name}.deposit`, with: { amount, token, tx_signature: reference } };
}

function receive({ reference }: Evidence, { name }: Actor): Drawn {
  return { do: `${name}.x402.receive`, with: { tx_signature: reference } };
}

const ACTIONS: Readonly<Record<ActionName, Action>> = {
  deposit: fromWallet('deposit', () => ({})),
  withdraw: amountAction('withdraw', inChecking),
  'savings.deposit': amountAction('savings.deposit', inChecking),
  'savings.withdraw': amountAction('savings.withdraw', inSavings),
  'collateral.borrow': usdcAction(
    'collateral.borrow',
    ({ savings, debtUsdc }) => (savings?.usdc ?? 0) * 0.7 - (debtUsdc ?? 0),
  ),
  'collateral.repay': usdcAction('collateral.repay', ({ debtUsdc }) => debtUsdc ?? 0),
  'x402.pay': (actor) => {
    const { name, other, token } = actor;
    const amount = amountNear(inChecking(actor), actor);
    return { do: `${name}.x402.pay`, with: { recipient: `\${${other}}`, amount, token } };
  },
  'x402.request': ({ name, draw }) => ({
    do: `${name}.x402.request`,
    with: { amount: draw(fc.constantFrom(1, 0.000_001, 1_000)) },
  }),
  'x402.receive': about(
    ({ args: { recipient, to } }, { name }) => (recipient ?? to) === `\${${name}}`,
    receive,
  ),
  'loans.apply': ({ name, draw }) => ({
    do: `${name}.loans.apply`,
    with: {
      amount: draw(fc.constantFrom(100, 10_000, 99.999_999, 10_000.000_001, 500)),
      purpose: 'task',
      duration: draw(fc.constantFrom(30, 1, 90)),
    },
  }),
  'review.approve': about(isLoan, ({ reference }, { draw }) => ({
    do: draw(fc.constantFrom('review.approve', 'review.approve', 'review.deny')),
    with: { loan: reference },
  })),
  'loans.repay': about(
    (each, { name }) => isLoan(each) && each.agent === name,
    ({ reference }, { name, has, draw }) => ({
      do: `${name}.loans.repay`,
      with: { id: reference, amount: amountNear(has.debtUsdc ?? 0, { draw, unit: 'usdc' }) },
    }),
  ),
  account: look('account'),
  transactions: look('transactions'),
  profile: look('profile'),
  loans: look('loans'),
  wait: ({ draw }) => ({ do: 'time.advance', with: { by: draw(fc.constantFrom(...DURATIONS)) } }),
  steal: about((each, { name }) => isTransaction(each) && each.agent !== name, recordDeposit),
  /** Records a transaction again, possibly for another purpose. */
  replay: about(
    (each, { name }) => isTransaction(each) && each.agent === name,
    (own, actor) => (actor.draw(fc.boolean()) ? recordDeposit(own, actor) : receive(own, actor)),
  ),
  overdraw: (actor) => {
    const { name, unit, token } = actor;
    const amount = whole(inChecking(actor) + 10 ** -DECIMALS[unit], unit);
    return { do: `${name}.withdraw`, with: { amount, token } };
  },
  nonsense: ({ name, draw, token }) => ({
    do: `${name}.${draw(fc.constantFrom('withdraw', 'savings.deposit', 'collateral.borrow', 'x402.pay'))}`,
    with: { amount: draw(fc.constantFrom(...BAD_AMOUNTS)), token, recipient: `\${${name}}` },
  }),
  /** Sends to the treasury without recording it; only the sender should be able to record it later. */
  prepay: fromWallet('send', () => ({ to: '${treasury}' })),
  send: fromWallet('send', ({ other }) => ({ to: `\${${other}}` })),
};

/** Draws an action of any of the agents; null if it is impossible now. */
export function drawAction(
  draw: Draw,
  agents: readonly PropertyAgent[],
  { balances, evidence }: { balances: Balances; evidence: readonly Evidence[] },
): Drawn | null {
  const { name, actions } = draw(fc.constantFrom(...agents));
  const others = agents.filter((each) => each.name !== name);
  const has = balances[name];
  if (has === undefined) return null;
  const isSol = draw(chance(25));
  const action = draw(weighted(actions.map(({ name: verb, weight }) => [verb, weight])));
  return ACTIONS[action as ActionName]({
    name,
    has,
    evidence,
    draw,
    unit: isSol ? 'sol' : 'usdc',
    token: isSol ? 'SOL' : 'USDC',
    other: others.length === 0 ? name : draw(fc.constantFrom(...others)).name,
  });
}

/** The members of responses that later actions can refer to. */
const RESULTS: Readonly<Record<string, readonly [Evidence['kind'], string]>> = {
  deposit: ['transaction', 'deposit.tx_signature'],
  'x402.pay': ['transaction', 'tx_signature'],
  send: ['transaction', 'signature'],
  'loans.apply': ['loan', 'application.id'],
};

/** The evidence from a successful step whose response is saved under a name. */
export function evidenceOf({ do: title, with: args }: Step, saved: string): Evidence[] {
  const [agent = '', ...verb] = title.split('.');
  const result = RESULTS[verb.join('.')];
  if (result === undefined || 'tx_signature' in args) return [];
  return [{ kind: result[0], reference: `\${${saved}.${result[1]}}`, agent, args }];
}
