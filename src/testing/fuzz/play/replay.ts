import type { Step } from '../step.js';
import { inspect } from 'node:util';
import type fc from 'fast-check';
import { type Command, byVerb } from '../commands/command.js';
import type { Draw } from '../draw.js';
import { InvalidCampaign, NOTHING_TO_DRAW } from '../invalid-campaign.js';
import { type Deviation, deviationKind, deviationText } from '../model/difference.js';
import type { AccountState, ServiceModel, ModelConfig } from '../model/types.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';
import { drawStep, lengthUpTo, untilPossible } from './drawing.js';
import {
  type ChangeRule,
  ModelRunner,
  type ModelRunnerSnapshot,
  type Played,
  type Rule,
} from './model-runner.js';
import { type AfterStep, type Failure, type StepResult, ruleName, type Sequence } from './sequences.js';

/** Initial funds in token units: rich, moderate, and new. Agents beyond the third repeat these; one without funds is not a customer yet. */
const BEGINNINGS = [
  { usdc: 5_000, sol: 30, savings: 2_000 },
  { usdc: 1_500, sol: 0, savings: 500 },
  { usdc: 0, sol: 0, savings: 0 },
];

/** Time before the first deposit: otherwise what begins with the world would hide errors in what begins later, such as a yield. */
const FIRST_DEPOSIT = '1h7s';

/** Steps that sign agents in and make their first deposits, so that sequences start in an interesting state. */
export function opening(names: readonly string[]): readonly Step[] {
  const steps: Step[] = [{ id: 1, do: 'time.advance', with: { by: FIRST_DEPOSIT } }];
  const add = (by: string, name: string, args: Step['with']) => {
    steps.push({ id: steps.length + 1, do: name, by, with: args });
    return steps.length;
  };
  for (const [at, by] of names.entries()) {
    const { usdc, sol, savings } = BEGINNINGS[at % BEGINNINGS.length] as (typeof BEGINNINGS)[number];
    if (usdc > 0) add(by, 'signIn', {});
    for (const [token, amount] of [
      ['USDC', usdc],
      ['SOL', sol],
    ] as const) {
      if (amount === 0) continue;
      const sent = add(by, 'send', { transfers: [{ to: '${treasury}', token, amount }] });
      add(by, 'deposit', { body: { amount, token, tx_signature: `\${s${sent}.signature}` } });
    }
    // Agents without linked accounts are denied every loan.
    if (usdc > 0) add(by, 'identity.link', { of: `\${${by}}`, x: true, github: at === 0 });
    if (savings > 0) add(by, 'savingsDeposit', { body: { amount: savings, token: 'USDC' } });
  }
  return steps;
}

/** Number of steps between reconciliations of books and chain while a sequence is drawn. */
const PROOF_EVERY = 32;

/** The model, commands and rules that sequences are checked with. */
export interface CheckSuite {
  readonly commands: readonly Command[];
  readonly rules: readonly (Rule | ChangeRule)[];
  readonly makeModel: (modelConfig: ModelConfig) => ServiceModel;
  /** Whether a custom model is used. */
  readonly isOwnModel?: boolean;
}

export interface Drawing {
  /** The draw function of each sequence. */
  readonly commands: fc.Arbitrary<readonly Command[]>;
  readonly steps: number;
  /** The initial steps of a sequence; all others are drawn one by one. */
  readonly planned?: (draw: Draw) => readonly Step[];
  /** Called after each step with the state of its agent before it; null for a step without an agent. */
  readonly onStep?: (step: Step, before: AccountState | null, outcome: string) => void;
}

/** A deviation from the rules, and the custom rule that reports it. */
interface Broken {
  readonly deviation: Deviation;
  readonly rule?: string;
}

function failed(step: Step, at: number, { deviation, rule }: Broken): Failure {
  const kind = `${step.do}: ${deviationKind(deviation)}`;
  return { at, kind, text: deviationText(deviation), ...(rule === undefined ? {} : { rule }) };
}

/** A world in which sequences are played one after another: given ones in a fresh state, drawn ones after the opening. */
export class ReplayHarness {
  readonly runner: ModelRunner;
  readonly opening: readonly Step[];
  /** By what their steps do. */
  readonly commands: ReadonlyMap<string, Command>;
  readonly #rules: CheckSuite['rules'];
  readonly #fresh: ModelRunnerSnapshot;
  /** The state after the opening, or its failure; null until it is played. */
  #opened: { readonly snapshot: ModelRunnerSnapshot } | { readonly failure: Failure } | null = null;

  private constructor(runner: ModelRunner, { commands, rules }: CheckSuite, fresh: ModelRunnerSnapshot) {
    this.runner = runner;
    this.opening = opening(runner.names);
    this.commands = byVerb(commands);
    this.#rules = rules;
    this.#fresh = fresh;
  }

