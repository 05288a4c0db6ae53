/** Names of the fuzzer's properties, which the command line tells without loading the fuzzer. */
export const PROPERTY_NAMES = [
  'everything',
  'limits',
  'signatures',
  'credit',
  'races',
  'sign-in',
  'http',
  'other-limits',
] as const;
