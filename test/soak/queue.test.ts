import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Summary } from '../../src/testing/fuzz-library.js';
import { RedisServer } from '../queue/redis-server.js';
import { ownQueue } from '../queue/support.js';

const STEPS = Number(process.env['STEPS'] ?? 40_000);
const KILL_SECONDS = Number(process.env['KILL_SECONDS'] ?? 10);
/** Fewer than a run has on average. */
const STEPS_PER_RUN = 33;
const DAYS = 86_400_000;

// The project folder from which bullmq and ioredis are resolved.
const project = fileURLToPath(new URL('../queue', import.meta.url));
process.chdir(project);

beforeAll(() => {
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: project, stdio: 'inherit' });
}, 600_000);

it(
  `a campaign of ${STEPS.toLocaleString('en-US')} steps ends, whoever of its workers, its coordinator and its Redis is killed`,
  async () => {
    const server = await RedisServer.start('--appendfsync', 'everysec');
    onTestFinished(() => server.stop());
    const queue = ownQueue(server.url);
    const runs = Math.ceil(STEPS / STEPS_PER_RUN);
    // Stays when the test fails: it has the counterexamples.
    const out = mkdtempSync(join(tmpdir(), 'sim-soak-'));
    const args = ['fuzz', '--runs', `${runs}`, '--seed', '2026', '--json', '--out', out];
    const working = () => queue.started(['worker', '--lease', '5s']);
    const workers = [working(), working()];
    let coordinator = queue.started(args);
    let kills = 0;
    while ((await Promise.race([coordinator.ended(), pause(KILL_SECONDS * 1_000)])) === undefined) {
      const victim = kills % 6;
      kills += 1;
      if (victim === 2) {
        await coordinator.endedBy('SIGKILL');
        coordinator = queue.started(args);
      } else if (victim === 5) {
        await server.kill();
        await server.start();
      } else {
        workers[victim % 2]?.kill('SIGKILL');
        workers[victim % 2] = working();
      }
    }
    expect(await coordinator.ended(), `${out}\n${coordinator.stdout}${coordinator.stderr}`).toBe(0);
    const summary = JSON.parse(coordinator.stdout) as Summary;
    expect(summary).toMatchObject({ crashed: [], found: null, interrupted: null });
    expect(summary.steps).toBeGreaterThanOrEqual(STEPS);
    expect(kills).toBeGreaterThan(0);
    rmSync(out, { recursive: true });
  },
  7 * DAYS,
);
