import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load } from './load.js';

/** Makes requests in its own process, so that it does not share the server's event loop. */
export interface Loader {
  /** Requests answered per second. */
  rate(load: Load): Promise<number>;
  stop(): void;
}

/** Starts a process that makes requests. */
export function startLoader(): Loader {
  const child = fork(fileURLToPath(new URL('load.js', import.meta.url)));
  const died = once(child, 'exit').then(() => {
    throw new Error('the process that makes requests has ended');
  });
  // Relevant only while a result is pending.
  died.catch(() => undefined);
  return {
    rate: async (load) => {
      const answered = once(child, 'message') as Promise<[number]>;
      child.send(load);
      const [rate] = await Promise.race([answered, died]);
      return rate;
    },
    stop: () => {
      child.kill();
    },
  };
}
