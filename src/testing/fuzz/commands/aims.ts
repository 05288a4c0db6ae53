import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { amountNear, amountOf, hostileAmount, noisyAmount, roundAmount, unitsOf } from '../amounts.js';
import { RENT_MINIMUM, millionths } from '../model/amounts.js';
import type { ModelToken, AccountState } from '../model/types.js';
import { ALTERATIONS } from '../play/references.js';
import type { KnownRequest, KnownTransaction, ModelRunner } from '../play/model-runner.js';
import type { Args, Json } from '../step.js';
import { type Member, valueOf } from '../shapes.js';
import { ABOUT_TRANSACTIONS } from './play-call.js';

/** Objects of a drawn call: caller, token, transaction or loan. */
export interface Aim {
  readonly operation: EndpointId;
  readonly by: string;
  readonly token: ModelToken;
  readonly accountState: AccountState;
  readonly transaction: KnownTransaction | null;
  readonly loan: { readonly reference: string; readonly outstandingBase: bigint } | null;
}

/** Remaining daily limit, in base units of a token at its price. */
function leftOf(left: bigint, token: ModelToken, usd: number): bigint {
  if (left <= 0n) return 0n;
  const amount = Number(left) / 1e6 / usd;
  return Number.isFinite(amount) && amount < 1e12 ? unitsOf(amount, token) : 0n;
}

/** The amount of a token that a transaction brought to an address, in base units. */
export function cameTo(transaction: KnownTransaction, address: string, token: ModelToken): bigint {
  return transaction.transfers
    .filter((transfer) => transfer.to === address && transfer.token === token)
    .reduce((sum, { amountBase }) => sum + amountBase, 0n);
}

/** Amounts at which a call's outcome changes, in base units. */
function edgesOf(aim: Aim, runner: ModelRunner): readonly bigint[] {
  const { accountState, token, transaction, loan } = aim;
  const { limits, treasury, collectionOf } = runner.world.modelConfig;
  const { checking, savings } = accountState;
  const came = (to: string, of = token) => (transaction === null ? [] : [cameTo(transaction, to, of)]);
  const spending = (leftMicroUsd: bigint) => {
    const left = leftOf(leftMicroUsd, token, runner.model.price(token));
    return [checking[token], left, ...(token === 'SOL' ? [RENT_MINIMUM] : [])];
  };
  switch (aim.operation) {
    case 'deposit':
      return came(treasury);
    case 'x402Receive':
      return came(collectionOf(runner.address(aim.by)));
    case 'withdraw':
      return spending(accountState.withdrawalLimitMicroUsd - accountState.withdrawnMicroUsd);
    case 'x402Pay':
      return spending(accountState.paymentLimitMicroUsd - accountState.paidMicroUsd);
    case 'savingsDeposit':
      return [checking[token], checking[token] / 2n];
    case 'savingsWithdraw':
      return [savings[token], ...(token === 'USDC' ? [accountState.unlockedSavingsBase] : [])];
    case 'collateralBorrow':
      return [accountState.availableToBorrowBase, accountState.availableToBorrowBase];
    case 'collateralRepay':
      return [accountState.collateralDebtBase, checking.USDC];
    case 'loanApply':
    case 'eligibility':
      return [millionths(limits.minLoanUsd), millionths(limits.maxLoanUsd), accountState.creditLeftBase];
    case 'x402Request':
      return token === 'SOL' ? [RENT_MINIMUM, RENT_MINIMUM - 1n, RENT_MINIMUM / 2n] : [];
    case 'loanRepay': {
      if (loan === null) return [];
      // Any amount other than the received one is refused.
      const [received] = came(treasury, 'USDC');
      return received === undefined
        ? [loan.outstandingBase]
        : [received, received, received, loan.outstandingBase];
    }
    default:
      return [];
  }
}

/** Amounts for a call, mostly at an edge; for a call about a transaction, mostly the amount it moved. */
export function amountFor(aim: Aim, runner: ModelRunner): fc.Arbitrary<Json> {
  const edges = edgesOf(aim, runner);
  const positive = edges.filter((edge) => edge > 0n);
  const near = amountNear(edges, aim.token);
  const isOfTransaction = aim.transaction !== null && ABOUT_TRANSACTIONS.has(aim.operation);
  const usual =
    isOfTransaction && positive.length > 0
      ? fc.constantFrom(...positive).map((edge) => amountOf(edge, aim.token))
      : near;
  return fc.oneof(
    { weight: 75, arbitrary: usual },
    { weight: 5, arbitrary: near },
    { weight: 12, arbitrary: roundAmount },
    { weight: 4, arbitrary: noisyAmount },
    { weight: 4, arbitrary: hostileAmount },
  );
}

