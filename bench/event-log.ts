import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from '../src/runtime/events/log-file.js';
import { createSimulator } from '../src/index.js';
import { BASE_PATH } from '../src/contract/endpoints.js';
import { startLoader } from './loader.js';
import { interleave } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LOAD = { connections: 8, ms: 200 } as const;

type Mode = 'none' | 'remembered' | 'written';

/** One world with an agent that has savings, served over HTTP; the event mode is set before each sample. */
async function served() {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await agent.depositSavings({ amount: 10, token: 'USDC' });
  const { token } = await agent.signIn();
  const { port } = await sim.listen();
  const append = sim.events.append.bind(sim.events);
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  /** Runs work while events are handled as given. The log cannot be turned off, so `none` discards events. */
  const during = async <T>(mode: Mode, work: () => Promise<T>): Promise<T> => {
    sim.events.append = mode === 'none' ? () => undefined : append;
    const fail = (error: unknown) => {
      throw error;
    };
    const file = mode === 'written' ? new LogFile(sim.events, join(folder, 'events.ndjson'), fail) : null;
    try {
      return await work();
    } finally {
      file?.close();
      sim.events.append = append;
    }
  };
  return {
    sim,
    during,
    load: { port, authorization: `Bearer ${token}`, client: 'sockets', ...LOAD } as const,
  };
}

/** How much retaining every event, and writing it to a file, reduces the request rate. */
export const eventLog: Benchmark = {
  name: 'event-log',
  run: async () => {
    const { sim, during, load } = await served();
    const loader = startLoader();
    const path = `${BASE_PATH}/agent/account`;
    const savings = `${BASE_PATH}/agent/account/savings/deposit`;
    const bodies = ['{"amount":0.000001,"token":"USDC"}'];
    const read = (mode: Mode) => () => during(mode, () => loader.rate({ ...load, path }));
    const write = (mode: Mode) => () => during(mode, () => loader.rate({ ...load, path: savings, bodies }));
    const rates = await interleave(
      { rounds: 15, warmUp: 3 },
      {
        none: read('none'),
        remembered: read('remembered'),
        written: read('written'),
        noneWrite: write('none'),
        rememberedWrite: write('remembered'),
        writtenWrite: write('written'),
      },
    );
    loader.stop();
    await sim.close();
    const row = (name: string, measured: number, ceiling: number): Row => ({
      name: `event log ${name}, against none`,
      unit: '1/s',
      measured,
      ceiling,
      target: { kind: 'at least', value: 0.9 },
    });
    return [
      row('remembered, overview', rates.remembered, rates.none),
      row('and written, overview', rates.written, rates.none),
      row('remembered, saving', rates.rememberedWrite, rates.noneWrite),
      row('and written, saving', rates.writtenWrite, rates.noneWrite),
    ];
  },
};
