import { agentsIn, scenarioText } from '../../scenario/file/write.js';
import type { FuzzTarget } from '../world.js';
import type { FailureFile } from './failure-file.js';
import { type PlayedStep, recordedIn } from './played-step.js';
import { type CheckSuite, ReplayHarness } from '../play/replay.js';
import { expectedAtLast } from './scenario-expect.js';
import { References } from './scenario-references.js';
import { StepWriter } from './scenario-steps.js';

/** On-chain funds of every fuzzed agent at the start. */
const FUNDS = { usdc: 100_000, sol: 1_000 };

/** Addresses of the agents that steps name, in the fuzzer's order. Earlier agents are included, so that each keeps its number. */
function addressesOf(target: FuzzTarget, seed: string, names: readonly string[]): Map<string, string> {
  return new Map(names.map((name, at) => [name, target.madeWallet(seed, at + 1)]));
}

function introduction(file: FailureFile, references: References, omissions: readonly string[]): string[] {
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
  if (omissions.length > 0)
    lines.push('Differences from the counterexample:', ...omissions.map((each) => `- ${each}`));
  return lines;
}

/** The check that the scenario omits although the counterexample fails there; null for none. */
function unasked({ step, played, broken }: PlayedStep): string | null {
  if (played.overlapped !== undefined) return null;
  const shows =
    broken !== null && typeof broken !== 'string' && broken.kind === 'body'
      ? 'the scenario does not check the member that was wrong: an expectation cannot express it'
      : 'only its outcome is checked, and that the books match the chain; custom rules are not checked';
  return `the last step (s${step.id}, ${step.do}): ${shows}`;
}

/**
 * Renders a counterexample as a scenario file that fails while the rule is broken and passes when it holds. A comment at the top lists what
 * a scenario cannot express. Plays the steps once, to find what the model expects and what the last step breaks. If it no longer breaks a
 * rule, only the outcome is expected. Null when a scenario can express no step, or omits one that has moved money.
 */
export async function scenarioOf(
  file: FailureFile,
  { target, checkSuite }: { readonly target: FuzzTarget; readonly checkSuite: CheckSuite },
): Promise<string | null> {
  const { world, agents, steps } = file;
  const harness = await ReplayHarness.open(target, world, { agents, checkSuite });
  const { runner } = harness;
  const played: PlayedStep[] = [];
  await harness.play(steps, recordedIn(played, runner)).finally(() => harness.close());
  const references = new References(runner, addressesOf(target, world.seed, runner.names));
  const { modelConfig } = runner.world;
  const writer = new StepWriter(steps, modelConfig.variants, references);
  const last = played.pop();
  if (last === undefined) return null;
  for (const each of played) writer.add(each, null);
  const expected = expectedAtLast(last, references);
  writer.add(last, expected);
  if (writer.steps.length === 0 || writer.lacksMoney) return null;
  const silence = expected === null ? unasked(last) : null;
  // An agent's number determines its wallet, so earlier agents are created too.
  const begins = runner.names.map((name) => [name, FUNDS] as const);
  const most = runner.names.indexOf(Object.keys(agentsIn(writer.steps, begins)).at(-1) ?? '') + 1;
  const variants = Object.keys(world.variants).length === 0 ? {} : { variants: world.variants };
  const limits = world.limits === undefined ? {} : { limits: world.limits };
  const engine = file.confirmed.failure === null ? { engine: world.engine } : {};
  const scenario = {
    name: `${file.failure.kind} (counterexample)`,
    description: file.failure.text,
    tags: ['counterexample'],
    world: {
      seed: world.seed,
      startTime: new Date(modelConfig.startMs).toISOString(),
      ...engine,
      ...variants,
      ...limits,
    },
    invariants: 'always',
    agents: Object.fromEntries(begins.slice(0, most)),
    steps: writer.steps,
  };
  const omissions = silence === null ? writer.omissions : [...writer.omissions, silence];
  return scenarioText(scenario, introduction(file, references, omissions));
}