  static async open(
    target: FuzzTarget,
    world: WorldOptions,
    { agents, checkSuite }: { readonly agents: number; readonly checkSuite: CheckSuite },
  ): Promise<ReplayHarness> {
    const made: FuzzWorld = await target.open(world);
    try {
      const runner = new ModelRunner(made, checkSuite.makeModel(made.modelConfig), agents);
      return new ReplayHarness(runner, checkSuite, await runner.snapshot());
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  /** Plays steps in a fresh state, and checks every rule after every step. */
  async play(steps: readonly Step[], afterStep?: AfterStep): Promise<Failure | null> {
    await this.runner.restore(this.#fresh);
    return this.playOn(steps, afterStep);
  }

  /** Plays steps in the current state; returns the first failure, or null. */
  async playOn(steps: readonly Step[], afterStep: AfterStep = () => undefined): Promise<Failure | null> {
    for (const [at, step] of steps.entries()) {
      const result = await this.step(step, at);
      afterStep(step, result);
      if (result.failure !== null) return result.failure;
    }
    return null;
  }

  /** Reverts to the end of the opening, which is played once. Returns its failure if it breaks a rule. */
  async begin(): Promise<Failure | null> {
    if (this.#opened === null) {
      const failure = await this.play(this.opening);
      this.#opened = failure === null ? { snapshot: await this.runner.snapshot() } : { failure };
    }
    if ('failure' in this.#opened) return this.#opened.failure;
    await this.runner.restore(this.#opened.snapshot);
    return null;
  }

  /**
   * Draws a sequence while it plays it after the opening. Returns the steps; null when the opening fails, which is then the failure of the
   * sequence. Throws InvalidCampaign, and errors of the world itself. Equal draws play equal sequences.
   */
  async draw(sequence: Sequence, drawing: Drawing): Promise<readonly Step[] | null> {
    if (sequence.draw === null) throw new TypeError('the steps of the sequence are fixed');
    const broken = await this.begin();
    if (broken !== null) {
      sequence.played(this.opening, broken);
      return null;
    }
    const steps: Step[] = [];
    const failure = await this.#drawnInto(steps, sequence.draw, drawing);
    const at = this.opening.length + (failure?.at ?? 0);
    sequence.played([...this.opening, ...steps], failure === null ? null : { ...failure, at });
    return steps;
  }

  /** Plays one step and checks all rules. `at`: its index. Books and chain are reconciled after every `proofEvery` steps. */
  async step(step: Step, at = 0, proofEvery = 1): Promise<StepResult> {
    const command = this.commands.get(step.do);
    if (command === undefined) throw new InvalidCampaign(`there is no command ${step.do}`);
    await this.runner.startedRules(this.#rules);
    let played: Played;
    try {
      played = await command.play(step, this.runner);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      played = { outcome: 'exception', deviation: { kind: 'exception', message } };
    }
    const { deviation } = played;
    const broken = deviation === null ? await this.#brokenRule(step, played) : { deviation };
    const unsound = broken === null && (at + 1) % proofEvery === 0 ? await this.#unsound() : broken;
    if (unsound === null) return { played, broken: null, failure: null };
    return { played, broken: unsound.deviation, failure: failed(step, at, unsound) };
  }

  close(): Promise<void> {
    return this.runner.world.close();
  }

  async #drawnInto(steps: Step[], draw: Draw, drawing: Drawing): Promise<Failure | null> {
    const { runner } = this;
    const planned = drawing.planned?.(draw) ?? [];
    const commands = draw(drawing.commands);
    const count = Math.max(planned.length, draw(lengthUpTo(drawing.steps)));
    while (steps.length < count) {
      const id = (steps.at(-1)?.id ?? this.opening.length) + 1;
      const step = planned[steps.length] ?? untilPossible(() => drawStep(id, commands, { draw, runner }));
      if (step === null) break;
      const before = step.by === undefined ? null : runner.accountState(step.by);
      runner.drawingEnds();
      const { played, failure } = await this.step(step, steps.push(step) - 1, PROOF_EVERY);
      drawing.onStep?.(step, before, played.outcome);
      if (failure !== null) return failure;
    }
    const last = steps.at(-1);
    if (last === undefined) throw new InvalidCampaign(NOTHING_TO_DRAW);
    const unsound = await this.#unsound();
    return unsound === null ? null : failed(last, steps.length - 1, unsound);
  }

  /** The custom rule that a played step breaks; null for none. */
  async #brokenRule(step: Step, played: Played): Promise<Broken | null> {
    for (const [place, check] of (await this.runner.startedRules(this.#rules)).entries()) {
      // A rule in JavaScript may return nothing.
      const deviation = (await check(this.runner, step, played)) ?? null;
      if (deviation === null) continue;
      const rule = ruleName(this.#rules[place] as Rule | ChangeRule, place);
      if (typeof deviation !== 'string')
        throw new InvalidCampaign(
          `the rule ${rule.replace(/^rule /, '')} returned ${inspect(deviation, { depth: 0 })}; it must return text where it is broken, otherwise null`,
        );
      return { deviation, rule };
    }
    return null;
  }

  /** How books and wallets deviate from the rules; null if they do not. */
  async #unsound(): Promise<Broken | null> {
    const deviation = await this.runner.unsound();
    return deviation === null ? null : { deviation };
  }
}
