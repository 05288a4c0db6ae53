export const QUEUE_PREFIX = {
  'queue-prefix': {
    type: 'string',
    default: 'agent-bank-sim',
    describe: 'with --queue: beginning of the names of its keys',
  },
} as const;
