import type { StepAction } from '../../testing/scenario/file/write.js';

/** What a line of a recording becomes in a scenario. */
export interface LineAction extends StepAction {
  readonly key?: string;
  /** Status and body of the recorded response, with aliases for generated values; null for one that a fault has lost, absent for a step without expectations. */
  readonly told?: { readonly status: number | null; readonly body: unknown } | null;
  /** Whether it only reads, and may be dropped if nothing refers to it. */
  readonly isRead?: boolean;
}

/** A scenario step under construction, from a line of a recording. */
export interface StepDraft extends LineAction {
  readonly number: number;
  args: unknown;
  key?: string;
  /** World time at which it must run. */
  readonly atMs: number;
  /** Saved members of its response that other steps refer to, by name. */
  readonly saves: Map<string, string>;
}

/** The end of the titles of sign-ins. */
export const SIGN_IN = '.signIn';
/** The code for a transaction that the chain refused, whatever the reason. */
export const ANY_CODE = '?';

/** A line without a step, and why. */
export interface LeftOut {
  readonly number: number;
  readonly why: string;
}
