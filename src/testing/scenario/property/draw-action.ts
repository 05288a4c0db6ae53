import fc from 'fast-check';
import { DECIMALS, type Token } from '../../../core/domain/money.js';
import { type Draw, chance, weighted } from '../../fuzz/draw.js';
import type { Args, Step } from '../../fuzz/step.js';
import { type AmountOf, drawCall } from '../../persona-actions.js';
import type { Balances, Holdings } from '../results.js';
import type { PropertyAgent } from './property-agent.js';

/** A result that later actions can refer to. */
export interface Evidence {
  readonly kind: 'transaction' | 'loan';
  readonly reference: string;
  readonly agent: string;
  /** Arguments of the step that it results from. */
  readonly args: Args;
}

const UNITS = { USDC: 'usdc', SOL: 'sol' } as const;
const SPANS = ['1s', '1h', '1d', '12h', '7d', '31d', '61d', '1y'];
const CAP_USD = 1_000;
/** The simulator's default SOL price in USD; a rough value suffices to approach the limit. */
const SOL_USD = 150;
/** SOL that stays in the wallet for fees. */
const FOR_FEES_SOL = 0.01;

/** Rounds to whole base units, at least zero. */
function whole(amount: number, token: Token): number {
  const scale = 10 ** DECIMALS[token];
  return Math.max(0, Math.round(amount * scale)) / scale;
}

/** A simple amount, or one around a limit. */
function amountNear(limit: number, token: Token, draw: Draw): number {
  const step = 10 ** -DECIMALS[token];
  const cap = token === 'USDC' ? CAP_USD : CAP_USD / SOL_USD;
  const amounts = [1, 10, cap + 1, limit, limit + step, limit - step, limit / 2, step, cap, cap + step];
  const amount = whole(draw(fc.constantFrom(...amounts)), token);
  return amount > 0 ? amount : step;
}

function amountOf(of: AmountOf, token: Token, has: Holdings, draw: Draw): number | null {
  const { wallet, checking, savings, debtUsdc } = has;
  const unit = UNITS[token];
  const debt = debtUsdc ?? 0;
  switch (of) {
    case 'wallet': {
      const limit = token === 'SOL' ? wallet.sol - FOR_FEES_SOL : wallet.usdc;
      return whole(Math.min(amountNear(limit, token, draw), limit), token) || null;
    }
    case 'checking':
      return amountNear(checking?.[unit] ?? 0, token, draw);
    case 'savings':
      return amountNear(savings?.[unit] ?? 0, token, draw);
    case 'borrowable':
      return amountNear((savings?.usdc ?? 0) * 0.7 - debt, token, draw);
    case 'debt':
    case 'credit line':
      return amountNear(debt, token, draw);
    case 'request':
      return draw(fc.constantFrom(1, 0.000_001, 1_000));
    case 'application':
      return draw(fc.constantFrom(100, 10_000, 99.999_999, 10_000.000_001, 500));
  }
}

/** Draws an action of any of the agents; null if it is impossible now. */
export function drawAction(
  draw: Draw,
  agents: readonly PropertyAgent[],
  { balances, evidence }: { balances: Balances; evidence: readonly Evidence[] },
): Pick<Step, 'do' | 'with'> | null {
  const { name, actions } = draw(fc.constantFrom(...agents));
  const others = agents.filter((each) => each.name !== name);
  const has = balances[name];
  if (has === undefined) return null;
  const token = draw(chance(25)) ? 'SOL' : 'USDC';
  const action = draw(weighted(actions.map(({ name: verb, weight }) => [verb, weight])));
  const self = `\${${name}}`;
  const recipient = others.length === 0 ? self : `\${${draw(fc.constantFrom(...others)).name}}`;
  const oneOf = (fits: (each: Evidence) => boolean) => {
    const list = evidence.filter(fits);
    return list.length === 0 ? null : draw(fc.constantFrom(...list));
  };
  const call = drawCall(action, {
    draw,
    token,
    self,
    treasury: '${treasury}',
    reclaims: ['deposit', 'x402.receive'],
    checking: (of) => has.checking?.[UNITS[of]] ?? 0,
    amount: (of, unit) => amountOf(of, unit, has, draw),
    days: () => draw(fc.constantFrom(30, 1, 90)),
    recipient: () => recipient,
    sent: (isOwn) => {
      const sent = oneOf(({ kind, agent }) => kind === 'transaction' && (agent === name) === isOwn);
      if (sent === null) return null;
      const { amount = 0, token: of = 'USDC' } = sent.args;
      return { signature: sent.reference, amount: Number(amount), token: of as Token };
    },
    payment: () =>
      oneOf(({ args: { recipient: to, to: other } }) => (to ?? other) === self)?.reference ?? null,
    loan: () => oneOf(({ kind, agent }) => kind === 'loan' && agent === name)?.reference ?? null,
    application: () => oneOf(({ kind }) => kind === 'loan')?.reference ?? null,
    span: () => draw(fc.constantFrom(...SPANS)),
  });
  if (call === null) return null;
  const isOfWorld = /^(?:time|review)\./.test(call.do);
  return { do: isOfWorld ? call.do : `${name}.${call.do}`, with: { ...call.with } };
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
