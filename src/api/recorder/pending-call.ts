import type { CallTrace } from '../http/call-recorder.js';
import { type LineParts, callLine, type readAsked } from './call-line.js';
import { PendingLine } from './pending-line.js';

/** What a recorder does with calls. */
export interface CallQueue {
  readonly place: (pending: PendingLine) => void;
  readonly begun: (requestId: string, pending: PendingLine) => void;
  readonly ended: (requestId: string, pending: PendingLine) => void;
}

/** A call while it is under way: one object for each, since there are many. */
export class PendingCall extends PendingLine implements CallTrace {
  readonly #call: ReturnType<typeof readAsked>;
  readonly #parts: LineParts;
  readonly #desk: CallQueue;
  #requestId = '';

  constructor(
    call: ReturnType<typeof readAsked>,
    parts: LineParts,
    clock: ConstructorParameters<typeof PendingLine>[0],
    desk: CallQueue,
  ) {
    super(clock, desk.place);
    this.#call = call;
    this.#parts = parts;
    this.#desk = desk;
  }

  begun(requestId: string): void {
    this.#requestId = requestId;
    this.#desk.begun(requestId, this);
  }

  answered(told: Parameters<CallTrace['answered']>[0], wallet: string | null): void {
    // It is wanted twice: the caller is told the same text.
    if (told !== null) told.json = JSON.stringify(told.body);
    this.#call.told = told;
    this.#call.wallet = wallet;
    this.#desk.ended(this.#requestId, this);
  }

  override line(): string {
    return callLine(this.#call, this.atMs, this.#parts);
  }
}
