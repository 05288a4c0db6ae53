import type { HarCall } from './read-har.js';

type Token = 'USDC' | 'SOL';

/** A wallet's balances at the bank before the first call, in token units. */
export interface Opening {
  readonly checking: Record<Token, number>;
  readonly savings: Record<Token, number>;
}

function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names)
    found =
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined;
  return found;
}

function numberAt(value: unknown, ...names: readonly string[]): number | null {
  const found = at(value, ...names);
  return typeof found === 'number' && found >= 0 ? found : null;
}

/** Members of answers with a previous balance. */
const BEFORE = { checking: ['balance', 'checking'], savings: ['savings'] } as const;

/** A wallet's initial balances according to its calls: from an overview, or from the previous balance of its first change. */
export function openingOf(calls: readonly HarCall[]): Opening {
  const opening: Opening = { checking: { USDC: 0, SOL: 0 }, savings: { USDC: 0, SOL: 0 } };
  const known = new Set<string>();
  const note = (account: keyof Opening, token: Token, amount: number | null) => {
    if (amount === null || known.has(`${account} ${token}`)) return;
    known.add(`${account} ${token}`);
    opening[account][token] = amount;
  };
  for (const { answer, status, operation } of calls) {
    if (status !== 200) continue;
    for (const account of ['checking', 'savings'] as const) {
      if (operation === 'account')
        for (const token of ['USDC', 'SOL'] as const)
          note(account, token, numberAt(answer, account, token.toLowerCase()));
      for (const member of BEFORE[account]) {
        const token = at(answer, member, 'token');
        if (token === 'USDC' || token === 'SOL') note(account, token, numberAt(answer, member, 'previous'));
      }
    }
  }
  return opening;
}
