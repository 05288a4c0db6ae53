import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BASE_PATH } from '../src/contract/endpoints.js';
import { type Simulator, createSimulator } from '../src/index.js';
import { ensure, median } from './measure.js';
import { startLoader } from './loader.js';
import type { Benchmark } from './report.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
];
const ROUNDS = 7;
const DEADLINE_MS = 20_000;

/** Opens a page in a browser; resolves to a function that closes it, once the page follows the events of the world. */
async function openPage(sim: Simulator, url: string): Promise<() => Promise<void>> {
  const profile = mkdtempSync(join(tmpdir(), 'inspector-'));
  const browser = spawn(
    CHROMIUM,
    [...FLAGS, `--user-data-dir=${profile}`, '--remote-debugging-port=0', url],
    {
      stdio: 'ignore',
    },
  );
  const streams = async (count: number) => {
    const deadlineMs = performance.now() + DEADLINE_MS;
    while (sim.eventStreams.count !== count) {
      ensure(performance.now() < deadlineMs, `the page does not open at ${url}`);
      await sleep(50);
    }
  };
  await streams(1);
  return async () => {
    browser.kill();
    await streams(0);
  };
}

/**
 * What an open inspector takes of the simulator: the processor's time for an account overview over HTTP, with a page that is open and
 * without. In time of the processor, since on a small machine the browser takes time of its own.
 */
export const inspector: Benchmark = {
  name: 'inspector',
  run: async () => {
    if (!existsSync(CHROMIUM)) {
      process.stderr.write(`(no ${CHROMIUM}: name a browser in CHROMIUM) `);
      return [];
    }
    const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', history: 200 });
    const agent = sim.agent(0);
    await agent.fund(100, 'USDC');
    const { token } = await agent.signIn();
    const server = await sim.listen();
    const loader = startLoader();
    const load = {
      port: server.port,
      path: `${BASE_PATH}/agent/account`,
      authorization: `Bearer ${token}`,
      connections: 8,
      ms: 1_000,
      client: 'sockets',
    } as const;
    /** Requests for each second of the processor. */
    const sample = async () => {
      const before = process.cpuUsage();
      const count = ((await loader.rate(load)) * load.ms) / 1_000;
      const { user, system } = process.cpuUsage(before);
      return (count / (user + system)) * 1e6;
    };
    const without: number[] = [];
    const withPage: Record<'overview' | 'timeline', number[]> = { overview: [], timeline: [] };
    await sample();
    for (let round = 0; round < ROUNDS; round += 1) {
      without.push(await sample());
      for (const view of ['overview', 'timeline'] as const) {
        const close = await openPage(sim, `${server.origin}/inspector/${view === 'overview' ? '' : view}`);
        // The page reads what happened before it was opened.
        await sample();
        await sample();
        withPage[view].push(await sample());
        await close();
      }
    }
    loader.stop();
    await sim.close();
    return (['overview', 'timeline'] as const).map((view) => ({
      name: `account overviews with an open ${view} page, per second of CPU`,
      unit: '1/s' as const,
      measured: median(withPage[view]),
      ceiling: median(without),
      target: { kind: 'at least', value: 0.9 } as const,
    }));
  },
};
