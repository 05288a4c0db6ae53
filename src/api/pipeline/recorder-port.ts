import type { EndpointId } from '../../contract/endpoints.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

export interface RequestTrace<A> {
  /** Called when the request is about to run; if a fault delays it (`isWaiting`), its recorded time is the time before the delay. */
  arrived(isWaiting: boolean): void;
  /** Runs the synchronous part of `work` with a running clock held at one instant. */
  still<T>(work: () => T): T;
  /** Called with the response, even if it is never sent, and with the token's wallet. */
  answered(answer: A, wallet: string | null): void;
}

export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

export interface CommandRequest {
  readonly command: string;
  readonly method: string;
  /** The id in its path; empty for none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  /** JSON; undefined for a command that takes none. */
  readonly body: unknown;
  readonly requestId: string;
}

/** Records requests; `null` for one that is not recorded. */
export interface RequestRecorder {
  call(operation: EndpointId, request: ApiRequest, requestId: string): RequestTrace<ApiResponse>;
  /** `outcome` is null when a fault has lost the response. */
  rpc(
    method: string,
    params: unknown,
    requestId: string,
  ): RequestTrace<{ readonly outcome: RpcOutcome | null }> | null;
  /** The response is null when the client has disconnected and the command was cut short. */
  command(
    request: CommandRequest,
  ): RequestTrace<{ readonly status: number; readonly body: unknown } | null> | null;
}

/** A recorder can be inserted while requests are served; `on` is null while nothing is recorded. */
export interface RecorderSlot {
  on: RequestRecorder | null;
}
