import type { z } from 'zod';
import { type EndpointId, type Endpoint, endpoints } from '../../../contract/endpoints.js';
import { parseBySchema } from '../../../contract/parse.js';
import { SOME_TEXT } from './checks.js';
import type { ApiCall, ModelConfig } from './types.js';
import { type Refused, refused } from './verdict.js';
import { isObject } from '../../../core/json.js';

/** Source: docs/fidelity.md, Requests and answers. */
const MAX_BODY_BYTES = 65_536;
const SURELY_SMALL = 4_096;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

type Members = Readonly<Record<string, unknown>>;

function isText(value: unknown, max: number): boolean {
  return value === undefined || (typeof value === 'string' && value.length <= max);
}

function hasAmountAndToken({ amount, token }: Members): boolean {
  return amount !== undefined && typeof token === 'string';
}

/** Bodies that certainly have the published form. All others are checked by the schema. */
const SURE: Partial<Record<EndpointId, (body: Members) => boolean>> = {
  challenge: ({ wallet }) => typeof wallet === 'string',
  deposit: (body) =>
    hasAmountAndToken(body) &&
    typeof body['tx_signature'] === 'string' &&
    SIGNATURE.test(body['tx_signature']),
  withdraw: (body) => hasAmountAndToken(body) && isText(body['destination'], SURELY_SMALL),
  savingsDeposit: hasAmountAndToken,
  savingsWithdraw: hasAmountAndToken,
  collateralBorrow: ({ amount }) => amount !== undefined,
  collateralRepay: ({ amount }) => amount !== undefined,
  x402Pay: (body) =>
    hasAmountAndToken(body) &&
    typeof body['recipient'] === 'string' &&
    isText(body['service_url'], 2_048) &&
    isText(body['memo'], 1_024) &&
    isText(body['payment_request'], 8_192),
};

function isBig(value: unknown): boolean {
  if (typeof value === 'string') return value.length > SURELY_SMALL;
  return typeof value === 'object' && value !== null;
}

/** Whether the JSON of a body exceeds the service's limit. */
function isTooLarge(body: unknown): boolean {
  const parts = typeof body === 'object' && body !== null ? Object.values(body) : [body];
  if (parts.length < 8 && !parts.some(isBig)) return false;
  return Buffer.byteLength(JSON.stringify(body), 'utf8') > MAX_BODY_BYTES;
}

/** The published schemas' rules for the form of requests. */
export class Forms {
  readonly #endpoints: Readonly<Record<string, Endpoint>>;

  constructor({ variants, limits }: Pick<ModelConfig, 'variants' | 'limits'>) {
    this.#endpoints = endpoints(variants, limits);
  }

  endpoint(operation: EndpointId): Endpoint {
    const endpoint = this.#endpoints[operation];
    if (endpoint === undefined) throw new RangeError(`no operation ${operation}`);
    return endpoint;
  }

  /** Why a body is refused; null if it is valid, or the operation has none. */
  bodyRefusal({ operation, body }: ApiCall): Refused | null {
    const { body: schema } = this.endpoint(operation);
    if (schema === undefined) return null;
    if (body === undefined) return refused('invalid_json', { reason: SOME_TEXT });
    if (isTooLarge(body)) return refused('payload_too_large', { max_bytes: MAX_BODY_BYTES });
    const isSure = SURE[operation];
    if (isSure !== undefined && isObject(body) && isSure(body)) return null;
    const parsed = parseBySchema(schema, body);
    return parsed.success ? null : issues(parsed.error, 'body');
  }

  /** The parsed query, or the refusal. */
  query({ operation, query }: ApiCall): { values: Members } | Refused {
    const { query: schema } = this.endpoint(operation);
    if (schema === undefined) return { values: {} };
    const parsed = schema.safeParse(query);
    return parsed.success ? { values: parsed.data } : issues(parsed.error, 'query');
  }

  /** A call as text, without unknown members: equal texts are equal calls. */
  callText({ operation, params, body }: ApiCall): string {
    const { body: schema } = this.endpoint(operation);
    const known = schema === undefined ? null : parseBySchema(schema, body).data;
    return JSON.stringify([operation, params['id'] ?? null, sorted(known)]);
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => [name, sorted(member)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function issues(error: z.ZodError, where: string): Refused {
  return refused('invalid_request', {
    issues: error.issues.map(({ path, message }) => ({ path: [where, ...path].join('.'), message })),
  });
}

/** The members of a body whose form is already validated; a null one is absent. Source: docs/fidelity.md, Requests and answers. */
export function membersOf({ body }: ApiCall): Members {
  return isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : {};
}
