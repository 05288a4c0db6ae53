import type { CallTrace } from '../http/recorder-port.js';
import { type LineParts, callLine, type readAsked } from './call-line.js';
import { PendingLine } from './pending-line.js';

/** The recorder's side of calls. */
export interface CallQueue {
  readonly place: (pending: PendingLine) => void;
  readonly begun: (requestId: string, pending: PendingLine) => void;
  readonly ended: (requestId: string, pending: PendingLine) => void;
}

/** A call in flight: one object each, since there are many. */
export class PendingCall extends PendingLine implements CallTrace {
  readonly #call: ReturnType<typeof readAsked>;
  readonly #parts: LineParts;
  readonly #queue: CallQueue;
  #requestId = '';

  constructor(
    call: ReturnType<typeof readAsked>,
    parts: LineParts,
    clock: ConstructorParameters<typeof PendingLine>[0],
    queue: CallQueue,
  ) {
    super(clock, queue.place);
    this.#call = call;
    this.#parts = parts;
    this.#queue = queue;
  }

  begun(requestId: string): void {
    this.#requestId = requestId;
    this.#queue.begun(requestId, this);
  }

  answered(body: Parameters<CallTrace['answered']>[0], wallet: string | null): void {
    // Serialized once, for the recording and for the client.
    if (body !== null) body.json = JSON.stringify(body.body);
    this.#call.told = body;
    this.#call.wallet = wallet;
    this.#queue.ended(this.#requestId, this);
  }

  override line(): string {
    return callLine(this.#call, this.atMs, this.#parts);
  }
}
