import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../support/world.js';
import { ATTACKS, CONTROLLED } from './hostile/attacks.js';
import { CROWDS } from './hostile/crowd.js';
import { hostileFiles } from './hostile/files.js';
import { FOLDERS } from './hostile/folders.js';
import { Place } from './hostile/place.js';
import { type Attack, type AttackResult, Target } from './hostile/target.js';
import { WORLDS, hostileScenarios } from './hostile/time.js';

/** Minimum duration for each engine: `HOSTILE_MINUTES=30 npm run soak -- hostile`. Each attack runs at least once. */
const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 0);
/** Runs only attacks whose name contains this text: `HOSTILE_ONLY=folder`. */
const ONLY = process.env['HOSTILE_ONLY'] ?? '';

/** The memory an attack may retain, and the longest that another client's small call may take during one. */
const MOST_MB = 50;
const LONGEST_MS = 500;

const only = <T>(attacks: Readonly<Record<string, T>>) =>
  Object.entries(attacks).filter(([name]) => name.includes(ONLY));

/** Attacks that run in sequence against one process. */
const SHARED: Readonly<Record<string, Attack>> = {
  ...ATTACKS,
  ...CONTROLLED,
  'files with damage': hostileFiles,
  'scenario files that ask for much': hostileScenarios,
};
/** Attacks against their own processes. */
const OWN = { ...FOLDERS, ...WORLDS, ...CROWDS };

/** What a wait may consist of: the process took no calls, its collector ran, the disk wrote, or the caller's own thread stood still. */
const waits = ({ loopMs, gcMs, diskMs, callerMs }: AttackResult['stoodStill']): string =>
  `loop ${loopMs.toFixed(0)}, gc ${gcMs.toFixed(0)}, disk ${diskMs.toFixed(0)}, caller ${callerMs.toFixed(0)}`;

/** A line of the table. */
function rowOf(
  round: number,
  name: string,
  { seconds, before, after, longestMs, stoodStill, told }: AttackResult,
): string {
  return `${String(round).padStart(3)}  ${name.padEnd(56)} ${seconds.toFixed(1).padStart(6)} s  ${before.mb.toFixed(0).padStart(5)} -> ${after.mb.toFixed(0).padStart(5)} MB  ${before.descriptors} -> ${after.descriptors} fd  ${longestMs.toFixed(0).padStart(6)} ms (${waits(stoodStill)})  ${told}`.trimEnd();
}

describe.each(ENGINES)('hostile campaign against sim start on %s', (engine) => {
  const failures: string[] = [];
  beforeAll(() => void process.stdout.write(`\n${engine}\n`));

  const measure = async (round: number, name: string, attack: () => Promise<AttackResult>) => {
    try {
      const result = await attack();
      process.stdout.write(`${rowOf(round, name, result)}\n`);
      const { longestMs, stoodStill } = result;
      // Nobody is answered before the disk has written. Where that, or the caller's own thread, took most of a wait, the machine is slow.
      const machineMs = Math.max(stoodStill.diskMs, stoodStill.callerMs);
      if (longestMs > (result.allowedMs ?? LONGEST_MS) && machineMs < longestMs / 2)
        failures.push(`${name}: a call waited ${longestMs.toFixed(0)} ms (${waits(stoodStill)})`);
      if (result.lost > 0) failures.push(`${name}: ${result.lost} calls of others failed`);
      return result;
    } catch (error) {
      failures.push(`${name}, round ${round}: ${String(error)}`);
      return null;
    }
  };

  it('ends no process, retains no memory and blocks no other client', async () => {
    const root = mkdtempSync(join(tmpdir(), 'sim-hostile-'));
    let target = await Target.start(['--engine', engine]);
    try {
      const untilMs = performance.now() + MINUTES * 60_000;
      let round = 0;
      do {
        round += 1;
        for (const [name, attack] of only(SHARED)) {
          const result = await measure(round, name, () => target.underAttack(attack, round));
          if (!target.isAlive) target = await Target.start(['--engine', engine]);
          if (result === null) continue;
          const { before, after } = result;
          const grown = after.mb - before.mb;
          // The first round fills bounded stores, such as the event log.
          if (round > 1 && grown > MOST_MB) failures.push(`${name}: ${grown.toFixed(0)} MB stay`);
          if (after.descriptors > before.descriptors + 20)
            failures.push(`${name}: ${after.descriptors - before.descriptors} descriptors stay`);
        }
        for (const [at, [name, attack]] of only(OWN).entries()) {
          const place = new Place(engine, round, join(root, `${round}-${at}`));
          await measure(round, name, () => attack(place));
          await place.clear();
        }
      } while (performance.now() < untilMs);
      expect(await target.violations()).toEqual([]);
      expect(failures).toEqual([]);
    } finally {
      await target.stop();
      rmSync(root, { recursive: true });
    }
  });
});
