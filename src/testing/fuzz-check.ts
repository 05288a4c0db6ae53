import fc from 'fast-check';
import type { EndpointId } from '../contract/endpoints.js';
import type { Simulator } from '../simulator/simulator.js';
import { type InProcessFuzzWorld, inProcessFuzz } from './drivers/in-process-fuzz.js';
import {
  type CampaignInput,
  SEQUENCE_OPTIONS,
  campaignValue,
  checkNames,
  checkRules,
  checkSuiteOf,
} from './fuzz-campaign.js';
import { defined } from '../core/json.js';
import { refusedValue } from '../core/suggestion.js';
import { operation } from './fuzz/arbitraries.js';
import { UNCONFIGURED } from './fuzz/draw.js';
import { InvalidCampaign } from './fuzz/invalid-campaign.js';
import { commandsFor, propertyOf } from './fuzz/campaign/properties.js';
import { checkArguments } from './fuzz/commands/arguments.js';
import type { Drawn } from './fuzz/commands/command.js';
import { callOf } from './fuzz/commands/play-call.js';
import type { Answer } from './fuzz/model/types.js';
import type { CampaignValue } from './fuzz/campaign/campaign-value.js';
import {
  AGENT_NAMES,
  type ChangeRule,
  type ModelRunner,
  type Played,
  type Rule,
} from './fuzz/play/model-runner.js';
import { type CheckSuite, type Drawing, ReplayHarness } from './fuzz/play/replay.js';
import { type Failing, type Sequence, Sequences } from './fuzz/play/sequences.js';
import { type Json, type Step, stepText } from './fuzz/step.js';

/**
 * An invariant of the current state, which must hold after each step, also of the opening: returns false or throws if it is broken.
 * `played` has the outcome of the step. It must not keep values between calls.
 */
export type Invariant = (sim: Simulator, step: Step, played: Played) => unknown;

/** An invariant about change, which compares a state with earlier ones or adds up steps. */
export interface ChangeInvariant {
  /** The name in counterexamples. */
  readonly name?: string;
  /**
   * Called with the simulator wherever steps begin: in a new world before its opening, in the state before each sequence and each attempt of
   * shrinking, and after a revert. Returns the invariant of the steps from there on, which may keep values of its own.
   */
  readonly start: (sim: Simulator) => Invariant | Promise<Invariant>;
}

/** What `check` passes to fast-check. */
const PARAMETERS: readonly string[] = [
  ...Object.keys(UNCONFIGURED),
  ...([
    'seed',
    'numRuns',
    'maxSkipsPerRun',
    'logger',
    'includeErrorInReport',
  ] satisfies (keyof fc.Parameters)[]),
];

/** The world of sequences and the commands to draw from, as in a campaign. */
export type SequenceOptions = Pick<CampaignInput, (typeof SEQUENCE_OPTIONS)[number]>;

function simOf({ world }: ModelRunner): Simulator {
  return (world as InProcessFuzzWorld).sim;
}

/** Plays sequences in worlds of this process. Each sequence starts after the opening. */
class Checker {
  readonly #value: CampaignValue;
  readonly #checkSuite: CheckSuite;
  readonly #drawing: Drawing;
  #harness: ReplayHarness | null = null;
  #running: Promise<void> = Promise.resolve();
  /** The last exception of an invariant. */
  #thrown: unknown = null;
  /** An error of the world or of its options, not of an invariant. */
  trouble: { readonly error: unknown } | null = null;

