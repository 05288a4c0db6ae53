import { Document, type Node, isCollection, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import type { FailureFile } from './failure-file.js';
import { type DryRunStep, dryRun } from './dry-run.js';
import type { CheckSuite } from './replay.js';
import { expectedAtLast } from './scenario-expect.js';
import { References, type WrittenStep } from './scenario-references.js';
import { StepWriter } from './scenario-steps.js';

/** On-chain funds of every fuzzed agent at the start. */
const FUNDS = { usdc: 100_000, sol: 1_000 };
const LINE_WIDTH = 110;

/** Addresses of the agents that steps name, in the fuzzer's order. Earlier agents are included, so that each keeps its number. */
function addressesOf(target: FuzzTarget, seed: string, names: readonly string[]): Map<string, string> {
  return new Map(names.map((name, at) => [name, target.madeWallet(seed, at + 1)]));
}

function introduction(file: FailureFile, references: References, omissions: readonly string[]): string {
  const { name, failure, confirmed, world } = file;
  const lines = [
    `A counterexample of sim fuzz: ${name}`,
    failure.text,
    'The last step fails while the rule is broken. With every decision of the fuzzer it is played by:',
    `  sim replay ${name}.json`,
  ];
  if (confirmed.failure === null)
    lines.push(`It does not fail on ${confirmed.engine}, so the world is of ${world.engine}.`);
  for (const agent of references.collections)
    lines.push(`${references.collectionOf(agent)} is the collection address of ${agent}.`);
  if (omissions.length > 0)
    lines.push('What is not said here as it was found:', ...omissions.map((each) => `- ${each}`));
  // A line break would end the comment.
  return lines.map((line) => ` ${line.replaceAll(/[\r\n\u0085\u2028\u2029]+/g, ' ')}`).join('\n');
}

/** Formats arguments and expectations in flow style, as people write them. */
function inLines(steps: Node): void {
  if (!isSeq(steps)) return;
  for (const step of steps.items) {
    if (!isMap(step)) continue;
    for (const pair of step.items) {
      if (!isPair(pair) || !isCollection(pair.value)) continue;
      if (isScalar(pair.key) && pair.key.value === 'parallel') inLines(pair.value);
      else pair.value.flow = true;
    }
  }
}

/** A step without arguments is written as its name alone. */
function shortened(step: WrittenStep): WrittenStep | string {
  const [title, ...more] = Object.keys(step);
  const args = title === undefined ? null : step[title];
  const isBare =
    title?.includes('.') === true &&
    more.length === 0 &&
    typeof args === 'object' &&
    args !== null &&
    Object.keys(args).length === 0;
  return isBare ? title : step;
}

/** What the scenario does not check although the counterexample fails there; null for nothing. */
function unasked(last: DryRunStep, isSaid: boolean): string | null {
  if (isSaid || last.overlapped !== null) return null;
  const shows =
    last.deviation !== null
      ? 'the answer is not looked at where it was wrong: it cannot be said in an expectation'
      : 'nothing is expected but its outcome, and that books and chain agree; rules of one’s own are not asked';
  return `the last step (s${last.step.id}, ${last.step.do}): ${shows}`;
}

function written(scenario: object, comment: string): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  document.commentBefore = comment;
  const { contents } = document;
  if (isMap(contents)) {
    inLines(contents.get('steps', true) as unknown as Node);
    const tags: unknown = contents.get('tags', true);
    if (isCollection(tags)) tags.flow = true;
    const agents: unknown = contents.get('agents', true);
    for (const pair of isMap(agents) ? agents.items : [])
      if (isCollection(pair.value)) pair.value.flow = true;
  }
  return document.toString({ lineWidth: LINE_WIDTH, singleQuote: true, flowCollectionPadding: true });
}

/**
 * Renders a counterexample as a scenario file that fails while the rule is broken and passes when it holds. What a scenario cannot
 * express becomes a comment at the top. The steps are played once, to learn what the model expects of each.
 */
export async function scenarioOf(
  file: FailureFile,
  { target, checkSuite }: { readonly target: FuzzTarget; readonly checkSuite: CheckSuite },
): Promise<string> {
  const world = file.world as WorldOptions;
  const all = file.steps as readonly Step[];
  const { steps, runner, broken } = await dryRun(all, { target, world, agents: file.agents, checkSuite });
  const references = new References(runner, addressesOf(target, world.seed, runner.names));
  const { modelConfig } = runner.world;
  const writer = new StepWriter(all, modelConfig.variants, references);
  let isSaid = false;
  for (const [at, each] of steps.entries()) {
    const expected = at < steps.length - 1 ? null : expectedAtLast(broken, { last: each, references });
    isSaid = expected !== null;
    writer.add(each, expected);
  }
  const last = steps.at(-1);
  const silence = last === undefined ? null : unasked(last, isSaid);
  // An agent's wallet is determined by its number, so those before it are created too.
  const most = Math.max(0, ...runner.names.map((name, at) => (references.agents.has(name) ? at + 1 : 0)));
  const variants = Object.keys(world.variants).length === 0 ? {} : { variants: world.variants };
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
    },
    invariants: 'always',
    agents: Object.fromEntries(runner.names.slice(0, most).map((name) => [name, FUNDS])),
    steps: writer.steps.map(shortened),
  };
  const omissions = silence === null ? writer.omissions : [...writer.omissions, silence];
  return written(scenario, introduction(file, references, omissions));
}
