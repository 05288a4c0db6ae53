import { AsyncLocalStorage } from 'node:async_hooks';
import { NO_REQUEST, type RequestContext } from '../../../core/domain/request-context.js';
import { shortText } from '../../../core/domain/short-text.js';
import { readBody, textOf } from '../../../core/request-body.js';
import { STANDARD_NETWORKS } from '../standard/offer.js';
import type { Payload, Requirements, SdkFacilitator, SvmSigner, X402Sdk } from './sdk.js';
import { type ChainSigner, type SettlementParts, chainSigner } from './signer.js';
import { isObject } from '../../../core/json.js';

const MAX_BODY_BYTES = 65_536;
const MAX_MESSAGE = 1_024;
/** The members of a payment that are logged: `amount` of version 2, `maxAmountRequired` of version 1. */
const PAYMENT: readonly string[] = ['payer', 'amount', 'maxAmountRequired', 'asset', 'payTo'];
const INVALID_PAYLOAD = 'invalid_payload';

interface FacilitatorRequest {
  readonly paymentPayload: Payload;
  readonly paymentRequirements: Requirements;
}

/** The result of a call; `code` is the SDK's reason when the payment was rejected. */
export interface FacilitatorAnswer {
  readonly response: Response;
  readonly code: string | null;
  readonly message: string | null;
  /** The body of the response. */
  readonly body: object;
  /** Payer, amount and recipient; null for a call without a payment. */
  readonly payment: Readonly<Record<string, string>> | null;
}

export function refused(status: number, code: string, error: string): FacilitatorAnswer {
  const body = { error, code };
  return { response: Response.json(body, { status }), code, message: error, body, payment: null };
}

interface Verdict {
  readonly code: string | null;
  readonly message?: string | undefined;
  readonly payer?: string | undefined;
}

function answered(
  body: object,
  { code, message, payer }: Verdict = { code: null },
  requirements: Requirements | null = null,
): FacilitatorAnswer {
  const members = Object.entries({ payer, ...requirements }).filter(
    (member): member is [string, string] => PAYMENT.includes(member[0]) && typeof member[1] === 'string',
  );
  const payment = Object.fromEntries(members.map(([name, value]) => [name, shortText(value)]));
  return {
    response: Response.json(body),
    code,
    message: message === undefined ? null : shortText(message, MAX_MESSAGE),
    body,
    payment: requirements === null ? null : payment,
  };
}

function parse(bytes: Uint8Array): FacilitatorRequest | null {
  try {
    const body: unknown = JSON.parse(textOf(bytes));
    if (!isObject(body)) return null;
    const { paymentPayload, paymentRequirements } = body;
    if (!isObject(paymentPayload) || !isObject(paymentRequirements)) return null;
    return { paymentPayload, paymentRequirements };
  } catch {
    return null;
  }
}

/** The SDK throws for malformed payments and for unknown schemes and networks. */
function verifiedBy(
  facilitator: SdkFacilitator,
  call: FacilitatorRequest,
): ReturnType<SdkFacilitator['verify']> {
  return facilitator.verify(call.paymentPayload, call.paymentRequirements).catch((error: Error) => ({
    isValid: false,
    invalidReason: INVALID_PAYLOAD,
    invalidMessage: error.message,
    payer: '',
  }));
}

/** The transaction of a payment that was verified. */
function transactionOf({ paymentPayload }: FacilitatorRequest): string {
  return (paymentPayload['payload'] as { readonly transaction: string }).transaction;
}

/**
 * A facilitator of standard x402, versions 2 and 1: the x402 SDK's facilitator over an in-process chain. Business failures are HTTP 200
 * with `isValid: false` or `success: false`, as the standard requires.
 */
export class Facilitator {
  readonly #sdk: X402Sdk;
  readonly #signer: ChainSigner;
  readonly #cause = new AsyncLocalStorage<RequestContext>();
  #facilitator: SdkFacilitator;
  /** Verifies everything but that the chain would still run the payment. */
  readonly #ofLanded: SdkFacilitator;

  constructor(sdk: X402Sdk, parts: SettlementParts) {
    this.#sdk = sdk;
    this.#signer = chainSigner({ ...parts, cause: () => this.#cause.getStore() }, sdk);
    this.#facilitator = this.#made(this.#signer);
    this.#ofLanded = this.#made({ ...this.#signer, simulateTransaction: async () => undefined });
    // The SDK's record of settled payments belongs to a chain that no longer exists.
    const restored = () => (this.#facilitator = this.#made(this.#signer));
    parts.chain.listen({ changed: () => undefined, restored });
  }

  /** Handles `GET supported`, `POST verify` and `POST settle`; `name` is the last path segment. */
  answer(name: string, request: Request, cause = NO_REQUEST): Promise<FacilitatorAnswer> {
    return this.#cause.run(cause, () => this.#answer(name, request));
  }

  async #answer(name: string, request: Request): Promise<FacilitatorAnswer> {
    const method = name === 'supported' ? 'GET' : name === 'verify' || name === 'settle' ? 'POST' : null;
    if (method === null)
      return refused(404, 'not_found', 'The facilitator serves GET supported, POST verify and POST settle.');
    if (request.method !== method)
      return refused(405, 'method_not_allowed', `The facilitator takes ${method} ${name}.`);
    if (name === 'supported') return answered(this.#facilitator.getSupported());
    const read = await readBody(request, MAX_BODY_BYTES);
    if (read.kind === 'too_large' || read.kind === 'busy')
      return refused(413, 'payload_too_large', 'The body is larger than 64 KiB.');
    const parsed = read.kind === 'broken_off' ? null : parse(read.bytes);
    if (parsed === null)
      return refused(
        400,
        'invalid_request',
        'The body must be JSON of at most 64 KiB with the objects paymentPayload and paymentRequirements.',
      );
    return name === 'verify' ? this.#verify(parsed) : this.#settle(parsed);
  }

  async #verify(call: FacilitatorRequest): Promise<FacilitatorAnswer> {
    const result = await verifiedBy(this.#facilitator, call);
    const { isValid, invalidReason: reason = 'invalid', invalidMessage: message, payer } = result;
    return answered(result, { code: isValid ? null : reason, message, payer }, call.paymentRequirements);
  }

  async #settle(call: FacilitatorRequest): Promise<FacilitatorAnswer> {
    const { paymentPayload, paymentRequirements } = call;
    // Settling a payment again, the SDK does not compare it with the requirements.
    const verified = await verifiedBy(this.#ofLanded, call);
    const settled = verified.isValid
      ? await this.#facilitator.settle(paymentPayload, paymentRequirements)
      : {
          success: false,
          errorReason: verified.invalidReason ?? 'invalid',
          errorMessage: verified.invalidMessage,
          transaction: '',
          network: paymentRequirements['network'],
          payer: verified.payer ?? '',
        };
    const landed = settled.success || !verified.isValid ? null : this.#signer.landed(transactionOf(call));
    const result = landed === null ? settled : { ...settled, ...landed, payer: verified.payer ?? '' };
    const { success, errorReason: reason = 'failed', errorMessage: message, payer } = result;
    return answered(result, { code: success ? null : reason, message, payer }, paymentRequirements);
  }

  #made(signer: SvmSigner): SdkFacilitator {
    return this.#sdk.facilitator(signer, Object.keys(STANDARD_NETWORKS));
  }
}
