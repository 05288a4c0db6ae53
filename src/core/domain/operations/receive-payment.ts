import { allow } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { verifyClaim } from '../evidence.js';
import { customer, parseToken } from '../inputs.js';
import { type Base, type Token, amountOf, parseAmount } from '../money.js';
import type { Env, LookUp } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import type { State } from '../state.js';
import { uuid } from '../ids.js';

export interface ReceivePaymentInput {
  readonly wallet: string;
  readonly signature: string;
  readonly expectedAmount?: unknown;
  readonly expectedToken?: string | undefined;
  /** Looks up the transaction and its effect on the agent's collection address. */
  readonly lookUp: LookUp;
}

/** The token that arrived; USDC when no token did. */
function tokenArrived(lookUp: LookUp): Token {
  const found = lookUp();
  return found.ok && found.value.received.SOL > 0n ? 'SOL' : 'USDC';
}

function expectedBase(input: ReceivePaymentInput, token: Token | null): Result<Base | null> {
  if (input.expectedAmount === undefined) return ok(null);
  return parseAmount(input.expectedAmount, token ?? tokenArrived(input.lookUp));
}

function hasGoneToWallet(lookUp: LookUp): boolean {
  const found = lookUp();
  return found.ok && (found.value.receivedByCaller.USDC > 0n || found.value.receivedByCaller.SOL > 0n);
}

/** Credits checking with a payment that arrived at the agent's collection address, once. */
export function receivePayment(state: State, input: ReceivePaymentInput, env: Env) {
  const { signature, wallet, lookUp } = input;
  const expectedToken = input.expectedToken === undefined ? ok(null) : parseToken(input.expectedToken);
  if (!expectedToken.ok) return expectedToken;
  const expected = expectedBase(input, expectedToken.value);
  if (!expected.ok) return expected;
  const claim = verifyClaim(
    state,
    { signature, token: expectedToken.value, amountBase: expected.value, ownWalletOnly: false },
    lookUp,
  );
  if (!claim.ok) {
    if (claim.refusal.code !== 'transaction_not_to_bank' || !hasGoneToWallet(lookUp)) return claim;
    return refuse(
      'transaction_not_to_bank',
      claim.refusal.details ?? {},
      'The payment went to your own wallet, not to your collection address; send it to the treasury and record it with deposit.',
    );
  }
  const { token, amountBase, receipt } = claim.value;
  const outflow = state.outflows.get(state.settledBy.get(signature) ?? 0);
  const sender = outflow?.wallet ?? receipt.senders[token];
  // Less only where money left the address with the bank's own key before its owner was a customer: the bank's loss.
  const uncollected = -customer(state, wallet).balances.uncollected[token];
  const owed = uncollected < amountBase ? uncollected : amountBase;
  return allow(
    draft(wallet, { kind: 'x402.received', token, amountBase, signature, sender }, [
      ...(owed > 0n ? [debit('uncollected', wallet, token, owed)] : []),
      ...(owed < amountBase ? [debit('capital', null, token, amountBase - owed)] : []),
      credit('checking', wallet, token, amountBase),
    ]),
    (_after, entry) => ({
      success: true,
      payment_id: uuid(env.salt, 'entry', entry.seq),
      verified: true,
      amount: amountOf(token, amountBase),
      token,
      sender,
    }),
  );
}
