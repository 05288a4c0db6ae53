export const QUEUE_PREFIX = {
  'queue-prefix': {
    type: 'string',
    default: 'agent-bank-sim',
    describe: 'with --queue: prefix of the keys in Redis',
  },
} as const;
