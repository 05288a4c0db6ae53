import { createHash } from 'node:crypto';
import { addressOf, bytesOf } from './addresses.js';
import { isOnCurve } from './curve.js';

/** The address that a program derives from seeds that are addresses: off the curve, so that no key can sign for it. */
export function programDerivedAddress(seeds: readonly string[], program: string): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(bytesOf(seed));
    const digest = hash
      .update(Uint8Array.of(bump))
      .update(bytesOf(program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(digest)) return addressOf(digest);
  }
  throw new Error(`no address of ${program} derives from ${seeds.join(', ')}`);
}
