import { parseDuration } from '../core/domain/calendar.js';
import { isObject } from '../core/json.js';
import type { ReviewTiming } from '../core/domain/ports.js';

/** How one application is decided: by a person, by the score at once, or by the score after a delay. */
export type PlainPolicy =
  | { readonly kind: 'manual' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'delay'; readonly delayMs: number };

/** One step of a script: a verdict at once, or a plain policy. */
export type ScriptStep =
  | PlainPolicy
  | { readonly kind: 'verdict'; readonly approve: boolean; readonly reason: string | null };

/**
 * How applications are reviewed. A script applies one step to each application that reaches the reviewer, in order, and falls back to
 * another policy after its last step. The number of steps applied is part of the policy's value.
 */
export type ReviewPolicy =
  | PlainPolicy
  | {
      readonly kind: 'script';
      readonly steps: readonly ScriptStep[];
      readonly taken: number;
      readonly after: PlainPolicy;
    };

/** A policy as input: a text, or a script as an object, whose reasons may contain any characters. */
export type PolicySource =
  | string
  | {
      readonly script: readonly (string | { readonly approve: string } | { readonly deny: string })[];
      readonly after?: string | undefined;
    };

export interface ReviewPolicyView {
  /** The policy as text that `parseReviewPolicy` accepts; a script with commas in its reasons has its `steps` only. */
  readonly policy: string;
  /** For a script: all of its steps, how many were applied, and the policy after them. */
  readonly script?: { readonly steps: readonly string[]; readonly taken: number; readonly after: string };
}

const MAX_STEPS = 10_000;
const FORMS =
  'use manual, auto, delay:<duration> such as delay:2h, or script:approve,deny:too much debt,manual,after:auto';
const MANUAL: PlainPolicy = { kind: 'manual' };

function plainPolicy(text: string): PlainPolicy | null {
  if (text === 'manual' || text === 'auto') return { kind: text };
  const delayMs = text.startsWith('delay:') ? parseDuration(text.slice('delay:'.length)) : null;
  return delayMs === null ? null : { kind: 'delay', delayMs };
}

function verdict(approve: boolean, reason: string | undefined): ScriptStep {
  return { kind: 'verdict', approve, reason: reason === undefined || reason === '' ? null : reason };
}

function stepOf(text: string): ScriptStep | null {
  const match = /^(approve|deny)(?::(.*))?$/s.exec(text);
  return match === null ? plainPolicy(text) : verdict(match[1] === 'approve', match[2]?.trim());
}

function stepGiven(step: unknown): ScriptStep | null {
  if (typeof step === 'string') return stepOf(step);
  if (!isObject(step)) return null;
  if (typeof step['approve'] === 'string') return verdict(true, step['approve']);
  return typeof step['deny'] === 'string' ? verdict(false, step['deny']) : null;
}

function scriptOf(
  steps: readonly (ScriptStep | null)[],
  after: PlainPolicy | null,
  given: string,
): ReviewPolicy {
  const known = steps.filter((step) => step !== null);
  if (known.length !== steps.length || after === null) throw new RangeError(`review is "${given}"; ${FORMS}`);
  if (known.length === 0 || known.length > MAX_STEPS)
    throw new RangeError(`a script has 1 to ${MAX_STEPS} steps, not ${known.length}; ${FORMS}`);
  return { kind: 'script', steps: known, taken: 0, after };
}

/**
 * Parses `manual`, `auto`, `delay:<duration>`, `script:<step>,…` or a script as an object. A step is `approve` or `deny`, each with
 * an optional `:<reason>`, or a plain policy; `after:<plain policy>` may come last and defaults to `manual`. Throws RangeError listing
 * the allowed forms for anything else.
 */
export function parseReviewPolicy(given: PolicySource): ReviewPolicy {
  if (typeof given !== 'string') {
    // Callers without types may give anything.
    const { script, after, ...other } = Object(given) as Readonly<Record<string, unknown>>;
    const last = after ?? 'manual';
    const text = JSON.stringify(given);
    if (!Array.isArray(script) || typeof last !== 'string' || Object.keys(other).length > 0)
      throw new RangeError(`review is "${text}"; ${FORMS}`);
    return scriptOf(script.map(stepGiven), plainPolicy(last), text);
  }
  const plain = plainPolicy(given);
  if (plain !== null) return plain;
  if (!given.startsWith('script:')) throw new RangeError(`review is "${given}"; ${FORMS}`);
  const words = given
    .slice('script:'.length)
    .split(',')
    .map((word) => word.trim());
  const last = words.at(-1) ?? '';
  const after = last.startsWith('after:') ? plainPolicy(last.slice('after:'.length)) : MANUAL;
  return scriptOf((last.startsWith('after:') ? words.slice(0, -1) : words).map(stepOf), after, given);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0 && ms > 0) ?? (['ms', 1] as const);
  return `${ms / size}${unit}`;
}

function stepText(step: ScriptStep): string {
  switch (step.kind) {
    case 'manual':
    case 'auto':
      return step.kind;
    case 'delay':
      return `delay:${durationText(step.delayMs)}`;
    case 'verdict': {
      const word = step.approve ? 'approve' : 'deny';
      return step.reason === null ? word : `${word}:${step.reason}`;
    }
  }
}

export function reviewPolicyView(policy: ReviewPolicy): ReviewPolicyView {
  if (policy.kind !== 'script') return { policy: stepText(policy) };
  const { taken } = policy;
  const [steps, after] = [policy.steps.map(stepText), stepText(policy.after)];
  return { policy: `script:${[...steps, `after:${after}`].join(',')}`, script: { steps, taken, after } };
}

function stepNow(policy: ReviewPolicy): ScriptStep {
  return policy.kind === 'script' ? (policy.steps[policy.taken] ?? policy.after) : policy;
}

/** When and how a policy decides an application made at `nowMs`. */
export function reviewTiming(policy: ReviewPolicy, nowMs: number): ReviewTiming {
  const step = stepNow(policy);
  switch (step.kind) {
    case 'manual':
      return { kind: 'manual' };
    case 'auto':
      return { kind: 'at-once' };
    case 'delay':
      return { kind: 'at', atMs: nowMs + step.delayMs };
    case 'verdict':
      return { kind: 'verdict', approve: step.approve, reason: step.reason };
  }
}

/** The policy after one more application has reached the reviewer. */
export function afterReview(policy: ReviewPolicy): ReviewPolicy {
  if (policy.kind !== 'script' || policy.taken === policy.steps.length) return policy;
  return { ...policy, taken: policy.taken + 1 };
}
