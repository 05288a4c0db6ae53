import type { Result } from '../../core/domain/result.js';

/** A request to the service, over any transport. Expensive parts are read on demand. */
export interface ApiRequest {
  readonly method: string;
  /** The path under the origin, without its query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The body as JSON, or the refusal when it cannot be read. */
  body(): Result<unknown>;
  /** The raw body, for recordings; null for none, or when it is too large. */
  text(): string | null;
  /** Length of the body in characters. */
  readonly size: number;
  readonly hasQuery: boolean;
  query(): Readonly<Record<string, string | readonly string[]>>;
  /** The Idempotency-Key header; null for none. */
  key(): string | null;
  /** Scheme, host, port and mount that the client used. */
  origin(): string;
}

/** The service's response; `body` is null when a fault has lost it. Amounts in it become numbers by `toJSON`. */
export interface ApiResponse {
  readonly requestId: string;
  readonly body: {
    readonly status: number;
    readonly body: unknown;
    readonly retryAfterSeconds: number | null;
    /** The body as JSON, where it has been serialized for the log. */
    readonly json?: string;
  } | null;
}
