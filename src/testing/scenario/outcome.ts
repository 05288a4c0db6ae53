/** What came of a step: an answer of the service, or what stands for one. */
export interface Outcome {
  /** HTTP status; null when no answer came, or for what is no HTTP call. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether what was asked for was done. */
  readonly isOk: boolean;
  /** Why no answer came at all; null when one did. */
  readonly lost: string | null;
}

/** An outcome of something that is no HTTP call and was done. */
export function done(body: unknown): Outcome {
  return { status: null, headers: {}, body, isOk: true, lost: null };
}

/** The same that was refused, with a code. */
export function refusedWith(
  code: string,
  error: string,
  more: { status?: number; details?: unknown } = {},
): Outcome {
  const details = more.details === undefined ? {} : { details: more.details };
  return {
    status: more.status ?? null,
    headers: {},
    body: { code, error, ...details },
    isOk: false,
    lost: null,
  };
}

/**
 * What expectations and references see: the members of the body, with `status`, `body` and `lost` beside them, and `headers` where the
 * body has no such member.
 */
export function flattenResponse(outcome: Outcome): Record<string, unknown> {
  const { status, body, lost } = outcome;
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  // What is no HTTP call may tell a status of its own, as a loan does.
  const http = status === null && 'status' in members ? {} : { status };
  return {
    get headers() {
      return outcome.headers;
    },
    ...members,
    ...http,
    body,
    ...(lost === null ? {} : { lost: true }),
  };
}

/** The code of a refusal; null when there is none. */
export function codeOf({ body }: Outcome): string | null {
  const code = (body as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}
