// @module-tag slow
import { expect, it } from 'vitest';
import { actByChance } from './random-acts.js';
import { differencesOf, recordingOf } from './support.js';

const ACTS = 60;
/** The number of seeds, from 1 on; each has a world of its own. */
const SEEDS = Number(process.env['SEEDS'] ?? 3);

it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'a random session with seed %i replays to the same responses on both engines and contains no secret',
  { timeout: 60_000 },
  async (seed) => {
    const time = seed % 2 === 0 ? '60x' : 'frozen';
    const secrets: string[] = [];
    const text = await recordingOf({ seed: `chance ${seed}`, time }, async (session) => {
      await actByChance(session, seed, ACTS);
      secrets.push(...session.tokens, ...session.secrets);
      secrets.push(...session.sim.wallets.map(({ secretKey }) => secretKey));
    });
    for (const secret of secrets) expect(text).not.toContain(secret);
    for (const engine of ['litesvm', 'bankrun'] as const)
      expect(await differencesOf(text, engine), engine).toEqual([]);
  },
);
