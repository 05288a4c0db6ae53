import { inspect } from 'node:util';
import type { Command } from '../commands/command.js';
import { InvalidCampaign } from '../invalid-campaign.js';
import { type Deviation, deviationKind, deviationText } from '../model/difference.js';
import type { Step } from '../step.js';
import type { ChangeRule, ModelRunner, Played, Rule } from './model-runner.js';

export interface Failure {
  /** Index in the sequence, from 0. */
  readonly at: number;
  /** Equal for failures of one kind: the command and the deviation, without numbers. */
  readonly kind: string;
  /** Description with expected and actual values. */
  readonly text: string;
  /** The name of the custom rule that the sequence broke. */
  readonly rule?: string;
}

/** A failure's kind without the overlap, so that shrinking can remove an overlap that is not needed. */
export function plainKind(kind: string): string {
  return kind.replace(/^overlap: /, '');
}

/** Available commands, and the checks after each step. */
export interface PlayOptions {
  readonly commands: ReadonlyMap<string, Command>;
  readonly rules: readonly (Rule | ChangeRule)[];
  /** Number of steps between reconciliations of books and chain, which also run at the end. */
  readonly proofEvery: number;
}

/** The name of a custom rule, or its position in the list. */
export function ruleName({ name = '' }: Rule | ChangeRule, at: number): string {
  return name === '' ? `rule ${at + 1}` : name;
}

/** A deviation from the rules, and the custom rule that reports it. */
interface Broken {
  readonly deviation: Deviation;
  readonly rule?: string;
}

/** A played step, and how it breaks a rule; null for each if it does not. */
export interface StepResult {
  readonly played: Played;
  readonly broken: Deviation | null;
  readonly failure: Failure | null;
}

/** Called after each step. */
export type AfterStep = (step: Step, result: StepResult) => void;

function failed(step: Step, at: number, { deviation, rule }: Broken): Failure {
  const kind = `${step.do}: ${deviationKind(deviation)}`;
  return { at, kind, text: deviationText(deviation), ...(rule === undefined ? {} : { rule }) };
}

/** What plays steps, and how they are checked. */
interface Playing {
  readonly runner: ModelRunner;
  readonly options: PlayOptions;
}

/** How a played step breaks a rule: by its response, a custom rule or, where it is due, in the books and on chain. Null if it does not. */
async function brokenBy(
  step: Step,
  at: number,
  played: Played,
  { runner, options: { rules, proofEvery } }: Playing,
): Promise<Broken | null> {
  if (played.deviation !== null) return { deviation: played.deviation };
  for (const [place, check] of (await runner.startedRules(rules)).entries()) {
    // A rule in JavaScript may return nothing.
    const deviation = (await check(runner, step, played)) ?? null;
    if (deviation === null) continue;
    const rule = ruleName(rules[place] as Rule | ChangeRule, place);
    if (typeof deviation !== 'string')
      throw new InvalidCampaign(
        `the rule ${rule.replace(/^rule /, '')} returned ${inspect(deviation, { depth: 0 })}; it must return text where it is broken, otherwise null`,
      );
    return { deviation, rule };
  }
  const unsound = (at + 1) % proofEvery === 0 ? await runner.unsound() : null;
  return unsound === null ? null : { deviation: unsound };
}

/** Plays one step and checks all rules. `at`: its index. */
export async function playStep(step: Step, at: number, playing: Playing): Promise<StepResult> {
  const { runner, options } = playing;
  const command = options.commands.get(step.do);
  if (command === undefined) throw new InvalidCampaign(`there is no command ${step.do}`);
  await runner.startedRules(options.rules);
  let played: Played;
  try {
    played = await command.play(step, runner);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    played = { outcome: 'exception', deviation: { kind: 'exception', message } };
  }
  const broken = await brokenBy(step, at, played, playing);
  if (broken === null) return { played, broken, failure: null };
  return { played, broken: broken.deviation, failure: failed(step, at, broken) };
}

/** Reconciles books and wallets after the step at this index; null if all rules hold or there is no step. */
export async function proof(
  steps: readonly Step[],
  at: number,
  runner: ModelRunner,
): Promise<Failure | null> {
  const step = steps[at];
  const unsound = step === undefined ? null : await runner.unsound();
  return step === undefined || unsound === null ? null : failed(step, at, { deviation: unsound });
}

/** Plays a complete sequence in a freshly prepared world; returns its first failure, or null. */
export async function playSequence(
  steps: readonly Step[],
  playing: Playing,
  afterStep: AfterStep = () => undefined,
): Promise<Failure | null> {
  for (const [at, step] of steps.entries()) {
    const result = await playStep(step, at, playing);
    afterStep(step, result);
    if (result.failure !== null) return result.failure;
  }
  return proof(steps, steps.length - 1, playing.runner);
}
