import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_PATH } from '../src/contract/endpoints.js';
import { type Simulator, type SimulatorOptions, createSimulator } from '../src/index.js';
import type { Load } from './load.js';
import { startLoader } from './loader.js';
import { ensure, interleave, rateOf } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LOAD = {
  connections: 32,
  ms: 400,
  client: 'sockets',
  path: `${BASE_PATH}/agent/account/savings/deposit`,
} as const;
/** Consecutive calls. */
const CALLS = 500;
const DEPOSIT = { amount: 0.000001, token: 'USDC' };

interface Served {
  readonly sim: Simulator;
  readonly port: number;
  readonly token: string;
}

async function serve(options: SimulatorOptions): Promise<Served> {
  // Periodic compaction is excluded; it is measured separately.
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', ...options });
  const agent = sim.agent(0);
  await agent.fund(5_000, 'USDC');
  const { token } = await agent.signIn();
  const { port } = await sim.listen();
  return { sim, port, token };
}

/** Consecutive calls that each wait for the disk. */
async function callsPerSecond({ sim, token }: Served): Promise<number> {
  const call = { operation: 'savingsDeposit', authorization: `Bearer ${token}`, body: DEPOSIT } as const;
  const from = performance.now();
  for (let at = 0; at < CALLS; at += 1) {
    const { body: told } = await sim.api.call(call);
    ensure(told?.status === 200, 'a deposit failed');
  }
  return (CALLS / (performance.now() - from)) * 1_000;
}

/** How many bytes a call appends. */
async function bytesOfACall(dataDir: string): Promise<number> {
  const sizes: number[] = [];
  for (const calls of [0, CALLS]) {
    const served = await serve({ dataDir, fsync: 'off', compactAt: 1_000_000 });
    if (calls > 0) await callsPerSecond(served);
    await served.sim.close();
    sizes.push(statSync(join(dataDir, 'world.data')).size);
    if (calls === 0) rmSync(dataDir, { recursive: true });
  }
  const [before, after] = sizes as [number, number];
  return Math.round((after - before) / CALLS);
}

/** Appends as many bytes to a file as a call does, with an fsync for each. */
function appendsPerSecond(path: string, bytes: Uint8Array): number {
  const fd = openSync(path, 'w');
  const rate = rateOf(CALLS, () => {
    writeSync(fd, bytes);
    fdatasyncSync(fd);
  });
  closeSync(fd);
  return rate;
}

/** The cost of a data folder for its callers: concurrent, and consecutive. */
export const durable: Benchmark = {
  name: 'durable',
  run: async () => {
    // In the project folder: temporary folders may be in memory.
    const dir = mkdtempSync(join(process.cwd(), 'bench-data-'));
    const loader = startLoader();
    const worlds: Served[] = [];
    const open = async (name: string, options: SimulatorOptions) => {
      const served = await serve(options);
      worlds.push(served);
      return {
        ...served,
        file: join(dir, name, 'world.data'),
        rate: () =>
          loader.rate({
            ...LOAD,
            port: served.port,
            authorization: `Bearer ${served.token}`,
            bodies: [JSON.stringify(DEPOSIT)],
          } satisfies Load),
      };
    };
    const kept = (name: string, fsync: 'group' | 'always' | 'off') =>
      open(name, { dataDir: join(dir, name), fsync, compactAt: 1_000_000 });
    try {
      const [memory, off, group, always] = [
        await open('memory', {}),
        await kept('off', 'off'),
        await kept('group', 'group'),
        await kept('always', 'always'),
      ];
      const together = await interleave(
        { rounds: 7, warmUp: 2 },
        { memory: memory.rate, off: off.rate, group: group.rate },
      );
      const bytes = new Uint8Array(await bytesOfACall(join(dir, 'bytes')));
      const alone = await interleave(
        { rounds: 9, warmUp: 2 },
        {
          always: () => callsPerSecond(always),
          plain: () => appendsPerSecond(join(dir, 'plain'), bytes),
        },
      );
      const name = 'savings deposits over HTTP, 32 connections';
      const target = { kind: 'at least', value: 0.7 } as const;
      return [
        {
          name: `${name}: group / off`,
          unit: '1/s',
          measured: together.group,
          ceiling: together.off,
          target,
        },
        {
          name: `${name}: group / in memory`,
          unit: '1/s',
          measured: together.group,
          ceiling: together.memory,
          target: null,
        },
        {
          name: `always / append and fsync of ${bytes.length} bytes, one after another`,
          unit: '1/s',
          measured: alone.always,
          ceiling: alone.plain,
          target,
        },
      ] satisfies Row[];
    } finally {
      loader.stop();
      for (const { sim } of worlds) await sim.close();
      rmSync(dir, { recursive: true });
    }
  },
};
