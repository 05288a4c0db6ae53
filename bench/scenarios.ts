import { AgentWallet, createSimulator } from '../src/index.js';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { findFiles, loadFile } from '../src/testing/scenario/file/load.js';
import { readYaml } from '../src/testing/scenario/file/yaml.js';
import { playScenario } from '../src/testing/scenario/play/play.js';
import type { PlayOptions } from '../src/testing/scenario/play/play-options.js';
import { everyStep } from '../src/testing/scenario/results.js';
import type { Scenario } from '../src/testing/scenario/scenario.js';
import { JOB_PROGRAM } from '../src/cli/jobs.js';
import type { RunArguments } from '../src/cli/run/flags.js';
import { playOptionsOf } from '../src/cli/run/arguments.js';
import { playerBy } from '../src/cli/run/scenario-job.js';
import { ProcessRunner } from '../src/testing/jobs/process-runner.js';
import type { PlayOne } from '../src/testing/scenario/run.js';
import { IN_PROCESS } from '../src/testing/drivers/in-process.js';
import { collectGarbage, ensure, interleave, median, msOf } from './measure.js';
import type { Benchmark, Row } from './report.js';

const LEAST_A_SECOND: Readonly<Record<EmbeddedEngineName, number>> = { bankrun: 15, litesvm: 60 };

function options(engine: EmbeddedEngineName): PlayOptions {
  const rerun = ({ id }: Scenario) => id;
  return { target: IN_PROCESS, engine, seed: null, isDetailed: false, timeoutMs: 120_000, rerun };
}

async function suite(): Promise<Scenario[]> {
  const folder = process.cwd();
  const files = await findFiles(['scenarios'], folder);
  const all = (await Promise.all(files.map((file) => loadFile(file, folder)))).flat();
  return all.filter(({ play }) => play.kind === 'steps');
}

async function playAll(scenarios: readonly Scenario[], engine: EmbeddedEngineName): Promise<void> {
  for (const scenario of scenarios) {
    const { verdict } = await playScenario(scenario, options(engine));
    ensure(verdict === 'passed', `${scenario.id} ${verdict}`);
  }
}

/** Scenarios per second of processor time on one core. */
async function rateRow(scenarios: readonly Scenario[], engine: EmbeddedEngineName): Promise<Row> {
  await playAll(scenarios, engine);
  const rates: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    await playAll(scenarios, engine);
    const { user, system } = process.cpuUsage(before);
    rates.push(scenarios.length / ((user + system) / 1e6));
  }
  return {
    name: `${scenarios.length} scripted scenarios, a second of one core, ${engine}`,
    unit: '1/s',
    measured: median(rates),
    ceiling: LEAST_A_SECOND[engine],
    target: { kind: 'at least', value: 1 },
  };
}

const CALLS = `
name: Calls of every kind
invariants: off
agents: { alice: { checking: { usdc: 900 } }, bob: {} }
steps:
  - repeat:
      times: 20
      steps:
        - alice.account
        - alice.savings.deposit: { amount: 2, token: USDC }
          expect: { success: true, savings_deposit.amount: 2 }
        - alice.x402.pay: { recipient: '\${bob}', amount: 1, token: USDC }
          expect: { success: true }
        - alice.collateral.borrow: { amount: 1000000 }
          expect: { status: 400, code: collateral_limit_exceeded }
        - alice.savings.withdraw: { amount: 1, token: USDC }
        - alice.transactions
`;

/** The same calls by a client without a scenario, in an equal world. */
async function bareCalls(engine: EmbeddedEngineName): Promise<void> {
  const sim = await createSimulator({ engine, time: 'frozen' });
  const [alice, bob] = [sim.createWallet(), sim.createWallet()];
  await sim.setBalance(alice.address, 1.000_005, 'SOL');
  await sim.setBalance(alice.address, 900, 'USDC');
  await sim.setBalance(bob.address, 1, 'SOL');
  const agent = sim.agent(AgentWallet.fromSecretKey(alice.secretKey));
  await agent.fund(900, 'USDC');
  for (let round = 0; round < 20; round += 1) {
    await agent.account();
    await agent.depositSavings({ amount: 2, token: 'USDC' });
    await agent.pay({ recipient: bob.address, amount: 1, token: 'USDC' });
    await agent.borrow({ amount: 1_000_000 }).catch(() => null);
    await agent.withdrawSavings({ amount: 1, token: 'USDC' });
    await agent.transactions();
  }
  await sim.close();
}

