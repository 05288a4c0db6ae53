import type { Expectations } from '../file/schema.js';
import type { Step } from '../scenario.js';

/** A step that says nothing besides what it does. */
export function plainStep(title: string, does: Step['does']): Step {
  return { title, does, expect: null, save: null, note: null, key: undefined, headers: {}, line: null };
}

/** A step that only looks. */
export function lookingStep(title: string, expectations: Expectations): Step {
  return plainStep(title, { kind: 'expect', expectations });
}
