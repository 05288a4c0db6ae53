import { z } from 'zod';
import { endpoints } from '../contract/endpoints.js';
import { isInstant, parseDuration, parseInstant } from '../core/domain/calendar.js';
import { ERRORS, type ErrorCode } from '../core/domain/errors.js';
import { isAddress } from '../core/domain/inputs.js';
import { DEFAULT_VARIANTS } from '../core/domain/variants.js';
import {
  type EffectKind,
  type Fault,
  type FaultEffect,
  type FaultRule,
  type Faults,
  PHASES,
  PHASES_OF,
  type Phase,
} from './faults/fault-rules.js';
import { ClusterLimit } from './refusals.js';
import { defined, issueText } from '../core/json.js';
import { RPC_METHODS } from '../core/rpc-methods.js';
import { suggestion, unknownMemberText } from '../core/suggestion.js';

const EFFECTS = Object.keys(PHASES_OF) as [EffectKind, ...EffectKind[]];

const duration = z
  .string()
  .refine((text) => (parseDuration(text) ?? 0) > 0, 'must be a duration such as 500ms, 5s or 1h');
const instant = z.string().refine(isInstant, 'must be an instant such as 2026-01-31T12:00:00Z');

const when = z.strictObject({
  nth: z.int().min(1).optional().describe('only the Nth matching call'),
  every: z.int().min(1).optional().describe('every Nth matching call'),
  probability: z.number().min(0).max(1).optional().describe('per call, 0 to 1, drawn from the seed'),
  from: instant.optional().describe('active from, ISO 8601'),
  until: instant.optional().describe('active until (exclusive), ISO 8601'),
  wallet: z
    .string()
    .refine(isAddress, 'must be a Solana address')
    .optional()
    .describe('only calls of this wallet; for RPC, transactions that it signed'),
  times: z.int().min(1).optional().describe('at most N times'),
});

/** A fault rule as users write it: which calls, when, and what effect. */
export const faultInput = z.strictObject({
  endpoint: z.string().optional().describe('an operation such as x402Pay, its path, or * for all'),
  rpc: z.string().optional().describe('an RPC method such as sendTransaction, or * for all'),
  phase: z.enum(PHASES).optional().describe('when it takes effect (default: the first that is possible)'),
  when: when.optional().describe('default: every call'),
  effect: z.enum(EFFECTS).describe('effect of the fault'),
  status: z.int().min(400).max(599).optional().describe('effect replace-response: HTTP status (default 500)'),
  code: z.string().min(1).max(64).optional().describe('effect replace-response: error code'),
  message: z.string().min(1).max(1_024).optional().describe('effect replace-response: error message'),
  retryAfter: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe('effect replace-response: Retry-After in seconds'),
  delay: duration.optional().describe('effects delay and delay-transaction: duration'),
});

/** The argument of `faults.add`. */
export type FaultInput = z.input<typeof faultInput>;

/** A fault rule as users see it. */
export type FaultView = FaultInput & {
  readonly id: string;
  /** Number of matching calls, and number of calls that it fired on. */
  readonly matched: number;
  readonly fired: number;
};

const TABLE = endpoints(DEFAULT_VARIANTS);

function operationOf(name: string): string {
  if (name === '*' || Object.hasOwn(TABLE, name)) return name;
  const path = name.replace(/^(GET|POST) /, '').replace(/^\/api\/v1/, '');
  const method = /^(GET|POST) /.exec(name)?.[1];
  const found = Object.entries(TABLE).filter(
    ([, endpoint]) => endpoint.path === path && (method === undefined || endpoint.method === method),
  );
  const [id] = found[0] ?? [];
  if (id === undefined || found.length > 1) {
    const known = Object.keys(TABLE);
    throw new RangeError(
      found.length > 1
        ? `${name} stands for several operations; name one of ${found.map(([each]) => each).join(', ')}`
        : `no operation is called ${name}${suggestion(name, known) || ';'} there are ${known.join(', ')}, and * for all`,
    );
  }
  return id;
}

function methodOf(name: string): string {
  if (name === '*' || RPC_METHODS.includes(name)) return name;
  throw new RangeError(
    `no method of the rpc is called ${name}${suggestion(name, RPC_METHODS) || ';'} there are ${RPC_METHODS.join(', ')}, and * for all`,
  );
}

function sentenceOfCode(code: string): string | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode][1] : undefined;
}

function replacementEffect(input: FaultInput): FaultEffect {
  const code = input.code ?? (input.status === 429 ? 'too_many_requests' : 'injected_fault');
  const published = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode][0] : 500;
  const status = input.status ?? published;
  return {
    kind: 'replace-response',
    status,
    code,
    message:
      input.message ??
      sentenceOfCode(code) ??
      (status === 429
        ? 'Too many requests; wait for the number of seconds in Retry-After.'
        : 'The simulator injected a fault into this call.'),
    retryAfterSeconds: input.retryAfter ?? (status === 429 ? 1 : null),
  };
}

function effectOf(input: FaultInput): FaultEffect {
  const { effect: kind } = input;
  const replacesResponse = kind === 'replace-response';
  for (const name of ['status', 'code', 'message', 'retryAfter'] as const) {
    if (!replacesResponse && input[name] !== undefined)
      throw new RangeError(`${name} is for the effect replace-response, not for ${kind}`);
  }
  if (replacesResponse) return replacementEffect(input);
  const isDelay = kind === 'delay' || kind === 'delay-transaction';
  if (isDelay !== (input.delay !== undefined))
    throw new RangeError(isDelay ? `${kind} needs a delay such as 5s` : `a delay is not for ${kind}`);
  return isDelay ? { kind, ms: parseDuration(input.delay ?? '') ?? 0 } : { kind };
}

