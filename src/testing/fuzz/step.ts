/** JSON, as it is kept in files. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Arguments of a step. Text in them may hold references such as `${ann}`, `${treasury}`, `${s3.signature}`. */
export type Args = Readonly<Record<string, Json>>;

/**
 * One thing that somebody does, with everything decided: it is played again as it stands, on any engine. `id` is its number where it
 * was drawn; later steps refer to what it left behind (`${s12.signature}`), also when others between them are taken out.
 */
export interface Step {
  readonly id: number;
  /** The name of the command. */
  readonly do: string;
  /** The agent that does it; absent for what nobody in particular does. */
  readonly by?: string;
  readonly with: Args;
}

/** A step in one line, for people. */
export function stepText(step: Step): string {
  const who = step.by === undefined ? '' : `${step.by}.`;
  return `s${step.id}  ${who}${step.do} ${JSON.stringify(step.with)}`;
}
