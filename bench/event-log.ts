import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator } from '../dist/index.js';
import { BASE_PATH } from '../dist/contract/endpoints.js';
import { startLoader } from './loader.js';
import { interleave } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LOAD = { connections: 8, ms: 300 } as const;

/** A world with an agent that has savings, served over HTTP. */
async function served(events: 'none' | 'remembered' | 'written') {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await agent.saveIn({ amount: 10, token: 'USDC' });
  const { token } = await agent.signIn();
  // There is no switch that turns the log off, so the ceiling has one that forgets at once.
  if (events === 'none') sim.events.append = () => undefined;
  if (events === 'written') sim.logTo(join(mkdtempSync(join(tmpdir(), 'log-')), 'events.ndjson'));
  const { port } = await sim.listen();
  return { sim, load: { port, authorization: `Bearer ${token}`, client: 'sockets', ...LOAD } as const };
}

/** What remembering every event, and writing it to a file, takes from the rate of requests. */
export const eventLog: Benchmark = {
  name: 'event-log',
  run: async () => {
    const none = await served('none');
    const remembered = await served('remembered');
    const written = await served('written');
    const loader = startLoader();
    const path = `${BASE_PATH}/agent/account`;
    const savings = `${BASE_PATH}/agent/account/savings/deposit`;
    const bodies = ['{"amount":0.000001,"token":"USDC"}'];
    const read =
      ({ load }: typeof none) =>
      () =>
        loader.rate({ ...load, path });
    const write =
      ({ load }: typeof none) =>
      () =>
        loader.rate({ ...load, path: savings, bodies });
    const rates = await interleave(
      { rounds: 9, warmUp: 2 },
      {
        none: read(none),
        remembered: read(remembered),
        written: read(written),
        noneWrite: write(none),
        rememberedWrite: write(remembered),
        writtenWrite: write(written),
      },
    );
    loader.stop();
    for (const { sim } of [none, remembered, written]) await sim.close();
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
