import { text } from '../arguments.js';

export const QUEUE_PREFIX = {
  'queue-prefix': { ...text('with --queue: prefix of the keys in Redis'), default: 'agent-bank-sim' },
} as const;

/** The options of a command that can run on a queue; `name` is the default name of what it runs there. */
export function queueOptions(name: string, describe: string) {
  return {
    queue: text('run on the workers of this queue, such as redis://127.0.0.1:6379; see sim worker'),
    name: { ...text(`with --queue: ${describe}`), default: name },
    ...QUEUE_PREFIX,
  } as const;
}
