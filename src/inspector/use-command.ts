import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, type Ask, type Control, Refused } from './control/client.js';
import type { Used } from './control/commands.js';
import { useSession } from './session.js';

/** What a command has answered; what it answered before stays while it is read again. */
export interface Reading<T> {
  readonly data: T | null;
  readonly error: Refused | null;
  readonly isLoading: boolean;
}

const NOTHING = { data: null, error: null, isLoading: true } as const;
/** At most this share of the time is spent on reading the same again. */
const MOST_SHARE = 0.1;

/** Reads again and again, one at a time, and the less often the longer a reading takes. */
class Repeater {
  readonly #read: (signal: AbortSignal) => Promise<void>;
  readonly #stop = new AbortController();
  #state: 'idle' | 'reading' | 'stale' = 'idle';

  constructor(read: (signal: AbortSignal) => Promise<void>) {
    this.#read = read;
  }

  /** Reads now, or once more when the reading under way has ended. */
  poke(): void {
    if (this.#state === 'idle') void this.#run();
    else this.#state = 'stale';
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    this.#state = 'reading';
    const startedMs = performance.now();
    await this.#read(this.#stop.signal);
    const restMs = (performance.now() - startedMs) / MOST_SHARE;
    setTimeout(() => {
      const isStale = this.#state === 'stale';
      this.#state = 'idle';
      if (isStale && !this.#stop.signal.aborted) this.poke();
    }, restMs);
  }
}

/** In a fork, reads a command of the first world, to show what differs; null in the first world itself. */
export function useFirstWorld<I extends Used>(command: I, ask: Ask<I> = {}): Answer<I> | null {
  const { forkId, firstControl } = useSession();
  return useCommand(command, forkId === null ? null : ask, { of: firstControl }).data;
}

/** Reads a command, again whenever the world has changed; null reads nothing. */
export function useCommand<I extends Used>(
  command: I,
  ask: Ask<I> | null = {},
  { of }: { readonly of?: Control } = {},
): Reading<Answer<I>> {
  const session = useSession();
  const { changes, connection } = session;
  const control = of ?? session.control;
  const key = ask === null ? null : JSON.stringify([control.base, command, ask.id, ask.query]);
  const [state, setState] = useState<Reading<Answer<I>> & { key: string | null }>({ ...NOTHING, key });
  const repeater = useRef<Repeater | null>(null);
  const isConnected = connection.value === 'live';
  useEffect(() => {
    if (ask === null || !isConnected) return undefined;
    const made = new Repeater(async (signal) => {
      try {
        const data = await control.do(command, { ...ask, signal });
        if (!signal.aborted) setState({ key, data, error: null, isLoading: false });
      } catch (error) {
        if (signal.aborted) return;
        const refused = error instanceof Refused ? error : new Refused(String(error), 'unknown', 0);
        setState((before) => ({
          key,
          data: refused.status === 0 && before.key === key ? before.data : null,
          error: refused,
          isLoading: false,
        }));
      }
    });
    repeater.current = made;
    made.poke();
    return () => made.stop();
  }, [key, isConnected]);
  const version = changes.value;
  useEffect(() => repeater.current?.poke(), [version]);
  return state.key === key ? state : NOTHING;
}
