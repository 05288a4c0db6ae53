/** Names of the fuzzer's properties, for the command line to list without loading the fuzzer. */
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
