import type { Command } from '../commands/command.js';
import { type Deviation, deviationKind, deviationText } from '../model/difference.js';
import type { Step } from '../step.js';
import type { Played, ModelRunner } from './model-runner.js';

/** How a sequence broke a rule. */
export interface Failure {
  /** Index in the sequence, from 0. */
  readonly at: number;
  /** Equal for failures of one kind: the command and what differs, without numbers. */
  readonly kind: string;
  /** Description with expected and actual values. */
  readonly text: string;
}

/** A custom rule, checked after a step: returns a description of the violation, or null. */
export type Rule = (
  runner: ModelRunner,
  step: Step,
  played: Played,
) => string | null | Promise<string | null>;

/** Available commands, and the checks after each step. */
export interface PlayOptions {
  readonly commands: ReadonlyMap<string, Command>;
  readonly rules: readonly Rule[];
  /** Number of steps between reconciliations of books and chain, which also run at the end. */
  readonly proofEvery: number;
}

function failed(step: Step, at: number, deviation: Deviation): Failure {
  return { at, kind: `${step.do}: ${deviationKind(deviation)}`, text: deviationText(deviation) };
}

/** How a step that was played breaks a rule: by its answer, by a custom rule or, if asked, in books and chain. Null if it does not. */
export async function deviationOf(
  step: Step,
  played: Played,
  { runner, rules, isProved }: { runner: ModelRunner; rules: readonly Rule[]; isProved: boolean },
): Promise<Deviation | null> {
  if (played.deviation !== null) return played.deviation;
  for (const rule of rules) {
    const broken = await rule(runner, step, played);
    if (broken !== null) return broken;
  }
  return isProved ? runner.unsound() : null;
}

/** Plays one step and checks all rules. `at` is its index. */
export async function playStep(
  step: Step,
  at: number,
  { runner, options }: { runner: ModelRunner; options: PlayOptions },
): Promise<{ outcome: string; failure: Failure | null }> {
  const command = options.commands.get(step.do);
  if (command === undefined) throw new RangeError(`there is no command ${step.do}`);
  let played: Played;
  try {
    played = await command.play(step, runner);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'exception', failure: failed(step, at, { kind: 'exception', message }) };
  }
  const isProved = (at + 1) % options.proofEvery === 0;
  const deviation = await deviationOf(step, played, { runner, rules: options.rules, isProved });
  return { outcome: played.outcome, failure: deviation === null ? null : failed(step, at, deviation) };
}

/** Reconciles books and wallets after the step at an index; null if all holds, or there is no step. */
export async function proof(
  steps: readonly Step[],
  at: number,
  runner: ModelRunner,
): Promise<Failure | null> {
  const step = steps[at];
  const unsound = step === undefined ? null : await runner.unsound();
  return step === undefined || unsound === null ? null : failed(step, at, unsound);
}

/** Plays a whole sequence in a freshly prepared world; returns its first failure, or null. */
export async function playSequence(
  steps: readonly Step[],
  with_: { runner: ModelRunner; options: PlayOptions },
): Promise<Failure | null> {
  for (const [at, step] of steps.entries()) {
    const { failure } = await playStep(step, at, with_);
    if (failure !== null) return failure;
  }
  return proof(steps, steps.length - 1, with_.runner);
}
