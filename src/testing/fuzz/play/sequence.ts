import type { Command } from '../commands/command.js';
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

/** A failure's kind: its text without numbers, names and values, but with codes and statuses. */
export function kindOf(step: Step, text: string): string {
  if (text.startsWith('code: ')) return `${step.do}: ${text}`;
  const [status] = /^status: expected \d+( \w+)?, got \d+/.exec(text) ?? [];
  const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
  if (status !== undefined) return `${step.do}: ${status} ${code}`.trimEnd();
  const [what = ''] = text.split(/: |, | should /, 1);
  return `${step.do}: ${what.replace(/\d+/g, '#')}`;
}

/** Plays one step and checks all rules. `at` is its index. */
export async function playStep(
  step: Step,
  at: number,
  { runner, options }: { runner: ModelRunner; options: PlayOptions },
): Promise<{ outcome: string; failure: Failure | null }> {
  const command = options.commands.get(step.do);
  if (command === undefined) throw new RangeError(`there is no command ${step.do}`);
  const failed = (text: string) => ({ at, kind: kindOf(step, text), text });
  let played: Played;
  try {
    played = await command.play(step, runner);
  } catch (error) {
    const text = `an exception: ${error instanceof Error ? error.message : String(error)}`;
    return { outcome: 'exception', failure: failed(text) };
  }
  const { outcome, deviation } = played;
  if (deviation !== null) return { outcome, failure: failed(deviation) };
  for (const rule of options.rules) {
    const broken = await rule(runner, step, played);
    if (broken !== null) return { outcome, failure: failed(broken) };
  }
  if ((at + 1) % options.proofEvery !== 0) return { outcome, failure: null };
  const unsound = await runner.unsound();
  return { outcome, failure: unsound === null ? null : failed(unsound) };
}

/** Reconciles books and wallets after the step at an index; null if all holds, or there is no step. */
export async function proof(
  steps: readonly Step[],
  at: number,
  runner: ModelRunner,
): Promise<Failure | null> {
  const step = steps[at];
  const unsound = step === undefined ? null : await runner.unsound();
  if (step === undefined || unsound === null) return null;
  return { at, kind: kindOf(step, unsound), text: unsound };
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
