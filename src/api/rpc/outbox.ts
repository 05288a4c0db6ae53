/** The part of a connection that an outbox uses. */
export interface Wire {
  /** Bytes that are written but not sent yet. */
  waitingBytes(): number;
  write(text: string): void;
  /** Requests the peer's confirmation that it has read everything before. */
  ping(payload: string): void;
  /** Closes the connection at once. */
  drop(): void;
}

/** A connection with more unsent bytes reads too slowly, and is closed. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;

/**
 * Sends responses at once, and notifications after the peer has read the response with their subscription's id. Clients lose notifications
 * that arrive in one read with it (@solana/kit then waits forever). The reply to a ping after the response shows when it has. One ping at a
 * time covers all responses before it: clients such as `ws` close a connection with too many pending pings.
 */
export class Outbox {
  readonly #wire: Wire;
  #begun = 0;
  #answered = 0;
  #pinged = 0;
  #read = 0;
  #held: { readonly after: number; readonly text: string }[] = [];
  #heldBytes = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** A subscription was added, and its response is not sent yet. */
  began(): void {
    this.#begun += 1;
  }

  answer(text: string): void {
    this.#write(text);
    this.#answered = this.#begun;
    this.#pingOnce();
  }

  notify(text: string): void {
    if (this.#read === this.#begun) {
      this.#write(text);
      return;
    }
    this.#held.push({ after: this.#begun, text });
    this.#heldBytes += text.length;
    if (this.#heldBytes > MAX_WAITING_BYTES) this.#wire.drop();
  }

  /** The peer has read everything before the ping with this payload. */
  ponged(payload: string): void {
    const read = Number(payload);
    // A peer may send pongs with any payload.
    if (!Number.isInteger(read) || read <= this.#read || read > this.#pinged) return;
    this.#read = read;
    const ready = this.#held.findIndex(({ after }) => after > read);
    const texts = this.#held.splice(0, ready < 0 ? this.#held.length : ready);
    for (const { text } of texts) {
      this.#heldBytes -= text.length;
      this.#write(text);
    }
    this.#pingOnce();
  }

  #pingOnce(): void {
    const isWaiting = this.#pinged > this.#read;
    if (isWaiting || this.#pinged === this.#answered) return;
    this.#pinged = this.#answered;
    this.#wire.ping(String(this.#pinged));
  }

  #write(text: string): void {
    if (this.#wire.waitingBytes() > MAX_WAITING_BYTES) this.#wire.drop();
    else this.#wire.write(text);
  }
}
