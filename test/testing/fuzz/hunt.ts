import { setImmediate } from 'node:timers/promises';
import {
  COMMANDS,
  type FailureFile,
  type FuzzTarget,
  PROPERTIES,
  type Property,
  type Rule,
  type Summary,
  readFailure,
  writeFailure,
} from '../../../src/testing/fuzz-library.js';
import { type RefineOptions, failureOf } from '../../../src/testing/fuzz/campaign/refine.js';
import { type WholeCampaign, runCampaign } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { weighted } from '../../../src/testing/fuzz/campaign/properties.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequence.js';
import type { Step } from '../../../src/testing/fuzz/step.js';
import { JUDGES } from './export-support.js';

interface Hunt extends Partial<WholeCampaign> {
  readonly property?: string;
  readonly rules?: readonly Rule[];
  readonly only?: readonly string[];
  readonly weights?: Readonly<Record<string, number>>;
}

/** How a find is shrunk and played again. */
export const REFINING: RefineOptions = {
  property: 'everything',
  seed: 1,
  checkSuite: JUDGES,
  world: { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} },
  agents: 3,
  shrinkAttempts: 2_000,
  shrinkTimeMs: 60_000,
  software: {},
  now: () => performance.now(),
  pause: () => setImmediate(),
  isStopped: () => false,
};

/** A campaign in worlds of a test's own, until the first find unless it says otherwise. */
export function hunt(target: FuzzTarget, options: Hunt = {}): Promise<Summary> {
  const { property = 'everything', rules = [], only = [], weights = {}, ...more } = options;
  const strategy = PROPERTIES.find(({ name }) => name === property) as Property;
  return runCampaign(target, {
    ...REFINING,
    property,
    checkSuite: { ...JUDGES, rules },
    drawn: weighted(COMMANDS, strategy, { only, weights }),
    runs: 200,
    steps: 40,
    share: { index: 0, count: 1 },
    corpus: [],
    earlier: null,
    maxFinds: 1,
    ignored: [],
    known: [],
    onFound: () => undefined,
    onKept: () => undefined,
    goOn: () => true,
    ...more,
  });
}

/** How the written file of a counterexample fails in a fresh world; null if it does not. */
export function replayedIn(target: FuzzTarget, file: FailureFile): Promise<Failure | null> {
  const { steps, world, agents } = readFailure(writeFailure(file), 'x');
  return failureOf(steps as readonly Step[], {
    target,
    world,
    agents,
    checkSuite: JUDGES,
  });
}
