import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { ReplayHarness } from '../src/testing/fuzz/play/replay.js';
import {
  COMMANDS,
  type CampaignInput,
  type Command,
  Model,
  type ModelConfig,
  type Summary,
  campaign,
  playCall,
} from '../src/testing/fuzz-library.js';
import { PACKAGE_ROOT } from '../src/core/package-root.js';
import { inProcessFuzz } from '../src/testing/drivers/in-process-fuzz.js';
import { bankrun } from './ceilings/bankrun.js';
import { rawRate } from './ceilings/engine.js';
import { litesvm } from './ceilings/litesvm.js';
import { ensure, interleave, msOf } from './measure.js';
import type { Benchmark, Row } from './report.js';

/** Commands that run transactions, or that only follow from their results. */
const ON_CHAIN = ['send', 'allow', 'withdraw', 'x402Pay', 'x402Request', 'overlap', 'time.advance'];
const NO_CHAIN: CampaignInput['weights'] = Object.fromEntries(ON_CHAIN.map((name) => [name, 0]));
const MAIN = join(PACKAGE_ROOT, 'dist/cli/main.js');

async function played(input: CampaignInput): Promise<Summary> {
  const summary = await campaign(input);
  ensure(summary.found === null, summary.found?.failure.text ?? '');
  return summary;
}

/** Steps per second of processor time on one core, over a campaign of half a million steps including warm-up. */
async function ratePerCore(input: CampaignInput): Promise<number> {
  const before = process.cpuUsage();
  const { steps } = await played({ ...input, seed: 100 });
  const { user, system } = process.cpuUsage(before);
  return steps / ((user + system) / 1e6);
}

async function offChainRow(transport: 'direct' | 'http', value: number): Promise<Row> {
  return {
    name: `steps without chain operations, a second of one core, ${transport}`,
    unit: '1/s',
    measured: await ratePerCore({
      runs: 13_000,
      transport,
      weights: NO_CHAIN ?? {},
    }),
    ceiling: null,
    target: { kind: 'at least', value },
  };
}

/** A call that always moves money on chain, checked like any other. */
function moving(operation: 'withdraw' | 'x402Pay'): Command {
  const to = operation === 'withdraw' ? 'destination' : 'recipient';
  return {
    name: operation,
    weight: 1,
    draw: (player) =>
      fc.constant({
        do: operation,
        by: 'ann',
        with: { body: { amount: 0.000001, token: 'USDC', [to]: player.world.wallets[9]?.address ?? '' } },
      }),
    play: (step, player) => playCall(operation, step, player),
  };
}

const MONEY_MOVES: CampaignInput = {
  commands: [moving('withdraw'), moving('x402Pay')],
  only: ['withdraw', 'x402Pay'],
};

async function chainRow(engine: EmbeddedEngineName): Promise<Row> {
  const raw = engine === 'litesvm' ? litesvm() : await bankrun();
  const count = engine === 'litesvm' ? 500 : 150;
  let round = 0;
  const rates = await interleave(
    { rounds: 7, warmUp: 2 },
    {
      fuzz: async () => {
        round += 1;
        const summary = await played({
          ...MONEY_MOVES,
          engine,
          runs: engine === 'litesvm' ? 60 : 30,
          seed: round,
        });
        return summary.steps / summary.seconds;
      },
      raw: () => rawRate(raw, count),
    },
  );
  return {
    name: `steps that move money against raw transfers, ${engine}`,
    unit: '1/s',
    measured: rates.fuzz,
    ceiling: rates.raw,
    target: { kind: 'at least', value: 0.3 },
  };
}

/** Restoring a fresh world, against the steps that run in it. */
async function worldRow(): Promise<Row> {
  const checkSuite = {
    commands: COMMANDS,
    rules: [],
    makeModel: (modelConfig: ModelConfig) => new Model(modelConfig),
  };
  const harness = await ReplayHarness.open(
    inProcessFuzz,
    { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} },
    { agents: 3, checkSuite },
  );
  const { runner: player } = harness;
  ensure((await harness.begin()) === null, 'the opening failed');
  const snapshot = await player.snapshot();
  const saves = Array.from({ length: 10 }, (_, at) => ({
    id: 100 + at,
    do: 'savingsDeposit',
    by: 'ann',
    with: { body: { amount: 1, token: 'USDC' } },
  }));
  /** Reconciles books and chain once, after all steps. */
  const play = async () => {
    for (const [at, step] of saves.entries()) await harness.step(step, at, saves.length);
  };
  const times = 200;
  const ms = await interleave(
    { rounds: 15, warmUp: 5 },
    {
      steps: async () => {
        let sum = 0;
        for (let at = 0; at < times; at += 1) {
          await player.restore(snapshot);
          sum += await msOf(play);
        }
        return sum / times;
      },
      world: async () => {
        let sum = 0;
        for (let at = 0; at < times; at += 1) {
          await play();
          sum += await msOf(() => player.restore(snapshot));
        }
        return sum / times;
      },
    },
  );
  await harness.close();
  return {
    name: 'a fresh world for a run, against ten of its steps',
    unit: 'µs',
    measured: ms.world * 1_000,
    ceiling: ms.steps * 1_000,
    target: { kind: 'at most', value: 1 },
  };
}

/**
 * Steps per second of `sim fuzz` with the given number of workers, as it reports itself, in a campaign that is mostly past its warm-up.
 */
async function byCommand(workers: number): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'agent-bank-sim-bench-'));
  const flags = ['--time-budget', '25s', '--workers', String(workers), '--json', '--out', out];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'fuzz', ...flags]);
  const { steps, seconds } = JSON.parse(stdout) as Summary;
  return steps / seconds;
}

/** Two workers against one, and against two independent commands, which shows what the machine can give. */
async function workersRows(): Promise<Row[]> {
  const one = await byCommand(1);
  const two = await byCommand(2);
  const apart = await Promise.all([byCommand(1), byCommand(1)]);
  const row = { unit: '1/s', measured: two } as const;
  return [
    {
      ...row,
      name: 'steps of two workers against one',
      ceiling: one,
      target: { kind: 'at least', value: 1.7 },
    },
    {
      ...row,
      name: 'the same against two commands beside each other',
      ceiling: apart[0] + apart[1],
      target: null,
    },
  ];
}

/** The fuzzer's steps per second. */
export const fuzz: Benchmark = {
  name: 'fuzz',
  run: async () => [
    await offChainRow('direct', 20_000),
    await offChainRow('http', 5_000),
    await chainRow('litesvm'),
    await chainRow('bankrun'),
    await worldRow(),
    ...(await workersRows()),
  ],
};
