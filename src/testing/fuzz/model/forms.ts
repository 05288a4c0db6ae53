import type { EndpointId } from '../../../contract/endpoints.js';
import type { BankLimits } from '../../../core/domain/bank-limits.js';
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

type Path = readonly string[];

interface Form {
  /** Where a present value deviates; empty if it does not. */
  readonly deviations: (value: unknown) => readonly Path[];
  readonly isOptional?: true;
  /** The value of an absent query member. */
  readonly fallback?: unknown;
  /** The value of a query text. */
  readonly meaning?: (text: string) => unknown;
}

type ObjectForm = Readonly<Record<string, Form>>;

const SELF: readonly Path[] = [[]];

function that(accepts: (value: unknown) => boolean): Form {
  return { deviations: (value) => (accepts(value) ? [] : SELF) };
}

function optional(form: Form): Form {
  return { ...form, isOptional: true };
}

function text(max: number): Form {
  return that((value) => typeof value === 'string' && value.length <= max);
}

function oneOf(names: readonly string[]): Form {
  return that((value) => typeof value === 'string' && names.includes(value));
}

/** Any value: an invalid amount is refused later, as an amount. */
const ANY = that(() => true);
const TEXT = text(Infinity);
const SIGNATURE = that((value) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(value));
const DAYS = that(
  (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 90,
);

/** Where an object deviates. For an optional member, null means absent. */
function deviationsOf(form: ObjectForm, value: unknown): readonly Path[] {
  if (!isObject(value)) return SELF;
  return Object.entries(form).flatMap(([name, member]) => {
    const present = value[name];
    if (present === undefined || (present === null && member.isOptional === true))
      return member.isOptional === true ? [] : [[name]];
    return member.deviations(present).map((path) => [name, ...path]);
  });
}

function objectOf(form: ObjectForm): Form {
  return { deviations: (value) => deviationsOf(form, value) };
}

const QUERY_AMOUNT: Form = {
  ...TEXT,
  meaning: (raw) => (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(raw) ? Number(raw) : Number.NaN),
};

function wholeNumber(min: number, max: number, fallback: number): Form {
  const isIn = (value: number) => value >= min && value <= max;
  const isGood = (raw: unknown) => typeof raw === 'string' && /^\d{1,15}$/.test(raw) && isIn(Number(raw));
  return { ...that(isGood), isOptional: true, fallback, meaning: Number };
}

const TOKEN_NAMES = ['USDC', 'SOL'];
const TYPES = ['deposit', 'withdraw', 'savings_deposit', 'savings_withdraw', 'x402_payment', 'x402_receive'];
const FOUR = ['task', 'working_capital', 'liquidity_provision', 'trading'];
const SIX = [...FOUR.slice(0, 3), 'market_neutral', 'directional_trading', 'speculative'];
const PURPOSES = { union: [...SIX, 'trading'], six: SIX, four: FOUR };

const COLLATERAL: ObjectForm = { type: optional(TEXT), amount: optional(ANY) };
const MONEY: ObjectForm = { amount: ANY, token: TEXT };

/** The bodies of operations. Source: the published description and docs/reference/fidelity.md. */
function bodies({ purposes, duration }: Variants): Partial<Record<EndpointId, ObjectForm>> {
  return {
    challenge: { wallet: TEXT },
    verify: { wallet: TEXT, signature: text(200), message: text(2_000) },
    deposit: { ...MONEY, tx_signature: SIGNATURE },
    withdraw: { ...MONEY, destination: optional(TEXT) },
    savingsDeposit: MONEY,
    savingsWithdraw: MONEY,
    collateralBorrow: { amount: ANY },
    collateralRepay: { amount: ANY },
    x402Pay: {
      recipient: TEXT,
      ...MONEY,
      service_url: optional(text(2_048)),
      memo: optional(text(1_024)),
      payment_request: optional(text(8_192)),
    },
    x402Receive: { tx_signature: SIGNATURE, expected_amount: optional(ANY), expected_token: optional(TEXT) },
    loanApply: {
      amount: ANY,
      purpose: oneOf(PURPOSES[purposes]),
      duration: duration === 'required' ? DAYS : optional(DAYS),
      collateral: optional(objectOf(COLLATERAL)),
    },
    loanRepay: { amount: ANY, txSignature: optional(SIGNATURE) },
  };
}

/** The queries of operations. Sources: as for the bodies. */
function queries(
  { purposes, historyTypes }: Variants,
  limits: BankLimits,
): Partial<Record<EndpointId, ObjectForm>> {
  const { historyRows, requestSeconds } = limits;
  const credit = ['borrow', 'repay'];
  if (limits.liquidationLtv > 0) credit.push('liquidation');
  if (limits.lateFeeUsd + limits.lateFeeRate > 0) credit.push('late_fee');
  if (limits.setOffShare > 0) credit.push('set_off');
  const types = historyTypes === 'all' ? [...TYPES, ...credit] : TYPES;
  return {
    transactions: {
      limit: wholeNumber(1, historyRows, Math.min(historyRows, 50)),
      offset: wholeNumber(0, 1e15, 0),
      type: optional(oneOf(types)),
      token: optional(oneOf(TOKEN_NAMES)),
    },
    eligibility: { amount: optional(QUERY_AMOUNT), purpose: optional(oneOf(PURPOSES[purposes])) },
    x402Request: {
      amount: QUERY_AMOUNT,
      token: { ...optional(TEXT), fallback: 'USDC' },
      description: optional(text(1_024)),
      expires_in: wholeNumber(1, YEAR_SECONDS, requestSeconds),
    },
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
  readonly #bodies: Partial<Record<EndpointId, ObjectForm>>;
  readonly #queries: Partial<Record<EndpointId, ObjectForm>>;

  constructor({ variants, limits }: Pick<ModelConfig, 'variants' | 'limits'>) {
    this.#bodies = bodies(variants);
    this.#queries = queries(variants, limits);
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
    const paths = deviationsOf(form, body);
    return paths.length === 0 ? null : issues(paths, 'body');
  }

  /** The parsed query, or the refusal. */
  query({ operation, query }: ApiCall): { values: Members } | Refused {
    const form = this.#queries[operation] ?? {};
    const paths = deviationsOf(form, query);
    if (paths.length > 0) return issues(paths, 'query');
    const values = Object.entries(form).map(([name, { fallback, meaning }]) => {
      const raw = query[name];
      return [name, raw === undefined ? fallback : meaning === undefined ? raw : meaning(raw)] as const;
    });
    return { values: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
  }

  /** A call as text, without unknown members: equal texts mean equal calls. */
  callText({ operation, params, body }: ApiCall): string {
    const form = this.#bodies[operation];
    const known = form === undefined ? null : sorted(knownOf(form, body));
    return JSON.stringify([operation, params['id'] ?? null, known]);
  }
}

/** The known members of a body, without optional members that are null. */
function knownOf(form: ObjectForm, body: unknown): unknown {
  const members = isObject(body) ? body : {};
  const isKnown = ([name, { isOptional }]: [string, Form]) =>
    members[name] !== undefined && (members[name] !== null || isOptional !== true);
  return Object.fromEntries(
    Object.entries(form)
      .filter(isKnown)
      .map(([name]) => [name, name === 'collateral' ? knownOf(COLLATERAL, members[name]) : members[name]]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => [name, sorted(member)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function issues(paths: readonly Path[], where: string): Refused {
  return refused('invalid_request', {
    issues: paths.map((path) => ({ path: [where, ...path].join('.'), message: SOME_TEXT })),
  });
}

/** The members of a validated body, without null ones. Source: docs/reference/fidelity.md, Requests and responses. */
export function membersOf({ body }: ApiCall): Members {
  return isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : {};
}
