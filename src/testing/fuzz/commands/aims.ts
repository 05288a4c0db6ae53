import type { EndpointId } from '../../../contract/endpoints.js';
import { amountNear, amountOf, hostileAmount, noisyAmount, roundAmount, unitsOf } from '../amounts.js';
import type { Random } from '../random.js';
import { millionths } from '../model/amounts.js';
import type { ModelToken, AccountState } from '../model/types.js';
import { ALTERATIONS } from '../play/references.js';
import type { KnownRequest, KnownTransaction } from '../play/memory.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Args, Json } from '../step.js';
import type { Member } from '../shapes.js';

/** What a drawn call is about: caller, token, transaction or loan. */
export interface Aim {
  readonly operation: EndpointId;
  readonly by: string;
  readonly token: ModelToken;
  readonly accountState: AccountState;
  readonly transaction: KnownTransaction | null;
  readonly loan: { readonly reference: string; readonly outstandingBase: bigint } | null;
}

/** What an address must hold, in lamports. */
const RENT_MINIMUM = 890_880n;

/** Remainder of a daily limit, in base units of a token at its price. */
function leftOf(left: bigint, token: ModelToken, usd: number): bigint {
  if (left <= 0n) return 0n;
  const amount = Number(left) / 1e6 / usd;
  return Number.isFinite(amount) && amount < 1e12 ? unitsOf(amount, token) : 0n;
}

function cameTo(transaction: KnownTransaction, address: string, token: ModelToken): bigint {
  return transaction.transfers
    .filter((transfer) => transfer.to === address && transfer.token === token)
    .reduce((sum, { amountBase }) => sum + amountBase, 0n);
}

/** Amounts at which a call's outcome changes, in base units. */
function edgesOf(aim: Aim, runner: ModelRunner): readonly bigint[] {
  const { accountState, token, operation, transaction, loan } = aim;
  const { limits } = runner.world.modelConfig;
  const usd = runner.model.price(token);
  const rent = token === 'SOL' ? [RENT_MINIMUM] : [];
  switch (operation) {
    case 'deposit':
      return transaction === null ? [] : [cameTo(transaction, runner.world.modelConfig.treasury, token)];
    case 'x402Receive': {
      const to = runner.world.modelConfig.collectionOf(runner.address(aim.by));
      return transaction === null ? [] : [cameTo(transaction, to, token)];
    }
    case 'withdraw':
      return [
        accountState.checking[token],
        leftOf(accountState.withdrawalLimitMicroUsd - accountState.withdrawnMicroUsd, token, usd),
        ...rent,
      ];
    case 'x402Pay':
      return [
        accountState.checking[token],
        leftOf(accountState.paymentLimitMicroUsd - accountState.paidMicroUsd, token, usd),
        ...rent,
      ];
    case 'savingsDeposit':
      return [accountState.checking[token], accountState.checking[token] / 2n];
    case 'savingsWithdraw':
      return [accountState.savings[token], ...(token === 'USDC' ? [accountState.unlockedSavingsBase] : [])];
    case 'collateralBorrow':
      return [accountState.availableToBorrowBase, accountState.availableToBorrowBase];
    case 'collateralRepay':
      return [accountState.collateralDebtBase, accountState.checking.USDC];
    case 'loanApply':
    case 'eligibility':
      return [millionths(limits.minLoanUsd), millionths(limits.maxLoanUsd), accountState.creditLeftBase];
    case 'x402Request':
      return token === 'SOL' ? [RENT_MINIMUM, RENT_MINIMUM - 1n, RENT_MINIMUM / 2n] : [];
    case 'loanRepay': {
      if (loan === null) return [];
      if (transaction === null) return [loan.outstandingBase];
      const came = cameTo(transaction, runner.world.modelConfig.treasury, 'USDC');
      // Any other amount than what came is refused.
      return [came, came, came, loan.outstandingBase];
    }
    default:
      return [];
  }
}

/** Operations that are refused unless their amount is what a transaction moved. */
const ABOUT_TRANSACTIONS: ReadonlySet<EndpointId> = new Set(['deposit', 'x402Receive', 'loanRepay']);

