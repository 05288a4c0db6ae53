import { type FailureFile, GOALS, type Step, type Summary } from '../../../src/testing/fuzz-library.js';

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

/** The summary of a campaign without runs. */
export const NOTHING: Summary = {
  property: 'everything',
  seed: 1,
  next: 0,
  runs: 0,
  steps: 0,
  seconds: 0,
  coverage: [],
  discoveries: [],
  goals: Object.fromEntries(GOALS.map((goal) => [goal, 0])),
  approaches: { 'daily withdrawals': 0, 'daily payments': 1, 'collateral LTV': 1.25 },
  outcomes: {},
  found: null,
  alsoFound: [],
  repeats: 0,
  shrunk: {},
  crashed: [],
  corpus: [],
};
