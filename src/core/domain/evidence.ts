import { TOKENS, type Token, amountOf } from './money.js';
import type { ChainReceipt, LookUp } from './ports.js';
import { type Result, ok, refuse } from './result.js';
import type { State } from './state.js';

/** The claim of a call about a transaction that it submits as evidence. */
export interface Claim {
  readonly signature: string;
  /** Null: any token. */
  readonly token: Token | null;
  /** Base units; null: any amount. */
  readonly amountBase: bigint | null;
  /** Whether the caller's own wallet must have paid it. */
  readonly ownWalletOnly: boolean;
}

/** Whether a signature can still be counted: it was never recorded, is on chain, is confirmed and succeeded. */
function countable(state: State, signature: string, lookUp: LookUp): Result<ChainReceipt> {
  if (state.recorded.has(signature))
    return refuse('transaction_already_recorded', { tx_signature: signature });
  const found = lookUp();
  if (!found.ok) return found;
  const receipt = found.value;
  if (!receipt.confirmed) return refuse('transaction_not_confirmed', { tx_signature: signature });
  if (receipt.error !== null) {
    return refuse('transaction_failed', { tx_signature: signature, chain_error: receipt.error });
  }
  return found;
}

/** The refusal of a transaction that transferred no supported token; it names another mint that was transferred. */
function nothingArrived({ signature, token }: Claim, { otherMints, usdcMint }: ChainReceipt): Result<never> {
  const details = { tx_signature: signature };
  if (otherMints.length === 0) return refuse('transaction_not_to_bank', details);
  return refuse(
    'transaction_not_to_bank',
    {
      ...details,
      ...(token === 'SOL' ? {} : { expected_mint: usdcMint }),
      on_chain_mints: otherMints,
    },
    token === 'SOL'
      ? 'The transaction transferred tokens of another mint (details.on_chain_mints) and no SOL; wrapped SOL does not count.'
      : 'The transaction transferred tokens of another mint (details.on_chain_mints), not the USDC of this network (details.expected_mint).',
  );
}

/**
 * Checks a claim against the chain's receipt and returns the token and amount that arrived. Refusals in this order:
 * transaction_already_recorded, refusals of the lookup, transaction_not_confirmed, transaction_failed,
 * transaction_not_to_bank, token_mismatch, sender_mismatch, amount_mismatch.
 */
export function verifyClaim(
  state: State,
  claim: Claim,
  lookUp: LookUp,
): Result<{ receipt: ChainReceipt; token: Token; amountBase: bigint }> {
  const counted = countable(state, claim.signature, lookUp);
  if (!counted.ok) return counted;
  const receipt = counted.value;
  const arrived = TOKENS.filter((token) => receipt.received[token] > 0n);
  if (arrived.length === 0) return nothingArrived(claim, receipt);
  const token = claim.token ?? (arrived.length === 1 ? (arrived[0] as Token) : null);
  if (token === null) {
    return refuse(
      'token_mismatch',
      { on_chain: arrived },
      'The transaction moved several tokens; name the token to count.',
    );
  }
  if (!arrived.includes(token)) return refuse('token_mismatch', { expected: token, on_chain: arrived });
  const amountBase = receipt.received[token];
  if (claim.ownWalletOnly && receipt.paidByCaller[token] < amountBase) {
    return refuse('sender_mismatch', { sender: receipt.senders[token] });
  }
  if (claim.amountBase !== null && claim.amountBase !== amountBase) {
    return refuse('amount_mismatch', {
      expected: amountOf(token, claim.amountBase),
      on_chain: amountOf(token, amountBase),
    });
  }
  return ok({ receipt, token, amountBase });
}
