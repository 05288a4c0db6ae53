import { type EntryDraft, credit, debit, draft } from '../entry.js';
import { type PerToken, TOKENS } from '../money.js';

/** The first entry of every journal: the treasury's holdings on chain become the bank's capital. Base units. */
export function openBank(treasury: PerToken<bigint>): EntryDraft {
  const postings = TOKENS.flatMap((token) => [
    debit('treasury', null, token, treasury[token]),
    credit('capital', null, token, treasury[token]),
  ]);
  return draft(null, { kind: 'bank.opened' }, postings);
}
