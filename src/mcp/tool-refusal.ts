/** A refusal by this server rather than by the bank. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  /** As refusals of the service have, for the paying client. */
  readonly status = 400;

  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}
