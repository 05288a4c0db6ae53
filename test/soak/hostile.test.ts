import { afterAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../support/world.js';
import { ATTACKS, CONTROLLED } from './hostile/attacks.js';
import { Target } from './hostile/target.js';

/** How long each engine is attacked: `HOSTILE_MINUTES=30 npm run soak -- hostile`. Each attack is made once at least. */
const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 0);

/** What may stay in memory after an attack, and how long somebody else's small call may wait during one. */
const MOST_MB = 50;
const LONGEST_MS = 500;

const all = { ...ATTACKS, ...CONTROLLED };

describe.each(ENGINES)('a hostile campaign against sim start on %s', (engine) => {
  const rows: string[] = [];
  afterAll(() => process.stdout.write(`\n${engine}\n${rows.join('\n')}\n`));

  it('ends no process, keeps no memory, and stops nobody else', async () => {
    const target = await Target.start('--engine', engine);
    const failures: string[] = [];
    try {
      const untilMs = performance.now() + MINUTES * 60_000;
      let round = 0;
      do {
        round += 1;
        for (const [name, attack] of Object.entries(all)) {
          const before = await target.figures();
          const watched = target.watch();
          const from = performance.now();
          await attack(target);
          const seconds = (performance.now() - from) / 1_000;
          const { longestMs, failures: lost } = await watched();
          if (!target.isAlive) throw new Error(`${name} ended the process: ${target.stderr}`);
          const after = await target.figures();
          const grown = after.mb - before.mb;
          rows.push(
            `${String(round).padStart(3)}  ${name.padEnd(56)} ${seconds.toFixed(1).padStart(6)} s  ${before.mb.toFixed(0).padStart(5)} -> ${after.mb.toFixed(0).padStart(5)} MB  ${before.descriptors} -> ${after.descriptors} fd  ${longestMs.toFixed(0).padStart(6)} ms`,
          );
          // The first round fills what is kept up to its limits, such as the log.
          if (round > 1 && grown > MOST_MB) failures.push(`${name}: ${grown.toFixed(0)} MB stay`);
          if (longestMs > LONGEST_MS) failures.push(`${name}: a call waited ${longestMs.toFixed(0)} ms`);
          if (lost > 0) failures.push(`${name}: ${lost} calls of others failed`);
          if (after.descriptors > before.descriptors + 20)
            failures.push(`${name}: ${after.descriptors - before.descriptors} descriptors stay`);
        }
      } while (performance.now() < untilMs);
      expect(await target.violations()).toEqual([]);
      expect(failures).toEqual([]);
    } finally {
      await target.stop();
    }
  });
});
