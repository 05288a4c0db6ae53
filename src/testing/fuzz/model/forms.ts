import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { EndpointId } from '../../../contract/endpoints.js';
import type { Variants } from '../../../core/domain/variants.js';
import { isObject } from '../../../core/json.js';
import { SOME_TEXT } from './checks.js';
import type { ApiCall, ModelConfig } from './types.js';
import { type Refused, refused } from './verdict.js';

/** Source: docs/reference/fidelity.md, Requests and responses. */
const MAX_BODY_BYTES = 65_536;
const SURELY_SMALL = 4_096;
const YEAR_SECONDS = 31_536_000;

type Members = Readonly<Record<string, unknown>>;
type Schemas = Partial<Record<EndpointId, z.ZodObject>>;

/** Any value but an absent one: an invalid amount is refused later, as an amount. */
const ANY = z.custom((value) => value !== undefined);
const TEXT = z.string();
const SIGNATURE = TEXT.regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
const DAYS = z.custom<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 90,
);
const QUERY_AMOUNT = TEXT.transform((raw) =>
  /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(raw) ? Number(raw) : Number.NaN,
);

function optionalText(max: number) {
  return TEXT.max(max).nullish();
}

/** A number in a query. */
function wholeNumber(min: number, max: number, fallback: number) {
  const isGood = (raw: string) => /^\d{1,15}$/.test(raw) && Number(raw) >= min && Number(raw) <= max;
  return TEXT.refine(isGood).transform(Number).default(fallback);
}

const TYPES = ['deposit', 'withdraw', 'savings_deposit', 'savings_withdraw', 'x402_payment', 'x402_receive'];
const FOUR = ['task', 'working_capital', 'liquidity_provision', 'trading'];
const SIX = [...FOUR.slice(0, 3), 'market_neutral', 'directional_trading', 'speculative'];
const PURPOSES = { union: [...SIX, 'trading'], six: SIX, four: FOUR };

const COLLATERAL = z.object({ type: TEXT.nullish(), amount: z.unknown().nullish() }).transform(withoutNulls);
const MONEY = { amount: ANY, token: TEXT };

/** The bodies of operations. A null optional member counts as absent. Source: the published description and docs/reference/fidelity.md. */
function bodies({ purposes, duration }: Variants): Schemas {
  return {
    challenge: z.object({ wallet: TEXT }),
    verify: z.object({ wallet: TEXT, signature: TEXT.max(200), message: TEXT.max(2_000) }),
    deposit: z.object({ ...MONEY, tx_signature: SIGNATURE }),
    withdraw: z.object({ ...MONEY, destination: TEXT.nullish() }),
    savingsDeposit: z.object(MONEY),
    savingsWithdraw: z.object(MONEY),
    collateralBorrow: z.object({ amount: ANY }),
    collateralRepay: z.object({ amount: ANY }),
    x402Pay: z.object({
      recipient: TEXT,
      ...MONEY,
      service_url: optionalText(2_048),
      memo: optionalText(1_024),
      payment_request: optionalText(8_192),
    }),
    x402Receive: z.object({
      tx_signature: SIGNATURE,
      expected_amount: z.unknown().nullish(),
      expected_token: TEXT.nullish(),
    }),
    loanApply: z.object({
      amount: ANY,
      purpose: z.enum(PURPOSES[purposes]),
      duration: duration === 'required' ? DAYS : DAYS.nullish(),
      collateral: COLLATERAL.nullish(),
    }),
    loanRepay: z.object({ amount: ANY, txSignature: SIGNATURE.nullish() }),
  };
}

/** The queries of operations. Sources: as for the bodies. */
function queries({ variants, limits }: Pick<ModelConfig, 'variants' | 'limits'>): Schemas {
  const { historyRows, requestSeconds } = limits;
  const credit = ['borrow', 'repay'];
  if (limits.liquidationLtv > 0) credit.push('liquidation');
  if (limits.lateFeeUsd + limits.lateFeeRate > 0) credit.push('late_fee');
  if (limits.setOffShare > 0) credit.push('set_off');
  return {
    transactions: z.object({
      limit: wholeNumber(1, historyRows, Math.min(historyRows, 50)),
      offset: wholeNumber(0, 1e15, 0),
      type: z.enum(variants.historyTypes === 'all' ? [...TYPES, ...credit] : TYPES).optional(),
      token: z.enum(['USDC', 'SOL']).optional(),
    }),
    eligibility: z.object({
      amount: QUERY_AMOUNT.optional(),
      purpose: z.enum(PURPOSES[variants.purposes]).optional(),
    }),
    x402Request: z.object({
      amount: QUERY_AMOUNT,
      token: TEXT.default('USDC'),
      description: TEXT.max(1_024).optional(),
      expires_in: wholeNumber(1, YEAR_SECONDS, requestSeconds),
    }),
  };
}

function isBig(value: unknown): boolean {
  if (typeof value === 'string') return value.length > SURELY_SMALL;
  return typeof value === 'object' && value !== null;
}

function isTooLarge(body: unknown): boolean {
  const parts = typeof body === 'object' && body !== null ? Object.values(body) : [body];
  if (parts.length < 8 && !parts.some(isBig)) return false;
  return Buffer.byteLength(JSON.stringify(body), 'utf8') > MAX_BODY_BYTES;
}

/** The rules for the form of requests, written independently: an error in the contract's schemas shows as a difference. */
export class Forms {
  readonly #bodies: Schemas;
  readonly #queries: Schemas;

  constructor(modelConfig: Pick<ModelConfig, 'variants' | 'limits'>) {
    this.#bodies = bodies(modelConfig.variants);
    this.#queries = queries(modelConfig);
  }

  /** Whether an operation has a body, and so accepts an Idempotency-Key. */
  hasBody(operation: EndpointId): boolean {
    return this.#bodies[operation] !== undefined;
  }

  /** Why a body is refused; null if it is valid or the operation has no body. */
  bodyRefusal({ operation, body, spelling }: ApiCall): Refused | null {
    const form = this.#bodies[operation];
    if (form === undefined) return null;
    if (body === undefined) return refused('invalid_json', { reason: SOME_TEXT });
    if (spelling === 'overfull' || isTooLarge(body))
      return refused('payload_too_large', { max_bytes: MAX_BODY_BYTES });
    const { error } = form.safeParse(body);
    return error === undefined ? null : issues(error, 'body');
  }

  /** The parsed query, or the refusal. */
  query({ operation, query }: ApiCall): { values: Members } | Refused {
    const { data, error } = (this.#queries[operation] ?? z.object({})).safeParse(query);
    return error === undefined ? { values: data } : issues(error, 'query');
  }

  /** A call as text, without unknown members: equal texts mean equal calls. */
  callText({ operation, params, body }: ApiCall): string {
    const form = this.#bodies[operation];
    const known = form === undefined ? null : withoutNulls(form.parse(body));
    // Infinite numbers become null.
    const call = JSON.parse(JSON.stringify([operation, params['id'] ?? null, known])) as unknown;
    return canonicalize(call) ?? '';
  }
}

function issues({ issues: found }: z.ZodError, where: string): Refused {
  return refused('invalid_request', {
    issues: found.map(({ path }) => ({ path: [where, ...path].join('.'), message: SOME_TEXT })),
  });
}

function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** The members of a validated body, without null ones. Source: docs/reference/fidelity.md, Requests and responses. */
export function membersOf({ body }: ApiCall): Members {
  return isObject(body) ? withoutNulls(body) : {};
}
