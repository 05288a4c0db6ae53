import { expect, it } from 'vitest';
import type { Entry } from '../../../src/core/domain/entry.js';
import { MemoryJournal } from '../../../src/core/journal/memory.js';

function entry(seq: number): Entry {
  return { seq, atMs: 0, wallet: null, facts: { kind: 'bank.opened' }, postings: [], balanceAfterBase: null };
}

it('MemoryJournal returns every entry by its number and rejects other numbers', () => {
  const journal = new MemoryJournal();
  for (let seq = 1; seq <= 100; seq += 1) journal.append(entry(seq));
  expect([journal.size(), journal.at(1).seq, journal.at(100).seq]).toEqual([100, 1, 100]);
  for (const seq of [0, -1, 101, 1.5]) expect(() => journal.at(seq), String(seq)).toThrow(RangeError);
});
