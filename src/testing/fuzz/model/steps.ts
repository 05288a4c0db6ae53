import type { Steps } from './types.js';

/** The result of a call that no other comes in between of. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
