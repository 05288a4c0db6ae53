import { parseDuration } from '../core/domain/calendar.js';
import type { ReviewTiming } from '../core/domain/ports.js';

/** How applications are decided: by a person, by the score at once, or by the score after a delay. */
export type ReviewPolicy =
  | { readonly kind: 'manual' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'delay'; readonly delayMs: number };

/** Parses `manual`, `auto` or `delay:<duration>`. Throws RangeError listing the allowed forms for anything else. */
export function parseReviewPolicy(given: unknown): ReviewPolicy {
  if (given === 'manual' || given === 'auto') return { kind: given };
  const text = typeof given === 'string' ? given : typeof given;
  const delayMs = text.startsWith('delay:') ? parseDuration(text.slice('delay:'.length)) : null;
  if (delayMs === null)
    throw new RangeError(`review is "${text}"; use manual, auto, or delay:<duration> such as delay:2h`);
  return { kind: 'delay', delayMs };
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

/** The policy as text that `parseReviewPolicy` accepts. */
export function reviewPolicyText(policy: ReviewPolicy): string {
  return policy.kind === 'delay' ? `delay:${durationText(policy.delayMs)}` : policy.kind;
}

/** When a policy decides an application made at `nowMs`. */
export function reviewTiming(policy: ReviewPolicy, nowMs: number): ReviewTiming {
  switch (policy.kind) {
    case 'manual':
      return { kind: 'manual' };
    case 'auto':
      return { kind: 'at-once' };
    case 'delay':
      return { kind: 'at', atMs: nowMs + policy.delayMs };
  }
}
