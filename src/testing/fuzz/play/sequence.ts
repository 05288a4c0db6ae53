import type { Deviation } from '../model/difference.js';
import type { Step } from '../step.js';
import type { ChangeRule, Played, Rule } from './model-runner.js';

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

/** The name of a custom rule, or its position in the list. */
export function ruleName({ name = '' }: Rule | ChangeRule, at: number): string {
  return name === '' ? `rule ${at + 1}` : name;
}

/** A played step, and how it breaks a rule; null for each if it does not. */
export interface StepResult {
  readonly played: Played;
  readonly broken: Deviation | null;
  readonly failure: Failure | null;
}

/** Called after each step. */
export type AfterStep = (step: Step, result: StepResult) => void;
