import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import type { Summary } from '../../src/testing/fuzz-library.js';
import { soak } from '../queue/soak.js';

const STEPS = Number(process.env['STEPS'] ?? 40_000);
const KILL_SECONDS = Number(process.env['KILL_SECONDS'] ?? 10);
/** Fewer than a run has on average. */
const STEPS_PER_RUN = 33;
const DAYS = 86_400_000;

const project = fileURLToPath(new URL('../queue', import.meta.url));

// The project folder from which bullmq and ioredis are resolved.
const given = process.env['SOAK_FOLDER'];
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'agent-bank-sim-soak-')) : resolve(given);
process.chdir(project);

beforeAll(() => {
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: project, stdio: 'inherit' });
}, 600_000);

it(
  `a campaign of ${STEPS.toLocaleString('en-US')} steps ends, whoever of its workers, its coordinator and its Redis is killed`,
  async () => {
    mkdirSync(folder, { recursive: true });
    const { report, stderr, code, line } = await soak({
      runs: Math.ceil(STEPS / STEPS_PER_RUN),
      seed: 2_026,
      killMs: KILL_SECONDS * 1_000,
      lease: '5s',
      folder,
      onKill: (each) => appendFileSync(join(folder, 'log.ndjson'), `${JSON.stringify(each)}\n`),
    });
    writeFileSync(join(folder, 'report.json'), report);
    writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(line, null, 2)}\n`);
    process.stderr.write(`${JSON.stringify(line)}\n`);
    // What was found is in the folder, and the report is there all the same.
    expect(code, stderr).toBe(0);
    const summary = JSON.parse(report) as Summary & { readonly interrupted: string | null };
    expect(summary).toMatchObject({ crashed: [], found: null, interrupted: null });
    expect(summary.steps).toBeGreaterThanOrEqual(STEPS);
    expect(line.kills).toBeGreaterThan(0);
    if (given === undefined) rmSync(folder, { recursive: true });
  },
  7 * DAYS,
);
