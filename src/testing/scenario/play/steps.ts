import type { Expectations } from '../file/schema.js';
import type { Step } from '../scenario.js';

/** A step that has only its action. */
export function plainStep(title: string, does: Step['does']): Step {
  return { title, does, line: null };
}

export function lookingStep(title: string, expectations: Expectations): Step {
  return plainStep(title, { kind: 'expect', expectations });
}
