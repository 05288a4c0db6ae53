export const QUEUE_PREFIX = {
  'queue-prefix': {
    type: 'string',
    default: 'agent-bank-sim',
    describe: 'with --queue: prefix of the keys in Redis',
  },
} as const;

/** The options of a command that can run on a queue; `name` is the default name of what it runs there. */
export function queueOptions(name: string, describe: string) {
  return {
    queue: {
      type: 'string',
      describe: 'run on the workers of this queue, such as redis://127.0.0.1:6379; see sim worker',
    },
    name: { type: 'string', default: name, describe: `with --queue: ${describe}` },
    ...QUEUE_PREFIX,
  } as const;
}