const NO_WALLETS = ['', 'nobody', '0OIl'.repeat(10), '2'.repeat(60)];
/** Addresses that no key can sign for, where money would be lost. */
const KEYLESS = [
  '1'.repeat(32),
  'SysvarC1ock11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
];

export const WRAPPED_MINT = 'So11111111111111111111111111111111111111112';

/** More characters than a refusal repeats. */
const LONG_NAME = 'TOKEN'.repeat(401);

/** Addresses: an agent's, the treasury, a collection address, an unused one, or an invalid one. */
export function addressFor({ names, strangers }: ModelRunner): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names);
  // Not wallets, but addresses that hold or define tokens.
  const tokens = fc.oneof(
    name.map((each) => `\${${each}.tokens}`),
    fc.constantFrom('${treasury.tokens}', '${mint}', WRAPPED_MINT),
  );
  return fc.oneof(
    { weight: 75, arbitrary: name.map((each) => `\${${each}}`) },
    { weight: 10, arbitrary: fc.constantFrom(...strangers) },
    { weight: 4, arbitrary: fc.constant('${treasury}') },
    { weight: 2, arbitrary: tokens },
    { weight: 5, arbitrary: name.map((each) => `\${${each}.collection}`) },
    { weight: 4, arbitrary: fc.constantFrom(...NO_WALLETS) },
  );
}

/** Values for a member: mostly values from the world if they are better than the schema's. */
export function valuesFor({ name, shape }: Member, aim: Aim, runner: ModelRunner): fc.Arbitrary<Json> {
  const mostly = (percent: number, arbitrary: fc.Arbitrary<Json>) =>
    fc.oneof({ weight: percent, arbitrary }, { weight: 100 - percent, arbitrary: valueOf(shape) });
  switch (name) {
    case 'amount':
    case 'expected_amount':
      return shape.type === 'string' ? valueOf(shape) : amountFor(aim, runner);
    case 'token':
    case 'expected_token':
      return fc.oneof(
        { weight: 97, arbitrary: fc.constant(aim.token) },
        { weight: 3, arbitrary: fc.constantFrom('usdc', 'BTC', '', LONG_NAME) },
      );
    case 'recipient':
    case 'destination':
      return fc.oneof(
        { weight: 98, arbitrary: addressFor(runner) },
        { weight: aim.token === 'USDC' ? 2 : 0, arbitrary: fc.constantFrom(...KEYLESS) },
      );
    case 'wallet':
      return addressFor(runner);
    case 'type': {
      const { recordTypes } = aim.accountState;
      return recordTypes.length === 0 ? valueOf(shape) : mostly(60, fc.constantFrom(...recordTypes));
    }
    case 'offset':
      // Few lists are long.
      return mostly(50, fc.integer({ min: 1, max: 4 }));
    case 'tx_signature':
    case 'txSignature':
      return mostly(97, fc.constant(aim.transaction?.reference ?? '${none.signature}'));
    default:
      return valueOf(shape);
  }
}

/** The body of a payment that matches a payment request. */
export function payingBody({ reference, of, amount, token }: KnownRequest): Args {
  return { recipient: `\${${of}}`, amount, token, payment_request: reference };
}

/** Parts of a payment request, with possible replacements. */
const MEMBERS = ['request_id', 'recipient', 'pay_to', 'amount', 'token', 'expires_at'] as const;

/** References to a payment request with one member replaced. */
function altered(reference: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...MEMBERS), fc.constantFrom(...ALTERATIONS))
    .map(([member, how]) => reference.replace(/\}$/, `.${member}.${how}}`));
}

/** Payments that match an issued payment request, exactly or nearly; null before any was issued. */
export function requested({ memory, names }: ModelRunner): fc.Arbitrary<Args> | null {
  if (memory.requests.length === 0) return null;
  return fc.constantFrom(...memory.requests).chain((request) => {
    const { of, amount, token, reference } = request;
    const paying = payingBody(request);
    const withRequest = (texts: fc.Arbitrary<string>) =>
      texts.map((text) => ({ ...paying, payment_request: text }));
    // Other base64 notations, which all decode to the request.
    const written = fc.constantFrom(`${reference}=`, ` ${reference}`, `${reference}\r\n`);
    const others: fc.Arbitrary<Args> = fc.constantFrom(
      { amount: amount / 2 },
      { amount: amount * 2 },
      { token: token === 'SOL' ? 'USDC' : 'SOL' },
      ...names.map((name) => ({ recipient: `\${${name}}` })),
      { recipient: `\${${of}.collection}` },
    );
    return fc.oneof(
      { weight: 59, arbitrary: fc.constant(paying) },
      { weight: 8, arbitrary: withRequest(written) },
      { weight: 18, arbitrary: withRequest(altered(reference)) },
      { weight: 15, arbitrary: others.map((other) => ({ ...paying, ...other })) },
    );
  });
}
