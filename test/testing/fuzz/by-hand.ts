import {
  COMMANDS,
  type FailureFile,
  type FuzzTarget,
  GOALS,
  Model,
  type ModelConfig,
  type Step,
  type Summary,
} from '../../../src/testing/fuzz-library.js';
import { failureOf } from '../../../src/testing/fuzz/campaign/refine.js';
import type { CheckSuite } from '../../../src/testing/fuzz/play/replay.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequences.js';
import type { WorldOptions } from '../../../src/testing/fuzz/world.js';

/** The commands and the model of the service, and no rules besides. */
export const CHECK_SUITE: CheckSuite = {
  commands: COMMANDS,
  rules: [],
  makeModel: (modelConfig: ModelConfig) => new Model(modelConfig),
};

/** The world of a counterexample written by hand. */
export const WORLD: WorldOptions = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} };

/** How steps fail in a fresh world; null if they do not. */
export function failureIn(
  target: FuzzTarget,
  steps: readonly Step[],
  { agents = 2, world = WORLD }: { agents?: number; world?: WorldOptions } = {},
): Promise<Failure | null> {
  return failureOf(steps, { target, world, agents, checkSuite: CHECK_SUITE });
}

/** A counterexample written by hand: these steps, on litesvm. */
export function failureByHand(steps: readonly Step[], agents = 2): FailureFile {
  return {
    format: 'agent-bank-sim failure',
    version: 3,
    name: 'by-hand',
    found: { property: 'everything', seed: 1, run: 0 },
    software: {},
    world: WORLD,
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
