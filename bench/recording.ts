import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_PATH } from '../src/contract/endpoints.js';
import { createSimulator } from '../src/index.js';
import type { Recording } from '../src/recording/schema.js';
import { readRecording } from '../src/recording/replay/read-recording.js';
import { replayRecording } from '../src/recording/replay/replay.js';
import { startLoader } from './loader.js';
import { ensure, interleave } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LOAD = { connections: 8, ms: 200 } as const;
const CALLS = 20_000;
const ROUNDS = 6;

/** A world with an agent that has savings, served over HTTP; recorded from before the first request if `isRecorded`. */
async function served(isRecorded: boolean) {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await agent.depositSavings({ amount: 10, token: 'USDC' });
  const path = join(mkdtempSync(join(tmpdir(), 'record-')), 'session.ndjson');
  if (isRecorded) await sim.recording.start({ path });
  const { token } = await agent.signIn();
  const { port } = await sim.listen();
  const loader = startLoader();
  const load = { port, authorization: `Bearer ${token}`, client: 'sockets', ...LOAD } as const;
  return {
    read: () => loader.rate({ ...load, path: `${BASE_PATH}/agent/account` }),
    write: () => {
      const bodies = ['{"amount":0.000001,"token":"USDC"}'];
      return loader.rate({ ...load, path: `${BASE_PATH}/agent/account/savings/deposit`, bodies });
    },
    close: () => {
      loader.stop();
      return sim.close();
    },
  };
}

/** How much recording reduces the request rate: two equal worlds, one of them recorded. */
async function recordingRows(): Promise<Row[]> {
  const [plain, recorded] = [await served(false), await served(true)];
  const rates = await interleave(
    { rounds: 31, warmUp: 3 },
    { read: plain.read, readRecorded: recorded.read, write: plain.write, writeRecorded: recorded.write },
  );
  await plain.close();
  await recorded.close();
  const row = (name: string, measured: number, ceiling: number): Row => ({
    name: `requests while recording, ${name}`,
    unit: '1/s',
    measured,
    ceiling,
    target: { kind: 'at least', value: 0.75 },
  });
  return [row('overview', rates.readRecorded, rates.read), row('saving', rates.writeRecorded, rates.write)];
}

/** Replay rate of a recording of reads and book-only writes, against the same calls without comparison. */
async function replayRows(): Promise<Row[]> {
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
      const { body: told } = await sim.api.call({ operation, authorization, ...(isWrite ? { body } : {}) });
      ensure(told?.status === 200, 'an operation was refused');
    }
    return (CALLS / (performance.now() - from)) * 1_000;
  };
  await direct();
  const text = (await sim.recording.stop()) ?? '';
  const read = () => {
    const from = performance.now();
    const recorded = readRecording(text, 'memory');
    return { recorded, ms: performance.now() - from };
  };
  const rateOf = async (recorded: Recording, readMs: number) => {
    const { inputs, ms, different } = await replayRecording(recorded);
    ensure(different.length === 0, 'a replay differs');
    return (inputs / (readMs + ms)) * 1_000;
  };
  const rates = await interleave(
    { rounds: ROUNDS, warmUp: 1 },
    {
      direct,
      replay: () => rateOf(read().recorded, 0),
      readAndReplay: () => {
        const { recorded, ms } = read();
        return rateOf(recorded, ms);
      },
    },
  );
  await sim.close();
  const row = (name: string, measured: number, target: Row['target']): Row => ({
    name: `${name}, against direct ones`,
    unit: '1/s',
    measured,
    ceiling: rates.direct,
    target,
  });
  return [
    row('replayed calls', rates.replay, { kind: 'at least', value: 0.5 }),
    row('calls read from a recording and replayed', rates.readAndReplay, null),
  ];
}

/** The cost of recording, and the rate of replay. */
export const recording: Benchmark = {
  name: 'recording',
  run: async () => [...(await recordingRows()), ...(await replayRows())],
};
