import { defined } from '../../core/json.js';

/** The outcome of a step: a response of the service or an equivalent. */
export interface Outcome {
  /** HTTP status; null without a response and for steps other than HTTP calls. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly isOk: boolean;
  /** The reason why there is no response; otherwise null. */
  readonly lost: string | null;
}

/** A successful outcome of a step other than an HTTP call. */
export function done(body: unknown): Outcome {
  return { status: null, headers: {}, body, isOk: true, lost: null };
}

/** A refusal with a code of a step other than an HTTP call. */
export function refusedWith(
  code: string,
  error: string,
  more: { status?: number; details?: unknown } = {},
): Outcome {
  const { status = null, details } = more;
  return { status, headers: {}, body: { code, error, ...defined({ details }) }, isOk: false, lost: null };
}

/**
 * The view for expectations and references: the members of the body, plus `status`, `body` and `lost`, and `headers` unless the body has
 * such a member.
 */
export function flattenResponse(outcome: Outcome): Record<string, unknown> {
  const { status, body, lost } = outcome;
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  // Steps other than HTTP calls can have their own `status`, such as the status of a loan.
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

/** The code of a refusal; null if there is none. */
export function codeOf({ body }: Outcome): string | null {
  const code = (body as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}
