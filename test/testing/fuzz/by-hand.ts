import type { FailureFile, Step } from '../../../src/testing/fuzz-library.js';

/** A counterexample written by hand: these steps, on litesvm. */
export function failureByHand(steps: readonly Step[], agents = 2): FailureFile {
  return {
    format: 'agent-bank-sim failure',
    version: 1,
    name: 'by-hand',
    found: { property: 'everything', seed: 1, run: 0 },
    software: {},
    world: { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} },
    agents,
    failure: { at: steps.length - 1, kind: 'by hand', text: 'it fails' },
    confirmed: { engine: 'bankrun', failure: null },
    steps,
  };
}
