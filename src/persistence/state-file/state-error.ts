/** Why a state cannot be used: it is not a state file, is damaged, or is from another version or world. */
export type StateFault =
  | 'not_a_state'
  | 'state_damaged'
  | 'state_of_another_version'
  | 'state_of_another_world';

/** A state that cannot be used; the message says why and what to do. Nothing was changed. */
export class StateError extends Error {
  override readonly name = 'StateError';

  constructor(
    readonly code: StateFault,
    message: string,
  ) {
    super(message);
  }
}

/** The error for a state whose checksum matches but whose contents are wrong: no simulator has written it. */
export function inconsistent(why?: string): StateError {
  const more = why === undefined ? '' : ` (${why})`;
  return new StateError('state_damaged', `The state is damaged: its contents are inconsistent${more}.`);
}
