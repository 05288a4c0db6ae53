import { parseDuration } from '../domain/calendar.js';
import type { ReviewTiming } from '../domain/ports.js';

/** How applications are reviewed: by a person, by the score at once, or by the score after a while. */
export type ReviewPolicy =
  | { readonly kind: 'manual' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'delay'; readonly delayMs: number };

/** Reads `manual`, `auto` or `delay:<duration>`. Throws with the allowed forms for anything else. */
export function parseReviewPolicy(text: string): ReviewPolicy {
  if (text === 'manual' || text === 'auto') return { kind: text };
  const delayMs = text.startsWith('delay:') ? parseDuration(text.slice('delay:'.length)) : null;
  if (delayMs === null)
    throw new RangeError(`review is "${text}"; use manual, auto or delay:<duration> such as delay:2h`);
  return { kind: 'delay', delayMs };
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
