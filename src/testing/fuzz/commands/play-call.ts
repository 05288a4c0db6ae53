import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject, valueAt } from '../../../core/json.js';
import type { Deviation } from '../model/difference.js';
import type { Answer, ApiCall, ModelToken, Spelling, Trouble } from '../model/types.js';
import type { Memory } from '../play/memory.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Json, Step } from '../step.js';
import type { Mishap } from '../world.js';

type JsonObject = Readonly<Record<string, Json>>;

export function callOf(
  operation: EndpointId,
  { by, with: args }: Pick<Step, 'by' | 'with'>,
  runner: ModelRunner,
): ApiCall {
  const { auth, params, query, body, key, spelling } = runner.resolve(args) as {
    auth?: string;
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: Json;
    key?: string;
    spelling?: Spelling;
  };
  const isInfinite = spelling === 'infinite' && isObject(body) && typeof body['amount'] === 'number';
  const token = by === undefined ? undefined : runner.memory.tokens.get(by)?.text;
  const own = token === undefined ? null : `Bearer ${token}`;
  return {
    operation,
    authorization: auth === undefined ? own : auth === 'none' ? null : auth,
    params: params ?? {},
    query: query ?? {},
    body: isInfinite ? { ...body, amount: Number.POSITIVE_INFINITY } : body,
    key: key ?? null,
    spelling,
  };
}

/** The bank's transfers for a call, as far as the response shows them. */
function bankTransfers(operation: EndpointId, args: JsonObject, runner: ModelRunner) {
  const { recipient, destination, token, amount } = (args['body'] ?? {}) as JsonObject;
  const named = operation === 'x402Pay' ? recipient : destination;
  if (typeof named !== 'string' || typeof amount !== 'number') return [];
  const isCustomer = operation === 'x402Pay' && runner.nameOf(named) !== null;
  const to = isCustomer ? runner.world.modelConfig.collectionOf(named) : named;
  const units = BigInt(Math.round(amount * (token === 'SOL' ? 1e9 : 1e6)));
  return [{ from: runner.world.modelConfig.treasury, to, token: token as ModelToken, amountBase: units }];
}

/** Operations with results that later steps may refer to. */
const LEAVES: ReadonlySet<EndpointId> = new Set([
  'challenge',
  'x402Request',
  'loanApply',
  'deposit',
  'x402Receive',
  'loanRepay',
  'x402Pay',
  'withdraw',
]);

/** A successful call. `call` is its index among overlapping ones. */
interface Answered {
  readonly response: Answer;
  readonly runner: ModelRunner;
  readonly call?: number;
}

/** Stores parts of a response that later steps may refer to. */
function remember(operation: EndpointId, step: Step, { response: { body }, runner, call }: Answered): void {
  const { memory } = runner;
  const by = step.by ?? '';
  const args = runner.resolve(step.with) as JsonObject;
  const keep = (what: string, path: string): string | null => {
    const value = valueAt(body, path);
    return typeof value === 'string' ? runner.keep(step, what, value, { call: call ?? null, path }) : null;
  };
  switch (operation) {
    case 'challenge': {
      const reference = keep('challenge', 'challenge');
      if (reference !== null) memory.challenges.push({ reference, of: by });
      return;
    }
    case 'x402Request': {
      const reference = keep('header', 'headers.X-Payment-Request');
      const { query } = args as { query: { amount: string; token?: ModelToken } };
      if (reference === null) return;
      memory.requests.push({ reference, of: by, amount: Number(query.amount), token: query.token ?? 'USDC' });
      return;
    }
    case 'loanApply': {
      const reference = keep('loan', 'application.id');
      if (reference !== null) memory.loans.push({ reference, of: by });
      return;
    }
    case 'deposit':
    case 'x402Receive':
    case 'loanRepay': {
      const { tx_signature, txSignature } = (args['body'] ?? {}) as Record<string, string>;
      const signature = tx_signature ?? txSignature;
      if (signature !== undefined) memory.recorded.add(signature);
      return;
    }
    case 'x402Pay':
    case 'withdraw': {
      const path = operation === 'x402Pay' ? 'tx_signature' : 'withdrawal.tx_signature';
      const reference = keep('signature', path);
      if (reference === null) return;
      const transfers = bankTransfers(operation, args, runner);
      const signature = String(valueAt(body, path));
      memory.transactions.push({ reference, signature, by: null, others: [], transfers });
      return;
    }
    default:
  }
}

export function rememberCall(operation: EndpointId, step: Step, answered: Answered): void {
  if (answered.response.status !== 200 || !LEAVES.has(operation)) return;
  remember(operation, step, answered);
  keepInstants(answered.response.body, answered.runner.memory);
}

export const NO_OUTAGE: Trouble = {
  oracleIsOut: false,
  chainIsOut: false,
  transaction: null,
  isKilled: false,
};

