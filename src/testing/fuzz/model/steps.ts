import type { Steps } from './types.js';

/** The result of a call that runs without interruption by other calls. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