  constructor(invariants: readonly (Invariant | ChangeInvariant)[], options: SequenceOptions) {
    this.#value = campaignValue(options, SEQUENCE_OPTIONS);
    if (this.#value.variesLimits === true)
      throw new InvalidCampaign('check cannot draw limits; give them in limits');
    if (invariants.length === 0) throw new InvalidCampaign('give check an invariant; the list is empty');
    checkRules('an invariant', invariants);
    const rules = invariants.map((each) =>
      ruleOf(each, (thrown) => {
        this.#thrown = thrown;
      }),
    );
    this.#checkSuite = { ...checkSuiteOf(options), rules };
    const { property, only, weights, steps } = this.#value;
    const { commands } = this.#checkSuite;
    this.#drawing = { commands: commandsFor(commands, propertyOf(property), { only, weights }), steps };
  }

  /** Opens the world unless it is open. */
  async open(): Promise<ReplayHarness> {
    const { agents, world } = this.#value;
    const checkSuite = this.#checkSuite;
    this.#harness ??= await ReplayHarness.open(inProcessFuzz, world, { agents, checkSuite });
    return this.#harness;
  }

  /** Rejects if the sequence breaks a rule; rejects a shrunk sequence only if it breaks the same rule. */
  async play(sequence: Sequence): Promise<void> {
    this.#running = this.#played(sequence);
    try {
      await this.#running;
    } catch (error) {
      if (!fc.PreconditionFailure.isFailure(error)) this.trouble ??= { error };
      throw error;
    }
    const { failure, steps } = sequence;
    if (!sequence.hasFailed || failure === null) return;
    // The invariant can have changed its world.
    if (sequence.draw !== null) await this.#close();
    const step = steps.at(-1);
    const where = step === undefined ? '' : `after ${stepText(step)}: `;
    const cause = failure.rule === undefined ? {} : { cause: this.#thrown };
    throw new Error(`${where}${failure.text}`, cause);
  }

  /** Waits for the sequence in progress if fast-check has interrupted it. */
  async close(): Promise<void> {
    await this.#running.catch(() => undefined);
    await this.#close();
  }

  async #close(): Promise<void> {
    const harness = this.#harness;
    this.#harness = null;
    await harness?.close();
  }

  async #played(sequence: Sequence): Promise<void> {
    const harness = await this.open();
    if (sequence.draw !== null) {
      await harness.draw(sequence, this.#drawing);
      return;
    }
    const { given, kind } = sequence;
    // An example of the user, not a sequence that was shrunk.
    if (kind === null) checkArguments(given, harness);
    sequence.played(given, await harness.play(given));
  }
}

/** An invariant as a rule of `campaign` and `replay`, by its name. `onVerdict` gets what the invariant threw; nothing when it did not throw. */
export function ruleOf(
  invariant: Invariant | ChangeInvariant,
  onVerdict: (thrown?: unknown) => void = () => undefined,
): Rule | ChangeRule {
  const plainRule = (holds: Invariant): Rule => {
    const rule: Rule = async (runner, step, played) => {
      let verdict: unknown;
      try {
        verdict = (await holds(simOf(runner), step, played)) ?? true;
      } catch (error) {
        if (fc.PreconditionFailure.isFailure(error)) throw error;
        onVerdict(error);
        return error instanceof Error ? error.message : String(error);
      }
      if (typeof verdict !== 'boolean')
        throw new InvalidCampaign(
          `${refusedValue(`the invariant ${holds.name}`.trim(), verdict, [])} Return false or throw where it is broken, otherwise true or nothing`,
        );
      onVerdict();
      return verdict ? null : 'the invariant does not hold';
    };
    return Object.defineProperty(rule, 'name', { value: holds.name });
  };
  if (typeof invariant === 'function') return plainRule(invariant);
  const start = async (runner: ModelRunner) => plainRule(await invariant.start(simOf(runner)));
  return { ...defined({ name: invariant.name }), start };
}

/**
 * Plays the sequences along a path of several numbers, the shortest path first, and returns their failures. Only a played sequence can be
 * shrunk, and fast-check follows a path without playing. `holds`: the parameters of the first that no longer fails.
 */
async function failuresAlong(
  { path = '', ...parameters }: fc.Parameters<[Sequence]>,
  propertyAlong: (failures: readonly Failing[]) => fc.IAsyncProperty<[Sequence]>,
): Promise<{ readonly failures: readonly Failing[]; readonly holds?: fc.Parameters<[Sequence]> }> {
  const failures: Failing[] = [];
  const numbers = path.split(':');
  for (const at of numbers.slice(1).keys()) {
    const before = numbers.slice(0, at + 1).join(':');
    const followed = { path: before, numRuns: 1 };
    const only = { ...parameters, ...followed, endOnFailure: true };
    const { counterexample, failed, numRuns } = await fc.check(propertyAlong(failures), only);
    if (!failed && numRuns === 1) return { failures, holds: followed };
    const [{ steps, failure } = { steps: [], failure: null }] = counterexample ?? [];
    if (failure === null) break;
    failures.push({ steps, failure });
  }
  return { failures };
}

function nothingPlayed({ path = '' }: fc.Parameters<[Sequence]>): string {
  return path === ''
    ? 'numRuns must be 1 or more'
    : `path: ${path} leads to no run: copy the whole path, with its seed; numRuns must be 1 or more`;
}

/**
 * Asserts with fast-check that your invariant holds after each step of random sequences of calls by agents, an operator, the clock and the
 * chain. Also compares responses with the model.
 *
 * A new world first plays its opening, in which agents sign in, deposit and save (13 steps for three agents). Sequences begin where it
 * ends, so that they need not be played from the first step. The invariant is checked in it too, since shrinking begins with its steps.
 *
 * `parameters` are passed to `fc.assert`, which reports a counterexample with its seed and path. Resolves to fast-check's details, such as
 * `numRuns`, `seed` and `interrupted`. Throws InvalidCampaign for options that cannot be played, and errors of the world unchanged.
 */
export async function check(
  invariant: Invariant | ChangeInvariant | readonly (Invariant | ChangeInvariant)[],
  parameters: fc.Parameters<[Sequence]> = {},
  options: SequenceOptions = {},
): Promise<fc.RunDetails<[Sequence]>> {
  checkNames('parameter', Object.keys(parameters), PARAMETERS);
  const checker = new Checker([invariant].flat(), options);
  try {
    // Outside of the time limit of a run.
    await (await checker.open()).begin();
    const propertyAlong = (failures: readonly Failing[]) =>
      fc.asyncProperty(new Sequences(failures), (sequence) => checker.play(sequence));
    const { failures, holds } = await failuresAlong(parameters, propertyAlong);
    const ended: fc.RunDetails<[Sequence]>[] = [];
    const noting: fc.Plugin<[Sequence]> = () => ({
      onAllRunsComplete: (details) => void ended.push(details),
    });
    await fc.assert(propertyAlong(failures), {
      ...parameters,
      ...holds,
      plugins: [...(parameters.plugins ?? []), noting],
    });
    const [details] = ended as [fc.RunDetails<[Sequence]>];
    if (details.numRuns === 0 && !details.interrupted) throw new InvalidCampaign(nothingPlayed(parameters));
    return details;
  } catch (error) {
    throw checker.trouble === null ? error : checker.trouble.error;
  } finally {
    await checker.close();
  }
}

/** A bank with signed-in agents and its model, as the real system of `fc.asyncModelRun`. */
export class Bank {
  readonly #harness: ReplayHarness;
  /** Number of the last step. The steps of the opening have the first numbers. */
  #steps: number;

