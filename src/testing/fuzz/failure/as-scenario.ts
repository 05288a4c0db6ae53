import { defined } from '../../../core/json.js';
import { agentsIn, scenarioText } from '../../scenario/file/write.js';
import type { FuzzTarget } from '../world.js';
import type { FailureFile } from './failure-file.js';
import { type CheckSuite, ReplayHarness } from '../play/replay.js';
import { InexpressibleStep, References } from './scenario-references.js';
import { StepWriter } from './scenario-steps.js';

/** On-chain funds of every fuzzed agent at the start. */
const FUNDS = { usdc: 100_000, sol: 1_000 };

function introduction(file: FailureFile, references: References): string[] {
  const { name, failure, confirmed, world } = file;
  const lines = [
    `A counterexample of sim fuzz: ${name}`,
    failure.text,
    'The last step fails while the rule is broken. To replay it with every choice of the fuzzer:',
    `  sim replay ${name}.json`,
  ];
  if (confirmed.failure === null)
    lines.push(`It does not fail on ${confirmed.engine}, so this world uses ${world.engine}.`);
  for (const agent of references.collections)
    lines.push(`${references.collectionOf(agent)} is the collection address of ${agent}.`);
  return lines;
}

/**
 * Renders a counterexample as a scenario file that fails while the rule is broken and passes when it holds. Null when a scenario cannot
 * express a step, or the failure: a custom rule, or a custom model that is not passed. If the counterexample no longer breaks a rule, only the outcomes of its steps are expected.
 */
export async function scenarioOf(
  file: FailureFile,
  { target, checkSuite }: { readonly target: FuzzTarget; readonly checkSuite: CheckSuite },
): Promise<string | null> {
  const { world, agents, steps, failure, ownModel } = file;
  if (failure.rule !== undefined || (ownModel === true && checkSuite.isOwnModel !== true)) return null;
  const harness = await ReplayHarness.open(target, world, { agents, checkSuite });
  const { runner } = harness;
  const { modelConfig } = runner.world;
  const addresses = runner.names.map((name, at) => [name, target.madeWallet(world.seed, at + 1)] as const);
  const references = new References(runner, new Map(addresses));
  const writer = new StepWriter(steps, runner, references);
  try {
    await harness.play(steps, (step, result) => writer.add(step, result));
  } catch (error) {
    if (error instanceof InexpressibleStep) return null;
    throw error;
  } finally {
    await harness.close();
  }
  // An agent's number determines its wallet, so earlier agents are created too.
  const begins = runner.names.map((name) => [name, FUNDS] as const);
  const most = runner.names.indexOf(Object.keys(agentsIn(writer.steps, begins)).at(-1) ?? '') + 1;
  const scenario = {
    name: `${file.failure.kind} (counterexample)`,
    description: file.failure.text,
    tags: ['counterexample'],
    world: defined({
      seed: world.seed,
      startTime: new Date(modelConfig.startMs).toISOString(),
      engine: file.confirmed.failure === null ? world.engine : undefined,
      variants: Object.keys(world.variants).length === 0 ? undefined : world.variants,
      limits: world.limits,
    }),
    invariants: 'always',
    agents: Object.fromEntries(begins.slice(0, most)),
    steps: writer.steps,
  };
  return scenarioText(scenario, introduction(file, references));
}
