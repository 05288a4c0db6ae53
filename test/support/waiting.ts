import type { Connection } from '@solana/web3.js';
import { vi } from 'vitest';
import { WebSocket } from 'ws';

/** The fee of a transaction with one signature. */
export const FEE = 5_000;

/** Polls until the value satisfies the predicate, and returns it. */
export function settled<T>(ask: () => Promise<T> | T, holds: (answer: T) => boolean): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (!holds(answer)) throw new Error(`still ${String(answer)}`);
      return answer;
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** Collects values that arrive over time, such as notifications. */
export class Collector<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  /** Adds a value; bound, so that it can be passed as a callback. */
  readonly add = (one: T): void => {
    this.all.push(one);
    for (const wake of this.#waiting) wake();
  };

  /** The first value that satisfies the predicate, now or later. */
  async first(holds: (one: T) => boolean = () => true): Promise<T> {
    for (;;) {
      const found = this.all.find(holds);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}

/** Resolves when the server has answered all of a connection's subscriptions: what happens before that, it is not notified of. */
export async function subscribed(connection: Connection): Promise<void> {
  const { _subscriptionsByHash: all } = connection as unknown as {
    _subscriptionsByHash: Readonly<Record<string, { readonly state: string }>>;
  };
  await settled(
    () => Object.values(all).map(({ state }) => state),
    (states) => states.length > 0 && states.every((state) => state === 'subscribed'),
  );
}

/** Resolves when a connection has closed its WebSocket, half a second after its last subscription ended. */
export async function closed(connection: Connection): Promise<void> {
  const { _rpcWebSocket: inner } = connection as unknown as {
    _rpcWebSocket: { underlyingSocket?: { readyState: number } };
  };
  await settled(
    () => inner.underlyingSocket?.readyState ?? WebSocket.CLOSED,
    (state) => state === WebSocket.CLOSED,
  );
}
