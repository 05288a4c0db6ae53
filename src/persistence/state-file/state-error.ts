/** Why a state cannot be used: no state file, damaged, of another version, or of another world. */
export type StateFault =
  'not_a_state' | 'state_damaged' | 'state_of_another_version' | 'state_of_another_world';

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

/** The error for a state whose checksum matches and whose contents are wrong: a simulator has not written it. */
export function inconsistent(why?: string): StateError {
  const more = why === undefined ? '' : ` (${why})`;
  return new StateError('state_damaged', `The state is damaged: what it holds is not what it says${more}.`);
}
