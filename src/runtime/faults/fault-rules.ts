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

/** The phases that an effect can have; the default is the first that the operation can have, too. */
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

/** The calls that a rule matches, and the matching calls that it is drawn for: all conditions must hold. */
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
  /** Maximum number of calls that the rule fires on; calls that it is drawn for and does not affect are not counted. */
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
  /** Calls that it fired on: those that it affected. */
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

/** The faults that take effect in a phase: up to the first that replaces the response. */
function untilReplaced(faults: readonly Fault[]): readonly Fault[] {
  const last = faults.findIndex(({ effect }) => effect.kind !== 'delay');
  return last < 0 ? faults : faults.slice(0, last + 1);
}

/** The faults drawn for one call. A fault fires, once, when it affects the call. */
export class CallFaults {
  /** Effects before the call is handled and after it was executed, in the order of the rules. */
  readonly before: readonly FaultEffect[];
  readonly after: readonly FaultEffect[];
  /** Faults of the chain and the oracle; null without faults. */
  readonly trouble: InjectedFaults | null = null;
  /** The faults that have fired. */
  readonly reports: FaultReport[] = [];
  readonly #after: readonly Fault[];
  /** Those that may still fire. */
  readonly #pending = new Set<Fault>();
  readonly #onFired: (id: string) => void;

  constructor(drawn: readonly Fault[], onFired: (id: string) => void) {
    const oracleFault = drawn.find(({ effect }) => effect.kind === 'oracle-outage');
    const of = (wanted: Phase) =>
      drawn.filter(({ phase, effect }) => phase === wanted && effect.kind !== 'oracle-outage');
    const before = untilReplaced(of('before'));
    const isReplaced = before.some(({ effect }) => effect.kind !== 'delay');
    this.#after = isReplaced ? [] : untilReplaced(of('after-commit'));
    this.#onFired = onFired;
    this.before = before.map(({ effect }) => effect);
    this.after = this.#after.map(({ effect }) => effect);
    const parts = {
      submit: of('chain-submit')[0],
      confirm: of('chain-confirm')[0],
      oracleIsOut: oracleFault,
    };
    const troubling = isReplaced ? [] : Object.values(parts).filter((fault) => fault !== undefined);
    for (const fault of [...before, ...troubling, ...this.#after]) this.#pending.add(fault);
    for (const fault of before) this.#fire(fault);
    if (troubling.length === 0) return;
    this.trouble = {
      submit: parts.submit === undefined ? null : submitFaultOf(parts.submit.effect),
      confirm: parts.confirm === undefined ? null : confirmFaultOf(parts.confirm.effect),
      oracleIsOut: oracleFault !== undefined,
      onFired: (part) => this.#fire(parts[part]),
    };
  }

  /** Whether a rule may still fire on the call. */
  isPending(id: string): boolean {
    return [...this.#pending].some((fault) => fault.id === id);
  }

  /** The faults that have not fired will not: transfers that are in progress keep the call's context. */
  end(): void {
    this.#pending.clear();
  }

  /** Fires the faults after the execution. */
  executed(): void {
    for (const fault of this.#after) this.#fire(fault);
  }

  #fire(fault: Fault | undefined): void {
    if (fault === undefined || !this.#pending.delete(fault)) return;
    const { id, phase, effect } = fault;
    this.reports.push({ fault: id, phase, effect: effect.kind });
    this.#onFired(id);
  }
}

/** Fault rules. Randomness derives from the seed and a rule's count of matched calls, so runs repeat. */
export class Faults {
  readonly #seed: string;
  readonly #inFlight = new Set<CallFaults>();
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

  /** The faults to inject into a call; counts it for each matching rule. Null for none; others must be `ended`. */
  meet(call: IncomingCall): CallFaults | null {
    const drawn: Fault[] = [];
    this.#faults = this.#faults.map((fault) => {
      if (!looksAt(fault, call)) return fault;
      const seen = { ...fault, met: fault.met + 1 };
      if (this.#isDrawn(seen)) drawn.push(seen);
      return seen;
    });
    if (drawn.length === 0) return null;
    const faults = new CallFaults(drawn, (id) => {
      this.#faults = this.#faults.map((fault) =>
        fault.id === id ? { ...fault, struck: fault.struck + 1 } : fault,
      );
    });
    this.#inFlight.add(faults);
    return faults;
  }

  ended(faults: CallFaults): void {
    faults.end();
    this.#inFlight.delete(faults);
  }

  snapshot(): FaultsSnapshot {
    return { faults: this.#faults, added: this.#added };
  }

  restore(snapshot: FaultsSnapshot): void {
    this.#faults = snapshot.faults;
    this.#added = snapshot.added;
    // The calls in progress are undone, and fire no more.
    for (const faults of this.#inFlight) this.ended(faults);
  }

  #isDrawn({ id, met, struck, when }: Fault): boolean {
    if (when.times !== null && struck + this.#pendingCalls(id) >= when.times) return false;
    if (when.nth !== null && met !== when.nth) return false;
    if (when.every !== null && met % when.every !== 0) return false;
    return when.probability === null || this.#chance(id, met) < when.probability;
  }

  /** The number of calls in flight on which a rule may still fire. */
  #pendingCalls(id: string): number {
    return [...this.#inFlight].filter((faults) => faults.isPending(id)).length;
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
