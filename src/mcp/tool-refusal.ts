/** A refusal by this server rather than by the bank. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  /** Present on the service's refusals; the paying client reads it. */
  readonly status = 400;

  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}
