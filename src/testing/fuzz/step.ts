import type { EndpointId } from '../../contract/endpoints.js';
import type { Spelling } from './model/types.js';

/** JSON as it is stored in files. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Arguments of a step. Strings may contain references such as `${ann}`, `${treasury}`, `${s3.signature}`. */
export type Args = Readonly<Record<string, Json>>;

/**
 * One action with every choice already made, so that it replays identically on any engine. Later steps refer to its results by `id`
 * (`${s12.signature}`), which it keeps when steps before it are removed.
 */
export interface Step {
  readonly id: number;
  readonly do: string;
  /** The acting agent; absent for actions of the environment. */
  readonly by?: string;
  readonly with: Args;
}

/** A call of an agent, as a separate step or within one. */
export interface Call {
  readonly do: EndpointId;
  readonly by: string;
  readonly with: Args;
}

/** The arguments of a call. */
export interface CallArgs {
  readonly auth?: string;
  readonly key?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly spelling?: Spelling;
}

export function stepText(step: Step): string {
  const who = step.by === undefined ? '' : `${step.by}.`;
  return `s${step.id}  ${who}${step.do} ${JSON.stringify(step.with)}`;
}