/** Draws an amount for a call, mostly at an edge. About a transaction, mostly the amount it moved. */
export function amountFor(aim: Aim, random: Random, runner: ModelRunner): Json {
  const how = random.below(100);
  const edges = edgesOf(aim, runner);
  const isOfTransaction = aim.transaction !== null && ABOUT_TRANSACTIONS.has(aim.operation);
  if (isOfTransaction && how < 75 && edges.some((edge) => edge > 0n))
    return amountOf(random.pick(edges.filter((edge) => edge > 0n)), aim.token);
  if (how < 80) return random.draw(amountNear(edges, aim.token));
  if (how < 92) return random.draw(roundAmount);
  return random.draw(how < 96 ? noisyAmount : hostileAmount);
}

const NO_WALLETS = ['', 'nobody', '0OIl'.repeat(10), '2'.repeat(60)];
/** Addresses that no key can sign for, where money would be lost. */
const KEYLESS = [
  '1'.repeat(32),
  'SysvarC1ock11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
];

/** The mint of wrapped SOL. */
export const WRAPPED_MINT = 'So11111111111111111111111111111111111111112';

/** More characters than are repeated in a refusal. */
const LONG_NAME = 'TOKEN'.repeat(401);

/** Draws an address: an agent's, the treasury, a collection address, an unused one, or an invalid one. */
export function addressFor(random: Random, runner: ModelRunner): Json {
  const how = random.below(100);
  const name = random.pick(runner.names);
  if (how < 75) return `\${${name}}`;
  if (how < 85) return random.pick(runner.strangers);
  if (how < 89) return '${treasury}';
  // No wallets, but addresses that hold or define tokens.
  if (how < 91) return random.pick([`\${${name}.tokens}`, '${treasury.tokens}', '${mint}', WRAPPED_MINT]);
  return how < 96 ? `\${${name}.collection}` : random.pick(NO_WALLETS);
}

/** Marks a member that should be omitted. */
export const LEFT_OUT = Symbol('left out');

/** A value for a member where the world offers a better one than its schema; undefined for all other members. */
export function aimedValue(
  member: Member,
  aim: Aim,
  more: { random: Random; runner: ModelRunner },
): Json | typeof LEFT_OUT | undefined {
  const { random, runner } = more;
  switch (member.name) {
    case 'amount':
    case 'expected_amount':
      return member.shape.type === 'string' ? undefined : amountFor(aim, random, runner);
    case 'token':
    case 'expected_token':
      return random.chance(97) ? aim.token : random.pick(['usdc', 'BTC', '', LONG_NAME]);
    case 'recipient':
    case 'destination':
      return aim.token === 'USDC' && random.chance(2) ? random.pick(KEYLESS) : addressFor(random, runner);
    case 'wallet':
      return addressFor(random, runner);
    case 'tx_signature':
    case 'txSignature':
      return random.chance(3) ? undefined : (aim.transaction?.reference ?? '${none.signature}');
    case 'payment_request':
      // A matching one is drawn together with its whole payment.
      return more.random.chance(5) ? undefined : LEFT_OUT;
    default:
      return undefined;
  }
}

/** The body of a payment that matches a payment request. */
export function payingBody({ reference, of, amount, token }: KnownRequest): Args {
  return { recipient: `\${${of}}`, amount, token, payment_request: reference };
}

/** What a request consists of, and what may stand there instead. */
const MEMBERS = ['request_id', 'recipient', 'pay_to', 'amount', 'token', 'expires_at'] as const;

/** A reference to a request one of whose members is another. */
function altered(reference: string, random: Random): string {
  return reference.replace(/\}$/, `.${random.pick(MEMBERS)}.${random.pick(ALTERATIONS)}}`);
}

/** Draws a payment that matches an issued payment request, or almost does. */
export function requested(random: Random, runner: ModelRunner): Args | null {
  const { requests } = runner.memory;
  if (requests.length === 0) return null;
  const request = random.pick(requests);
  const { of, amount, token } = request;
  const answer = payingBody(request);
  const { reference } = request;
  // Other ways to write base64, which all decode to the request.
  if (random.chance(8))
    return {
      ...answer,
      payment_request: random.pick([`${reference}=`, ` ${reference}`, `${reference}\r\n`]),
    };
  if (random.chance(20)) return { ...answer, payment_request: altered(reference, random) };
  if (random.chance(80)) return answer;
  const other = random.pick([
    { amount: amount / 2 },
    { amount: amount * 2 },
    { token: token === 'SOL' ? 'USDC' : 'SOL' },
    { recipient: `\${${random.pick(runner.names)}}` },
    { recipient: `\${${of}.collection}` },
  ]);
  return { ...answer, ...other };
}
