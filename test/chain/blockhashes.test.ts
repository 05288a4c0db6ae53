import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCKHASH_LIFETIME_BLOCKS, Blockhashes } from '../../src/chain/blockhashes.js';
import { forAll } from '../support/for-all.js';

describe('blockhash lifetime', () => {
  it('is valid for its own slot and 150 more, regardless of instance and other lookups', () => {
    const asked = fc.array(fc.nat(2_000), { maxLength: 10 });
    forAll(fc.nat(2_000), fc.nat(2_000), asked, fc.boolean(), (own, now, between, fresh) => {
      const hashes = new Blockhashes('seed');
      const hash = (fresh ? new Blockhashes('seed') : hashes).at(own);
      for (const slot of between) hashes.at(slot);
      expect(hashes.isRecent(hash, now)).toBe(own <= now && now - own <= BLOCKHASH_LIFETIME_BLOCKS);
    });
  });

  it('is still known after thousands of lookups', () => {
    const hashes = new Blockhashes('seed');
    const hash = hashes.at(5_000);
    for (let slot = 0; slot < 4_900; slot += 1) hashes.at(slot);
    expect(hashes.isRecent(hash, 5_010)).toBe(true);
  });

  it('is unique to one slot of one chain', () => {
    const hashes = new Blockhashes('seed');
    const all = Array.from({ length: 500 }, (_, slot) => hashes.at(slot));
    expect(new Set(all).size).toBe(500);
    expect(new Blockhashes('other').isRecent(all[100] as string, 100)).toBe(false);
    expect(new Blockhashes('seed').at(100)).toBe(all[100]);
  });
});
