import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Answer, type Ask, type Control, Refused } from './control/client.js';
import type { CommandId } from '../api/control/commands.js';
import { Repeater } from './control/repeater.js';
import { session } from './session.js';

/** The response of a command; the previous response stays while it is read again. */
export interface Reading<T> {
  readonly data: T | null;
  readonly error: Refused | null;
}

const NOTHING = { data: null, error: null } as const;

/** Lets a reader read while the page is connected, and again when the world has changed, until the view is left. */
export function useReader(reader: Repeater, isLive: boolean): void {
  const { value } = session.changes;
  useEffect(() => {
    if (isLive) reader.poke();
  }, [reader, value, isLive]);
  useEffect(() => () => reader.stop(), [reader]);
}

/** In a fork, reads a command of the parent, to show differences; null in the first world. */
export function useParent<I extends CommandId>(command: I, ask: Ask<I> = {}): Answer<I> | null {
  const of = session.parent.value ?? undefined;
  return useCommand(command, of === undefined ? null : ask, of).data;
}

/** Reads a command, of the page's world or of another one, and again when the world has changed; null reads nothing. */
export function useCommand<I extends CommandId>(
  command: I,
  ask: Ask<I> | null = {},
  of?: Control,
): Reading<Answer<I>> {
  const control = of ?? session.control;
  const key = ask === null ? null : JSON.stringify([control.base, command, ask.id, ask.query]);
  const [state, setState] = useState<Reading<Answer<I>> & { key: string | null }>({ ...NOTHING, key });
  const isLive = session.connection.value === 'live';
  const read = async (signal: AbortSignal) => {
    try {
      const data = await control.do(command, { ...ask, signal });
      if (!signal.aborted) setState({ key, data, error: null });
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof Refused ? error : new Refused(String(error));
      setState((before) => ({
        key,
        data: refused.status === 0 && before.key === key ? before.data : null,
        error: refused,
      }));
    }
  };
  // Another one for each connection, whose first reading is not paced.
  const reader = useMemo(() => new Repeater(session.pacer, read), [key, isLive]);
  useReader(reader, isLive && key !== null);
  return state.key === key ? state : NOTHING;
}
