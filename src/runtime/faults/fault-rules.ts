import { createHash } from 'node:crypto';
import { List } from 'immutable';
import type { ConfirmFault, SubmitFault, InjectedFaults } from '../../core/domain/request-context.js';

/** The stages of a call at which a fault can be injected. */
export const PHASES = ['before', 'after-commit', 'chain-submit', 'chain-confirm'] as const;
export type Phase = (typeof PHASES)[number];

/** The effect of a fault. Durations are milliseconds of the world's time. */
export type FaultEffect =
  /** Replaces the response, either before the call is handled or after it was executed. */
  | {
      readonly kind: 'replace-response';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      /** For the Retry-After header. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection ends without a response; the call was not executed. */
  | { readonly kind: 'drop-connection' }
  /** The connection ends without a response; the call was executed. */
  | { readonly kind: 'lose-response' }
  | { readonly kind: 'drop-transaction' }
  /** The transaction arrives late, or is confirmed late. */
  | { readonly kind: 'delay-transaction'; readonly ms: number }
  | { readonly kind: 'expire-blockhash' }
  | { readonly kind: 'chain-unavailable' }
  | { readonly kind: 'oracle-outage' };
export type EffectKind = FaultEffect['kind'];

/** The phases that an effect can have; the first is the default. */
export const PHASES_OF: Readonly<Record<EffectKind, readonly [Phase, ...Phase[]]>> = {
  'replace-response': ['before', 'after-commit'],
  delay: ['before', 'after-commit'],
  'drop-connection': ['before'],
  'lose-response': ['after-commit'],
  'drop-transaction': ['chain-submit'],
  'delay-transaction': ['chain-submit', 'chain-confirm'],
  'expire-blockhash': ['chain-submit'],
  'chain-unavailable': ['chain-submit', 'chain-confirm'],
  'oracle-outage': ['before'],
};

/** The calls that a rule matches, and the matching calls that it fires on: all conditions must hold. */
export interface FaultWhen {
  /** The nth matching call, from 1. */
  readonly nth: number | null;
  /** Every nth matching call. */
  readonly every: number | null;
  /** Probability per call, 0 to 1; drawn from the world's seed. */
  readonly probability: number | null;
  /** Calls from `fromMs` on, and before `untilMs`. */
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  readonly wallet: string | null;
  /** Maximum number of calls that the rule fires on. */
  readonly times: number | null;
}

/** A rule: the calls it matches, when it fires, and its effect. */
export interface FaultRule {
  /** A call to the service's API by its operation id, or to the chain's RPC by its method; `*` for all. */
  readonly target: { readonly kind: 'api' | 'rpc'; readonly name: string };
  readonly phase: Phase;
  readonly when: FaultWhen;
  readonly effect: FaultEffect;
}

export interface Fault extends FaultRule {
  readonly id: string;
  // The names of both counts are part of the layout of state files.
  /** Calls that it matched. */
  readonly met: number;
  /** Calls that it fired on. */
  readonly struck: number;
}

export interface IncomingCall {
  readonly kind: 'api' | 'rpc';
  readonly name: string;
  /** The caller: the signed-in wallet, or the signers of a transaction. */
  readonly wallets: readonly string[];
  readonly nowMs: number;
}

/** An injected fault, as it is logged. */
export interface FaultReport {
  readonly fault: string;
  readonly phase: Phase;
  readonly effect: EffectKind;
}

export interface FaultsSnapshot {
  readonly faults: List<Fault>;
  readonly added: number;
}

function submitFaultOf(effect: FaultEffect): SubmitFault | null {
  switch (effect.kind) {
    case 'drop-transaction':
      return { kind: 'drop' };
    case 'delay-transaction':
      return { kind: 'delay', ms: effect.ms };
    case 'expire-blockhash':
      return { kind: 'expire' };
    case 'chain-unavailable':
      return { kind: 'unavailable' };
    default:
      return null;
  }
}

function confirmFaultOf(effect: FaultEffect): ConfirmFault | null {
  if (effect.kind === 'delay-transaction') return { kind: 'delay', ms: effect.ms };
  return effect.kind === 'chain-unavailable' ? { kind: 'unavailable' } : null;
}

/** The faults to inject into one call. */
function planOf(struck: readonly Fault[]) {
  const before: FaultEffect[] = [];
  const after: FaultEffect[] = [];
  let submit: SubmitFault | null = null;
  let confirm: ConfirmFault | null = null;
  let oracleIsOut = false;
  for (const { phase, effect } of struck) {
    if (effect.kind === 'oracle-outage') oracleIsOut = true;
    else if (phase === 'before') before.push(effect);
    else if (phase === 'after-commit') after.push(effect);
    else if (phase === 'chain-submit') submit ??= submitFaultOf(effect);
    else confirm ??= confirmFaultOf(effect);
  }
  const isTroubled = submit !== null || confirm !== null || oracleIsOut;
  const reports: FaultReport[] = struck.map(({ id, phase, effect }) => ({
    fault: id,
    phase,
    effect: effect.kind,
  }));
  const trouble: InjectedFaults | null = isTroubled ? { submit, confirm, oracleIsOut } : null;
  return {
    reports,
    /** Effects before the call is handled and after it was executed, in the order of the rules. */
    before,
    after,
    /** Faults of the chain and the oracle; null without faults. */
    trouble,
  };
}

const NO_FAULTS = planOf([]);

/** Fault rules. Randomness derives from the seed and a rule's count of matched calls, so runs repeat. */
export class Faults {
  readonly #seed: string;
  #faults: List<Fault> = List();
  #added = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  get isEmpty(): boolean {
    return this.#faults.size === 0;
  }

  /** The active rules, in the order in which they were added. */
  list(): Fault[] {
    return [...this.#faults];
  }

  /** Adds a rule and returns it with its id. Throws RangeError for an effect that its phase cannot have. */
  add(rule: FaultRule): Fault {
    const phases = PHASES_OF[rule.effect.kind];
    if (!phases.includes(rule.phase))
      throw new RangeError(
        `${rule.effect.kind} cannot happen in the phase ${rule.phase}, only in ${phases.join(' or ')}`,
      );
    this.#added += 1;
    const fault = { ...rule, id: `fault-${this.#added}`, met: 0, struck: 0 };
    this.#faults = this.#faults.push(fault);
    return fault;
  }

  /** Removes one rule, or all. Throws RangeError for an unknown id. */
  clear(id?: string): void {
    const left = id === undefined ? this.#faults.clear() : this.#faults.filter((fault) => fault.id !== id);
    if (id !== undefined && left.size === this.#faults.size) throw new RangeError(`there is no fault ${id}`);
    this.#faults = left;
  }

  /** The faults to inject into a call; counts it for each matching rule. */
  meet(call: IncomingCall) {
    if (this.#faults.size === 0) return NO_FAULTS;
    const struck: Fault[] = [];
    this.#faults = this.#faults.map((fault) => {
      if (!looksAt(fault, call)) return fault;
      const seen = { ...fault, met: fault.met + 1 };
      if (!this.#fires(seen)) return seen;
      struck.push(fault);
      return { ...seen, struck: fault.struck + 1 };
    });
    return struck.length === 0 ? NO_FAULTS : planOf(struck);
  }

  snapshot(): FaultsSnapshot {
    return { faults: this.#faults, added: this.#added };
  }

  restore(snapshot: FaultsSnapshot): void {
    this.#faults = snapshot.faults;
    this.#added = snapshot.added;
  }

  #fires({ id, met, struck, when }: Fault): boolean {
    if (when.times !== null && struck >= when.times) return false;
    if (when.nth !== null && met !== when.nth) return false;
    if (when.every !== null && met % when.every !== 0) return false;
    return when.probability === null || this.#chance(id, met) < when.probability;
  }

  /** A number from 0 to below 1, determined by the seed, a rule and a call. */
  #chance(id: string, met: number): number {
    const digest = createHash('sha256').update(`${this.#seed}/${id}/${met}`).digest();
    return digest.readUInt32LE(0) / 2 ** 32;
  }
}

function looksAt({ target, when }: Fault, call: IncomingCall): boolean {
  if (target.kind !== call.kind || (target.name !== '*' && target.name !== call.name)) return false;
  if (when.wallet !== null && !call.wallets.includes(when.wallet)) return false;
  if (when.fromMs !== null && call.nowMs < when.fromMs) return false;
  return when.untilMs === null || call.nowMs < when.untilMs;
}

/** Waits for each delay in order; returns the first effect that replaces the response, null when none does. */
export async function applyFaults(
  effects: readonly FaultEffect[],
  sleep: (ms: number) => Promise<void>,
): Promise<FaultEffect | null> {
  for (const effect of effects) {
    if (effect.kind !== 'delay') return effect;
    await sleep(effect.ms);
  }
  return null;
}
