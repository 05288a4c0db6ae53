import type { HeardCall } from '../http/tape.js';
import { type LineParts, callLine, type readAsked } from './call-line.js';
import { Taking } from './taking.js';

/** What a recorder does with calls. */
export interface CallDesk {
  readonly place: (taking: Taking) => void;
  readonly begun: (requestId: string, taking: Taking) => void;
  readonly ended: (requestId: string, taking: Taking) => void;
}

/** A call while it is under way: one object for each, since there are many. */
export class CallTaking extends Taking implements HeardCall {
  readonly #call: ReturnType<typeof readAsked>;
  readonly #parts: LineParts;
  readonly #desk: CallDesk;
  #requestId = '';

  constructor(
    call: ReturnType<typeof readAsked>,
    parts: LineParts,
    clock: ConstructorParameters<typeof Taking>[0],
    desk: CallDesk,
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

  answered(told: Parameters<HeardCall['answered']>[0], wallet: string | null): void {
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
