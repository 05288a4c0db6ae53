import type { PlantedBug } from './bug.js';

/** Bugs of the forms of requests, and of where they are taken to. */
export const FORMS: readonly PlantedBug[] = [
  {
    name: 'a loan may run a day longer than a quarter',
    file: 'contract/loans.ts',
    from: '.max(MAX_DURATION_DAYS)',
    to: '.max(MAX_DURATION_DAYS + 1)',
  },
  {
    name: 'a memo may be a character too long',
    file: 'contract/x402.ts',
    from: "memo: text(1_024, 'A note; repeated in the receipt', 'weather report')",
    to: "memo: text(1_025, 'A note; repeated in the receipt', 'weather report')",
  },
  {
    name: 'an exponent of two digits is no number',
    file: 'contract/common.ts',
    from: '([eE][-+]?\\d+)?$/',
    to: '([eE][-+]?\\d)?$/',
  },
  {
    name: 'the scheme of the Authorization header must be in one case',
    file: 'bank/auth.ts',
    from: '/^Bearer +(\\S+)$/i.exec(header)',
    to: '/^Bearer +(\\S+)$/.exec(header)',
  },
  {
    name: 'an idempotency key does not see whose loan it is',
    file: 'api/http/service.ts',
    from: 'const input = { params, body };',
    to: 'const input = { body };',
  },
  {
    name: 'money may be sent to a token account',
    file: 'bank/reservations.ts',
    from: 'if (account?.owner !== TOKEN_PROGRAM && wallet !== NATIVE_MINT) return ok(undefined);',
    to: 'if (account === null || wallet !== NATIVE_MINT) return ok(undefined);',
  },
  {
    name: 'a state file forgets which challenges were used',
    file: 'persistence/state-file/bank.ts',
    from: '...expiring(c.constant(true)),',
    to: '...c.via(expiring(c.constant(true)), { encode: (all: TtlMap<true>) => all, decode: (all) => ({ ...all, values: all.values.clear() }) }),',
  },
];