/** A scenario against its calls alone. */
async function overheadRow(invariants: 'off' | 'always', engine: EmbeddedEngineName): Promise<Row> {
  const text = CALLS.replace('invariants: off', `invariants: ${invariants}`);
  const [scenario] = readYaml(text, 'calls.yaml', 'calls.yaml');
  if (scenario === undefined) throw new Error('there is no scenario');
  const ms = await interleave(
    { rounds: 15, warmUp: 3 },
    {
      scenario: () =>
        msOf(async () => {
          const { verdict, steps } = await playScenario(scenario, options(engine));
          ensure(verdict === 'passed' && everyStep(steps).length >= 120, 'the scenario was not played');
        }),
      calls: () => msOf(() => bareCalls(engine)),
    },
  );
  return {
    name: `a scenario of 120 calls against the calls alone, invariants ${invariants}, ${engine}`,
    unit: 'ms',
    measured: ms.scenario,
    ceiling: ms.calls,
    target: { kind: 'at most', value: 1.2 },
  };
}

/** Started and warmed-up processes that play scenarios. */
async function pooled(
  scenarios: readonly Scenario[],
  { workers, engine }: { workers: number; engine: EmbeddedEngineName },
): Promise<PlayOne & { close?: () => Promise<void> }> {
  const runner = new ProcessRunner({ ...JOB_PROGRAM, count: workers });
  const none = {
    name: '',
    queuePrefix: '',
    wallet: [],
    tag: [],
    reporter: [],
    retries: 0,
    list: false,
    inspect: false,
    watch: false,
  };
  const args: RunArguments = {
    ...none,
    paths: ['scenarios'],
    target: 'in-process',
    timeout: 60,
    engine,
    workers,
  };
  const onMishap = (text: string) => ensure(false, text);
  const jobs = { suite: 'suite', digests: new Map(), interruptedAt: new Map(), onMishap };
  const play = await playerBy(runner, args, { ...jobs, options: await playOptionsOf(args) });
  await shared(play, scenarios.slice(0, 20), workers);
  return Object.assign(play, { close: () => runner.close() });
}

async function shared(play: PlayOne, scenarios: readonly Scenario[], workers: number): Promise<void> {
  const waiting = scenarios.values();
  const worker = async () => {
    for (const scenario of waiting) {
      const result = await play(scenario);
      ensure(result?.verdict === 'passed', scenario.id);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

async function workersRow(scenarios: readonly Scenario[], engine: EmbeddedEngineName): Promise<Row> {
  const long = [...scenarios, ...scenarios, ...scenarios];
  const one = await pooled(scenarios, { workers: 1, engine });
  const two = await pooled(scenarios, { workers: 2, engine });
  const ms = await interleave(
    { rounds: 3, warmUp: 1 },
    { one: () => msOf(() => shared(one, long, 1)), two: () => msOf(() => shared(two, long, 2)) },
  );
  await one.close?.();
  await two.close?.();
  return {
    name: `two workers against one, ${long.length} scenarios, ${engine}`,
    unit: 'ms',
    measured: ms.one,
    ceiling: ms.two,
    target: { kind: 'at least', value: 1.7 },
  };
}

const LONG_STEPS = 10_000;

/** A file of 10,000 steps: the cost of the last thousand against the second, and the memory that a step retains. */
async function longRows(): Promise<Row[]> {
  const steps = Array.from({ length: LONG_STEPS / 2 }, () => [
    '  - alice.savings.deposit: { amount: 0.01, token: USDC }',
    '  - alice.savings.withdraw: { amount: 0.01, token: USDC }',
  ]).flat();
  const text = `name: long\nagents: { alice: { checking: { usdc: 10 } } }\nsteps:\n${steps.join('\n')}\n`;
  const [scenario] = readYaml(text, 'long.yaml', 'long.yaml');
  if (scenario === undefined) throw new Error('there is no scenario');
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const { steps: results } = await playScenario(scenario, options('litesvm'));
  collectGarbage();
  const kept = (process.memoryUsage().heapUsed - before) / LONG_STEPS;
  const msOfPart = (from: number, to: number) => median(results.slice(from, to).map(({ ms }) => ms)) * 1_000;
  ensure(results.length === LONG_STEPS, 'not all steps were played');
  return [
    {
      name: `a step of a file of ${LONG_STEPS.toLocaleString('en-US')}: the last thousand against the second, litesvm`,
      unit: 'µs',
      measured: msOfPart(LONG_STEPS - 1_000, LONG_STEPS),
      ceiling: msOfPart(1_000, 2_000),
      target: { kind: 'at most', value: 1.2 },
    },
    {
      name: `heap that a step leaves while its file of ${LONG_STEPS.toLocaleString('en-US')} is played, litesvm`,
      unit: 'bytes',
      measured: kept,
      ceiling: null,
      target: { kind: 'at most', value: 2_048 },
    },
  ];
}

/** The cost of the scenario runner. */
export const scenarios: Benchmark = {
  name: 'scenarios',
  run: async () => {
    const all = await suite();
    return [
      await rateRow(all, 'bankrun'),
      await rateRow(all, 'litesvm'),
      await overheadRow('off', 'bankrun'),
      await overheadRow('always', 'bankrun'),
      await overheadRow('off', 'litesvm'),
      await overheadRow('always', 'litesvm'),
      await workersRow(all, 'bankrun'),
      await workersRow(all, 'litesvm'),
      ...(await longRows()),
    ];
  },
};
