import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject, valueAt } from '../../../core/json.js';
import type { Answer, ApiCall, ModelToken, Trouble } from '../model/types.js';
import type { Memory, Played, ModelRunner } from '../play/model-runner.js';
import type { CallArgs, Json, Step } from '../step.js';
import type { Mishap } from '../world.js';

type JsonObject = Readonly<Record<string, Json>>;

export function callOf(
  operation: EndpointId,
  { by, with: args }: Pick<Step, 'by' | 'with'>,
  runner: ModelRunner,
): ApiCall {
  const { auth, params = {}, query = {}, body, key = null, spelling } = runner.resolve(args) as CallArgs;
  const isInfinite = spelling === 'infinite' && isObject(body) && typeof body['amount'] === 'number';
  const token = by === undefined ? undefined : runner.memory.tokens.get(by)?.text;
  const own = token === undefined ? null : `Bearer ${token}`;
  return {
    operation,
    authorization: auth === undefined ? own : auth === 'none' ? null : auth,
    params,
    query,
    body: isInfinite ? { ...body, amount: Number.POSITIVE_INFINITY } : body,
    key,
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

/** The value of a response that later steps may refer to: its name and its path. */
const KEPT: Readonly<Partial<Record<EndpointId, readonly [what: string, path: string]>>> = {
  challenge: ['challenge', 'challenge'],
  x402Request: ['header', 'headers.X-Payment-Request'],
  loanApply: ['loan', 'application.id'],
  x402Pay: ['signature', 'tx_signature'],
  withdraw: ['signature', 'withdrawal.tx_signature'],
};
/** The signature of a payment whose outcome is unknown, in its refusal. */
const UNDER_WAY = ['signature', 'details.tx_signature'] as const;
/** Operations that look up a transaction, record it, and are refused unless their amount is what it moved. */
export const ABOUT_TRANSACTIONS: ReadonlySet<EndpointId> = new Set(['deposit', 'x402Receive', 'loanRepay']);

/** Stores parts of a response that later steps may refer to. */
export function rememberCall(
  operation: EndpointId,
  step: Step,
  { response, runner }: { response: Answer; runner: ModelRunner },
): void {
  const { memory } = runner;
  keepInstants(response.body, memory);
  const isDone = response.status === 200;
  if (!isDone && operation !== 'x402Pay') return;
  const [what, path] = isDone ? (KEPT[operation] ?? []) : UNDER_WAY;
  const args = runner.resolve(step.with) as JsonObject;
  if (ABOUT_TRANSACTIONS.has(operation)) {
    const { tx_signature, txSignature } = (args['body'] ?? {}) as Record<string, string>;
    const signature = tx_signature ?? txSignature;
    if (signature !== undefined) memory.recorded.add(signature);
  }
  const value = path === undefined ? undefined : valueAt(response.body, path);
  if (what === undefined || path === undefined || typeof value !== 'string') return;
  const reference = runner.keep(step, what, value, path);
  const of = step.by ?? '';
  if (operation === 'challenge') memory.challenges.push({ reference, of });
  else if (operation === 'loanApply') memory.loans.push({ reference, of });
  else if (operation === 'x402Request') {
    const { query } = args as { query: { amount: string; token?: ModelToken } };
    memory.requests.push({ reference, of, amount: Number(query.amount), token: query.token ?? 'USDC' });
  } else {
    const transfers = bankTransfers(operation, args, runner);
    memory.transactions.push({ reference, signature: value, by: null, others: [], transfers });
  }
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

/** Faults of the connection, which take the response away: whether the call takes effect. */
const TAKES_EFFECT: Readonly<Partial<Record<Mishap, boolean>>> = {
  'drop-connection': false,
  'lose-response': true,
};

/** Outcomes after which an agent retries. */
const FAILED: readonly string[] = ['lost', 'chain_unavailable', 'transaction_failed'];

/** Stores a call that can be repeated: with an Idempotency-Key, or after a failure. */
export function keepRepeatable(
  operation: EndpointId,
  { by, with: args }: Step,
  at: { runner: ModelRunner; outcome: string },
): void {
  const { memory } = at.runner;
  const hasFailed = FAILED.includes(at.outcome);
  if (by === undefined || (args['key'] === undefined && !hasFailed)) return;
  const { mishap: _mishap, ...calm } = args;
  const call = { by, operation, args: calm, isDone: at.outcome === 'ok', atMs: at.runner.world.nowMs() };
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
  const takesEffect = mishap === null ? undefined : TAKES_EFFECT[mishap];
  const trouble = mishap === null ? NO_OUTAGE : { ...NO_OUTAGE, ...TROUBLES[mishap] };
  const expectation = takesEffect === false ? null : model.expect(call, trouble);
  const response = await world.call(call, mishap);
  if (expectation === null || takesEffect === true) {
    expectation?.judge(null);
    const status = expectation === null ? (response?.status ?? null) : null;
    const deviation = response === null ? null : ({ kind: 'answered', status } as const);
    return { response: null, played: { outcome: 'lost', deviation } };
  }
  if (response === null) return { response, played: { outcome: 'lost', deviation: { kind: 'unanswered' } } };
  return { response, played: { outcome: expectation.code ?? 'ok', deviation: expectation.judge(response) } };
}

export async function playCall(operation: EndpointId, step: Step, runner: ModelRunner): Promise<Played> {
  const mishap = (step.with['mishap'] as Mishap | undefined) ?? null;
  const call = callOf(operation, step, runner);
  const { response, played } = await judged(call, runner, mishap);
  keepRepeatable(operation, step, { runner, outcome: played.outcome });
  if (operation === 'x402Pay' && mishap !== 'drop-connection') keepTriedRequest(call, runner);
  if (response !== null && played.deviation === null) rememberCall(operation, step, { response, runner });
  return played;
}
