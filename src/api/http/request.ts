import type { Result } from '../../core/domain/result.js';

/** Something that is asked of the service, however it came. What is costly to read is read when its turn comes. */
export interface ApiRequest {
  readonly method: string;
  /** The path under the origin, without its query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The JSON of the body, or why it cannot be read. */
  body(): Result<unknown>;
  /** The body as it came; null for none, or for one that is too large. For records. */
  text(): string | null;
  /** Characters of the body. */
  readonly size: number;
  readonly hasQuery: boolean;
  query(): Readonly<Record<string, string>>;
  /** The Idempotency-Key header; null for none. */
  key(): string | null;
  /** Scheme, host, port and mount that the caller used. */
  origin(): string;
}

/** What is answered; null when a fault has lost the answer. Amounts of the body become numbers by `toJSON`. */
export interface ApiResponse {
  readonly requestId: string;
  readonly body: {
    readonly status: number;
    readonly body: unknown;
    readonly retryAfterSeconds: number | null;
    /** The body as JSON, once somebody has made it: it is not made twice. */
    json?: string;
  } | null;
}
