import type { ApiResponse } from '../pipeline/api-request.js';
import type { RequestTrace } from '../pipeline/recorder-port.js';
import { type LineParts, callLine, type readAsked } from './call-line.js';
import { PendingLine } from './pending-line.js';

/** The recorder's side of calls. */
export interface CallQueue {
  readonly place: (pending: PendingLine) => void;
  readonly ended: (requestId: string, pending: PendingLine) => void;
}

/** A call in flight: one object each, since there are many. */
export class PendingCall extends PendingLine implements RequestTrace<ApiResponse> {
  readonly #call: ReturnType<typeof readAsked>;
  readonly #requestId: string;
  readonly #parts: LineParts;
  readonly #queue: CallQueue;

  constructor(
    call: ReturnType<typeof readAsked>,
    requestId: string,
    parts: LineParts,
    { clock, queue }: { clock: ConstructorParameters<typeof PendingLine>[0]; queue: CallQueue },
  ) {
    super(clock, queue.place);
    this.#call = call;
    this.#requestId = requestId;
    this.#parts = parts;
    this.#queue = queue;
  }

  answered({ body }: ApiResponse, wallet: string | null): void {
    // Serialized once, for the recording and for the client.
    if (body !== null) body.json ??= JSON.stringify(body.body);
    this.#call.told = body;
    this.#call.wallet = wallet;
    this.#queue.ended(this.#requestId, this);
  }

  override line(): string {
    return callLine(this.#call, this.atMs, this.#parts);
  }
}