/** The faults that the model must know for a mishap; connection faults do not affect the rules. */
const TROUBLES: Readonly<Partial<Record<Mishap, Partial<Trouble>>>> = {
  'oracle-outage': { oracleIsOut: true },
  'chain-unavailable': { chainIsOut: true },
  'expired-blockhash': { chainIsOut: true },
  'lost-transaction': { transaction: { kind: 'lost' } },
  'late-transaction': { transaction: { kind: 'late', ms: 20_000 } },
  'stale-transaction': { transaction: { kind: 'late', ms: 300_000 } },
  'late-confirmation': { transaction: { kind: 'unconfirmed', ms: 20_000 } },
  'no-confirmation': { transaction: { kind: 'unconfirmed', ms: 0 } },
};

function troubleOf(mishap: Mishap | null): Trouble {
  return mishap === null ? NO_OUTAGE : { ...NO_OUTAGE, ...TROUBLES[mishap] };
}

/** Mishaps that replace the response. */
const REPLACED: ReadonlySet<Mishap> = new Set(['other-response', 'response-replaced']);
const OTHER_RESPONSE = 'injected_fault';

/** The outcome of a call with a lost or replaced response. */
function outcomeUnder(mishap: Mishap): string {
  return REPLACED.has(mishap) ? OTHER_RESPONSE : 'lost';
}

/** Whether the lost response reported what had happened. */
function losesResponse(mishap: Mishap | null): mishap is Mishap {
  return mishap === 'lose-response' || mishap === 'response-replaced';
}

function losesCall(mishap: Mishap | null): mishap is Mishap {
  return mishap === 'drop-connection' || mishap === 'other-response';
}

/** How a response deviates although a fault should have removed or replaced it. */
function ofFault(response: Answer | null, mishap: Mishap): Deviation | null {
  if (response === null) return REPLACED.has(mishap) ? { kind: 'unanswered' } : null;
  const { code, details } = (response.body ?? {}) as { code?: unknown; details?: { faults?: unknown } };
  const named = Array.isArray(details?.faults) && details.faults.length === 1;
  if (REPLACED.has(mishap) && code === OTHER_RESPONSE && named) return null;
  return { kind: 'answered', status: losesResponse(mishap) ? null : response.status };
}

/** Outcomes after which an agent retries. */
const FAILED: ReadonlySet<string> = new Set([
  'lost',
  OTHER_RESPONSE,
  'chain_unavailable',
  'transaction_failed',
]);

/** Stores a call that can be repeated: with an Idempotency-Key, or after a failure. */
export function keepRepeatable(
  operation: EndpointId,
  { by, with: args }: Step,
  at: { runner: ModelRunner; outcome: string },
): void {
  const { memory } = at.runner;
  const hasFailed = FAILED.has(at.outcome);
  if (by === undefined || (args['key'] === undefined && !hasFailed)) return;
  const { mishap: _mishap, ...calm } = args;
  const call = { by, operation, args: calm, isDone: at.outcome === 'ok' };
  if (args['key'] !== undefined) memory.keyed.push(call);
  if (hasFailed) memory.failed.push(call);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Stores the instants in a response: something may end then. */
function keepInstants(value: unknown, memory: Memory): void {
  if (typeof value === 'string') {
    if (INSTANT.test(value)) memory.instants.add(Date.parse(value));
  } else if (isObject(value)) for (const member of Object.values(value)) keepInstants(member, memory);
}

/** Stores a payment request that was paid, or whose payment failed: paying it again shows which. */
function keepTriedRequest({ body }: ApiCall, { memory }: ModelRunner): void {
  const header = isObject(body) ? body['payment_request'] : undefined;
  if (typeof header === 'string') memory.triedRequests.add(header);
}

/** Makes a call and compares its response with the model. */
export async function judged(
  call: ApiCall,
  runner: ModelRunner,
  mishap: Mishap | null = null,
): Promise<{ response: Answer | null; played: Played }> {
  const { world, model } = runner;
  const expectation = model.expect(call, troubleOf(mishap));
  const response = await world.call(call, mishap);
  if (losesResponse(mishap)) {
    expectation.judge(null);
    return {
      response: null,
      played: { outcome: outcomeUnder(mishap), deviation: ofFault(response, mishap) },
    };
  }
  if (response === null) return { response, played: { outcome: 'lost', deviation: { kind: 'unanswered' } } };
  return { response, played: { outcome: expectation.code ?? 'ok', deviation: expectation.judge(response) } };
}

export async function playCall(operation: EndpointId, step: Step, runner: ModelRunner): Promise<Played> {
  const mishap = (step.with['mishap'] as Mishap | undefined) ?? null;
  const call = callOf(operation, step, runner);
  if (losesCall(mishap)) {
    const response = await runner.world.call(call, mishap);
    const outcome = outcomeUnder(mishap);
    keepRepeatable(operation, step, { runner, outcome });
    return { outcome, deviation: ofFault(response, mishap) };
  }
  const { response, played } = await judged(call, runner, mishap);
  keepRepeatable(operation, step, { runner, outcome: played.outcome });
  if (operation === 'x402Pay') keepTriedRequest(call, runner);
  if (response !== null && played.deviation === null) rememberCall(operation, step, { response, runner });
  return played;
}
