import type { FaultWhen } from '../../src/runtime/faults/fault-rules.js';

/** The conditions of a fault rule that applies to each call. */
export const ALWAYS: FaultWhen = {
  nth: null,
  every: null,
  probability: null,
  fromMs: null,
  untilMs: null,
  wallet: null,
  times: null,
};