  private constructor(harness: ReplayHarness) {
    this.#harness = harness;
    this.#steps = harness.opening.length;
  }

  /** Opens a world whose agents have signed in, deposited and saved. Throws InvalidCampaign for options that cannot be played. */
  static async open(options: SequenceOptions = {}): Promise<Bank> {
    const { world, agents } = campaignValue(options, SEQUENCE_OPTIONS);
    const checkSuite = checkSuiteOf(options);
    const bank = new Bank(await ReplayHarness.open(inProcessFuzz, world, { agents, checkSuite }));
    try {
      await bank.reset();
      return bank;
    } catch (error) {
      await bank.close();
      throw error;
    }
  }

  get sim(): Simulator {
    return simOf(this.runner);
  }

  get runner(): ModelRunner {
    return this.#harness.runner;
  }

  /** Reverts to the state after the opening. */
  async reset(): Promise<void> {
    this.#steps = this.#harness.opening.length;
    const failure = await this.#harness.begin();
    if (failure !== null) throw new Error(failure.text);
  }

  /**
   * Plays a step and returns its outcome: `ok` or an error code. Rejects if the response differs from the bank's model or if the books do not
   * match the chain. Rejects with InvalidCampaign for an unknown command or agent, or an argument that is missing, unknown or of the wrong type.
   */
  async play(drawn: Drawn): Promise<string> {
    if (drawn.by !== undefined) checkNames('agent', [drawn.by], this.runner.names);
    this.#steps += 1;
    const step = { id: this.#steps, ...drawn };
    checkArguments([step], this.#harness);
    const { played, failure } = await this.#harness.step(step);
    if (failure !== null) throw new Error(`${stepText(step)}: ${failure.text}`);
    return played.outcome;
  }

  /** Makes a call of an agent that bypasses the model. Calls can overlap. */
  async call(by: string, name: EndpointId, body: Json): Promise<Answer> {
    const { world, names } = this.runner;
    checkNames('agent', [by], names);
    const answer = await world.call(callOf(name, { by, with: { body } }, this.runner), null);
    if (answer === null) throw new Error(`${by}.${name} has no response`);
    return answer;
  }

  /** Makes each transfer of the bank wait for the promise of `pause`, before and after it is sent; null removes the pause. */
  onTransfer(pause: (() => Promise<void>) | null): void {
    this.runner.world.onTransfer(pause);
  }

  close(): Promise<void> {
    return this.#harness.close();
  }
}

/**
 * Calls of some or all operations as commands for `fc.commands`, to combine with your own commands. The built-in model checks each
 * response. Where the bank lacks the agent that was drawn, another one makes the call.
 */
export function calls(...names: EndpointId[]): fc.Arbitrary<fc.AsyncCommand<object, Bank>> {
  return operation(...names).map(({ ...drawn }: Drawn & { by?: string }) => ({
    check: () => true,
    run: async (_model, bank) => {
      const { names: agents } = bank.runner;
      drawn.by = agents[AGENT_NAMES.findIndex((name) => name === drawn.by) % agents.length] as string;
      await bank.play(drawn);
    },
    toString: () => `${drawn.by}.${drawn.do}(${JSON.stringify(drawn.with)})`,
  }));
}
