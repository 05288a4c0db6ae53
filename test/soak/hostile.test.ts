import { expect, describe, it } from 'vitest';
import { join } from 'node:path';
import { ENGINES } from '../support/world.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ATTACKS } from './hostile/attacks.js';
import { crowd } from './hostile/crowd.js';
import { type AttackResult, Target } from './hostile/target.js';

/** Minimum duration for each engine: `HOSTILE_MINUTES=30 npm run soak -- hostile`. Each attack runs at least once. */
const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 0);
/** Runs only attacks whose name contains this text: `HOSTILE_ONLY=agents`. */
const ONLY = process.env['HOSTILE_ONLY'] ?? '';

/** The memory an attack may retain, and the longest that another client's small call may take during one. */
const MOST_MB = 50;
const LONGEST_MS = 500;

/** A line of the table. */
function rowOf(
  round: number,
  name: string,
  { seconds, before, after, longestMs, loopMs, callerMs, told = '' }: AttackResult,
): string {
  const waits = `loop ${loopMs.toFixed(0)}, caller ${callerMs.toFixed(0)}`;
  return `${String(round).padStart(3)}  ${name.padEnd(56)} ${seconds.toFixed(1).padStart(6)} s  ${before.mb.toFixed(0).padStart(5)} -> ${after.mb.toFixed(0).padStart(5)} MB  ${before.descriptors} -> ${after.descriptors} fd  ${longestMs.toFixed(0).padStart(6)} ms (${waits})  ${told}`.trimEnd();
}

describe.each(ENGINES)('hostile campaign against sim start on %s', (engine) => {
  it('ends no process, retains no memory and blocks no other client', async () => {
    const failures: string[] = [];
    const measure = async (round: number, name: string, attack: () => Promise<AttackResult>) => {
      try {
        const result = await attack();
        process.stdout.write(`${rowOf(round, name, result)}\n`);
        const { longestMs, allowedMs = LONGEST_MS, callerMs } = result;
        // Where the caller's own thread took most of a wait, the machine is slow.
        if (longestMs > allowedMs && callerMs < longestMs / 2)
          failures.push(`${name}: a call waited ${longestMs.toFixed(0)} ms`);
        if (result.lost > 0) failures.push(`${name}: ${result.lost} calls of others failed`);
        return result;
      } catch (error) {
        failures.push(`${name}, round ${round}: ${String(error)}`);
        return null;
      }
    };
    const folder = temporaryFolder();
    let target = await Target.start('--engine', engine);
    process.stdout.write(`\n${engine}\n`);
    const untilMs = performance.now() + MINUTES * 60_000;
    let round = 0;
    do {
      round += 1;
      for (const [name, attack] of Object.entries(ATTACKS)) {
        if (!name.includes(ONLY)) continue;
        const result = await measure(round, name, () => target.underAttack(attack));
        if (!target.isAlive) target = await Target.start('--engine', engine);
        if (result === null) continue;
        const { before, after } = result;
        // The first round fills bounded stores, such as the event log.
        if (round > 1 && after.mb > before.mb + MOST_MB)
          failures.push(`${name}: ${(after.mb - before.mb).toFixed(0)} MB stay`);
        if (after.descriptors > before.descriptors + 20)
          failures.push(`${name}: ${after.descriptors - before.descriptors} descriptors stay`);
      }
      for (const [name, args] of Object.entries({
        '500 agents deposit': [],
        '500 agents deposit, in a folder': ['--data-dir', join(folder, String(round))],
      })) {
        if (!name.includes(ONLY)) continue;
        const crowded = await Target.start('--engine', engine, ...args);
        await measure(round, name, async () => {
          const result = await crowd(crowded);
          expect(await crowded.violations()).toEqual([]);
          return result;
        });
        await crowded.stop();
      }
    } while (performance.now() < untilMs);
    expect(await target.violations()).toEqual([]);
    expect(failures).toEqual([]);
  });
});
