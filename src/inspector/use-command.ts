import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, type Ask, type Control, Refused } from './control/client.js';
import type { CommandId } from '../api/control/commands.js';
import { Repeater } from './control/repeater.js';
import { useSession } from './session.js';

/** The response of a command; the previous response stays while it is read again. */
export interface Reading<T> {
  readonly data: T | null;
  readonly error: Refused | null;
}

const NOTHING = { data: null, error: null } as const;

/** In a fork, reads a command of the parent, to show differences; null in the first world. */
export function useParent<I extends CommandId>(command: I, ask: Ask<I> = {}): Answer<I> | null {
  const of = useSession().parent.value ?? undefined;
  return useCommand(command, of === undefined ? null : ask, of).data;
}

/** Reads a command, of the page's world or of another one, and again when the world has changed; null reads nothing. */
export function useCommand<I extends CommandId>(
  command: I,
  ask: Ask<I> | null = {},
  of?: Control,
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
    const made = new Repeater(session.pacer, async (signal) => {
      try {
        const data = await control.do(command, { ...ask, signal });
        if (!signal.aborted) setState({ key, data, error: null });
      } catch (error) {
        if (signal.aborted) return;
        const refused = error instanceof Refused ? error : new Refused(String(error), 'unknown', 0);
        setState((before) => ({
          key,
          data: refused.status === 0 && before.key === key ? before.data : null,
          error: refused,
        }));
      }
    });
    made.poke();
    repeater.current = made;
    return () => made.stop();
  }, [key, isConnected]);
  const version = changes.value;
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current !== version) repeater.current?.poke();
    seen.current = version;
  }, [version]);
  return state.key === key ? state : NOTHING;
}
