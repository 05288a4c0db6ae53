import { computeUnitLimit, transferTokens } from '../../../chain/solana/instructions.js';
import { type Instruction, type TransactionSigner, buildTransaction } from '../../../chain/solana/wire.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { encodeHeader } from '../../../core/domain/payment-request.js';
import { isObject } from '../../../core/json.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../../../chain/solana/addresses.js';
import type { ChainConnection } from '../../client/wallet.js';
import { objectIn } from '../headers.js';
import { discard, limitedJson } from '../response-body.js';
import { STANDARD_NETWORKS } from './offer.js';

/** A service's terms by standard x402, scheme `exact` on Solana. */
export interface StandardTerms {
  readonly version: 1 | 2;
  /** The chosen requirements as the service sent them; version 2 repeats them. */
  readonly accepted: Readonly<Record<string, unknown>>;
  readonly resource: unknown;
  readonly network: string;
  readonly payTo: string;
  /** Base units of USDC. */
  readonly amountBase: bigint;
  readonly feePayer: string;
  readonly memo: string | null;
}

/** A signed payment as its header. */
export interface StandardPaymentHeader {
  readonly name: string;
  readonly value: string;
}

interface PayerParts {
  readonly wallet: TransactionSigner;
  readonly chain: Pick<ChainConnection, 'latestBlockhash'>;
  readonly usdcMint: string;
}

const NETWORKS: ReadonlySet<unknown> = new Set([
  ...Object.keys(STANDARD_NETWORKS),
  ...Object.values(STANDARD_NETWORKS),
]);
const DECIMALS = 6;
const COMPUTE_UNITS = 200_000;
const DISTINCT = 100_000;
const SIGNATURE_BYTES = 64;

function unitPrice(): Instruction {
  const data = new Uint8Array(9);
  data[0] = 3;
  data[1] = 1;
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}

/** Pays services of standard x402 from a wallet on chain. The service's facilitator pays the fee and submits. */
export class StandardPayer {
  readonly #parts: PayerParts;
  #signed = 0;

  constructor(parts: PayerParts) {
    this.#parts = parts;
  }

  /** The terms in a 402 response that this wallet can pay, in the order of the service. */
  async termsOf(response: Response): Promise<StandardTerms[]> {
    const header = response.headers.get('payment-required');
    const two = header === null ? null : objectIn(header);
    if (two !== null) {
      discard(response);
      return this.#payable(two, 2);
    }
    const body = await limitedJson(response);
    return isObject(body) ? this.#payable(body, 1) : [];
  }

  /** Signs a payment. Presenting its header again cannot pay twice: a chain accepts a transaction once. */
  async sign(terms: StandardTerms): Promise<StandardPaymentHeader> {
    const { wallet, chain, usdcMint: mint } = this.#parts;
    const { version, accepted, network, payTo, amountBase, feePayer, memo } = terms;
    const { blockhash } = await chain.latestBlockhash();
    this.#signed += 1;
    const memos =
      memo === null ? [] : [{ program: MEMO_PROGRAM, accounts: [], data: Buffer.from(memo, 'utf8') }];
    const bytes = buildTransaction(
      [
        // Equal payments under one blockhash would be one transaction.
        computeUnitLimit(COMPUTE_UNITS + (this.#signed % DISTINCT)),
        unitPrice(),
        transferTokens(wallet.address, payTo, { mint, amountBase, decimals: DECIMALS }),
        ...memos,
      ],
      // The facilitator signs in place of these zeros.
      [{ address: feePayer, sign: () => new Uint8Array(SIGNATURE_BYTES) }, wallet],
      blockhash,
    );
    const payload = { transaction: Buffer.from(bytes).toString('base64') };
    return version === 2
      ? {
          name: 'payment-signature',
          value: encodeHeader({ x402Version: 2, resource: terms.resource, accepted, payload }),
        }
      : { name: 'x-payment', value: encodeHeader({ x402Version: 1, scheme: 'exact', network, payload }) };
  }

  #payable(required: Readonly<Record<string, unknown>>, version: 1 | 2): StandardTerms[] {
    const offers = Array.isArray(required['accepts']) ? (required['accepts'] as unknown[]) : [];
    return offers
      .map((accepted) => (isObject(accepted) ? this.#read(accepted, version, required['resource']) : null))
      .filter((terms) => terms !== null);
  }

  #read(
    accepted: Readonly<Record<string, unknown>>,
    version: 1 | 2,
    resource: unknown,
  ): StandardTerms | null {
    const { scheme, network, asset, payTo } = accepted;
    const amount = accepted[version === 2 ? 'amount' : 'maxAmountRequired'];
    const extra = isObject(accepted['extra']) ? accepted['extra'] : {};
    const { feePayer, memo = null } = extra;
    const { wallet, usdcMint } = this.#parts;
    if (scheme !== 'exact' || !NETWORKS.has(network) || asset !== usdcMint) return null;
    if (typeof amount !== 'string' || !/^[1-9]\d{0,17}$/.test(amount)) return null;
    if (typeof payTo !== 'string' || !isAddress(payTo)) return null;
    // Otherwise the wallet itself would pay the fee, or sign for something else.
    if (typeof feePayer !== 'string' || !isAddress(feePayer) || feePayer === wallet.address) return null;
    if (memo !== null && (typeof memo !== 'string' || Buffer.byteLength(memo) > 100)) return null;
    const terms = { version, accepted, resource, network: network as string, payTo, feePayer, memo };
    return { ...terms, amountBase: BigInt(amount) };
  }
}