/** The operations that submit a transaction, and those that look one up. */
const SUBMITS = ['x402Pay', 'withdraw', 'x402Request'];
const LOOKS_UP = ['deposit', 'x402Receive', 'loanRepay'];

/** Whether a fault can occur in a phase of an operation. */
function canFire(operation: string, phase: Phase, effect: EffectKind): boolean {
  if (operation === '*' || !phase.startsWith('chain-') || SUBMITS.includes(operation)) return true;
  return LOOKS_UP.includes(operation) && (phase === 'chain-confirm' || effect === 'chain-unavailable');
}

/** The first of some phases in which a fault can occur in an operation. */
function phaseOf(operation: string, effect: EffectKind, phases: readonly Phase[]): Phase | undefined {
  return phases.find((phase) => canFire(operation, phase, effect));
}

function neverFires(operation: string, effect: EffectKind): RangeError {
  const reason = LOOKS_UP.includes(operation)
    ? 'looks up a transaction and does not submit one'
    : 'does not use the chain';
  const phases = PHASES_OF[effect];
  const other = phaseOf(operation, effect, phases);
  const able = [...SUBMITS, ...LOOKS_UP].filter((each) => phaseOf(each, effect, phases) !== undefined);
  const hint =
    other === undefined
      ? `never fire; it can for ${able.join(', ')}`
      : `not fire there; use the phase ${other}`;
  return new RangeError(`${operation} ${reason}, so ${effect} can ${hint}`);
}

/** Parses a user's fault rule. Throws RangeError when it is invalid. */
export function faultRule(given: unknown): FaultRule {
  const parsed = faultInput.safeParse(given, { error: unknownMemberText });
  if (!parsed.success) throw new RangeError(issueText(parsed.error, 'fault'));
  const input = parsed.data;
  const { endpoint, rpc, when: times = {} } = input;
  if ((endpoint === undefined) === (rpc === undefined))
    throw new RangeError('name the calls: an endpoint, or a method of the rpc');
  const effect = effectOf(input);
  const target =
    endpoint === undefined
      ? ({ kind: 'rpc', name: methodOf(rpc ?? '*') } as const)
      : ({ kind: 'api', name: operationOf(endpoint) } as const);
  const operation = target.kind === 'api' ? target.name : '*';
  const phases = input.phase === undefined ? PHASES_OF[effect.kind] : [input.phase];
  const phase = phaseOf(operation, effect.kind, phases);
  if (phase === undefined) throw neverFires(operation, effect.kind);
  if (rpc !== undefined && phase.startsWith('chain-') && rpc !== 'sendTransaction' && rpc !== '*')
    throw new RangeError(`only sendTransaction submits a transaction to the chain, not ${rpc}`);
  if (rpc !== undefined && effect.kind === 'oracle-outage')
    throw new RangeError('no method of the rpc reads the oracle; name an endpoint');
  return {
    target,
    phase,
    effect,
    when: {
      nth: times.nth ?? null,
      every: times.every ?? null,
      probability: times.probability ?? null,
      fromMs: times.from === undefined ? null : parseInstant(times.from),
      untilMs: times.until === undefined ? null : parseInstant(times.until),
      wallet: times.wallet ?? null,
      times: times.times ?? null,
    },
  };
}

function detailsOf(effect: FaultEffect): Partial<FaultInput> {
  if ('ms' in effect) return { delay: `${effect.ms}ms` };
  if (effect.kind !== 'replace-response') return {};
  const { status, code, message, retryAfterSeconds } = effect;
  return defined({ status, code, message, retryAfter: retryAfterSeconds ?? undefined });
}

function viewOf({ id, target, phase, when: times, effect, met: matched, struck: fired }: Fault): FaultView {
  const { fromMs, untilMs, ...rest } = times;
  const conditions = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    ...(fromMs === null ? {} : { from: new Date(fromMs).toISOString() }),
    ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
  };
  return {
    id,
    ...(target.kind === 'api' ? { endpoint: target.name } : { rpc: target.name }),
    phase,
    ...(Object.keys(conditions).length === 0 ? {} : { when: conditions }),
    effect: effect.kind,
    ...detailsOf(effect),
    matched,
    fired,
  };
}

export class FaultsApi {
  readonly #rules: Faults;
  readonly #max: number;
  readonly #hasChain: boolean;

  /** `max` is the limit `faults`; `hasChain` is false on a cluster, whose chain is outside of the world. */
  constructor(rules: Faults, max: number, hasChain = true) {
    this.#rules = rules;
    this.#max = max;
    this.#hasChain = hasChain;
  }

  /** Adds a rule, effective from the next call on. Throws RangeError when it is invalid, ClusterLimit. */
  add(input: FaultInput): FaultView {
    if (this.#rules.list().length >= this.#max)
      throw new RangeError(`there are ${this.#max} faults already, which is the limit faults; clear some`);
    const rule = faultRule(input);
    if (!this.#hasChain && (rule.target.kind === 'rpc' || rule.phase.startsWith('chain-')))
      throw new ClusterLimit('fault');
    return viewOf(this.#rules.add(rule));
  }

  /** The active rules with their counters. */
  list(): FaultView[] {
    return this.#rules.list().map(viewOf);
  }

  /** Removes one rule, or all. Throws RangeError for an unknown id. */
  clear(id?: string): void {
    this.#rules.clear(id);
  }
}
