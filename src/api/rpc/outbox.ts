/** What an outbox needs of a connection. */
export interface Wire {
  /** Bytes that were written and not taken yet. */
  waitingBytes(): number;
  write(text: string): void;
  /** Asks the other side to say that it has read everything before. */
  ping(snapshot: string): void;
  /** Ends the connection at once. */
  drop(): void;
}

/** A connection that has so many bytes waiting reads too slowly, and is dropped. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;

/**
 * Sends answers at once, and notifications when the other side has read the answer that told it of their subscription: clients
 * lose those that come with it in one read (@solana/kit then waits for ever). A ping after the answer tells when that is. There is one
 * ping at a time, for all answers before it: clients such as `ws` end a connection with too many pings that wait for their pongs.
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

  /** A subscription has begun; its answer is yet to be sent. */
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

  /** The other side has read everything before the ping with this mark. */
  ponged(snapshot: string): void {
    const read = Number(snapshot);
    // Anybody may send a pong with anything in it.
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
