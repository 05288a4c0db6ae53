import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_PATH } from '../dist/contract/endpoints.js';
import { createSimulator } from '../dist/index.js';
import { readRecording } from '../dist/recording/format.js';
import { replayRecording } from '../dist/recording/replay.js';
import { startLoader } from './loader.js';
import { ensure, interleave } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LOAD = { connections: 8, ms: 200 } as const;
const CALLS = 20_000;
const ROUNDS = 6;

/** One world with an agent that has savings, served over HTTP; it records while it is told to. */
async function served() {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await agent.saveIn({ amount: 10, token: 'USDC' });
  const { token } = await agent.signIn();
  const { port } = await sim.listen();
  const path = join(mkdtempSync(join(tmpdir(), 'record-')), 'session.ndjson');
  const recorded = async <T>(work: () => Promise<T>): Promise<T> => {
    await sim.recording.start({ path });
    try {
      return await work();
    } finally {
      sim.recording.stop();
    }
  };
  const load = { port, authorization: `Bearer ${token}`, client: 'sockets', ...LOAD } as const;
  return { sim, recorded, load };
}

/** What recording takes from the rate of requests. */
async function recordingRows(): Promise<Row[]> {
  const { sim, recorded, load } = await served();
  const loader = startLoader();
  const path = `${BASE_PATH}/agent/account`;
  const savings = `${BASE_PATH}/agent/account/savings/deposit`;
  const bodies = ['{"amount":0.000001,"token":"USDC"}'];
  const read = () => loader.rate({ ...load, path });
  const write = () => loader.rate({ ...load, path: savings, bodies });
  const rates = await interleave(
    { rounds: 15, warmUp: 3 },
    { read, readRecorded: () => recorded(read), write, writeRecorded: () => recorded(write) },
  );
  loader.stop();
  await sim.close();
  const row = (name: string, measured: number, ceiling: number): Row => ({
    name: `requests while recording, ${name}`,
    unit: '1/s',
    measured,
    ceiling,
    target: { kind: 'at least', value: 0.9 },
  });
  return [row('overview', rates.readRecorded, rates.read), row('saving', rates.writeRecorded, rates.write)];
}

/** How fast a recording of calls that move money on the books, and of reads, replays, against the same calls without any comparing. */
async function replayRow(): Promise<Row> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  await sim.recording.start({ isNew: true });
  const agent = sim.agent(0);
  await agent.fund(10_000, 'USDC');
  const { token } = await agent.signIn();
  const authorization = `Bearer ${token}`;
  const body = { amount: 0.01, token: 'USDC' };
  const operations = ['savingsDeposit', 'account', 'savingsWithdraw', 'yieldRates'] as const;
  const direct = async () => {
    const from = performance.now();
    for (let at = 0; at < CALLS; at += 1) {
      const operation = operations[at % operations.length] ?? 'account';
      const isWrite = operation.startsWith('savings');
      const { told } = await sim.direct.call({ operation, authorization, ...(isWrite ? { body } : {}) });
      ensure(told?.status === 200, 'an operation was refused');
    }
    return (CALLS / (performance.now() - from)) * 1_000;
  };
  await direct();
  const recorded = readRecording(sim.recording.stop() ?? '', 'memory');
  const replay = async () => {
    const { inputs, ms, different } = await replayRecording(recorded);
    ensure(different.length === 0, 'a replay differs');
    return (inputs / ms) * 1_000;
  };
  const rates = await interleave({ rounds: ROUNDS, warmUp: 1 }, { direct, replay });
  await sim.close();
  return {
    name: 'replayed calls, against direct ones',
    unit: '1/s',
    measured: rates.replay,
    ceiling: rates.direct,
    target: { kind: 'at least', value: 0.5 },
  };
}

/** What recording costs, and how fast recordings replay. */
export const recording: Benchmark = {
  name: 'recording',
  run: async () => [...(await recordingRows()), await replayRow()],
};
