import { readFileSync } from 'node:fs';
import { AgentWallet } from '../client/wallet.js';
import { findFiles, NothingFound } from '../scenario/file/find.js';
import { loadFile } from '../scenario/file/load.js';
import type { Reporter } from '../scenario/reporters/reporter.js';
import { everyStep, tally } from '../scenario/results.js';
import { runSuite, selected } from '../scenario/run.js';
import { BrokenFile, type Scenario } from '../scenario/scenario.js';
import type { Target } from '../scenario/target.js';
import { EXIT, UsageError } from './usage.js';

/** What the command line of `sim run` says. */
export interface RunArguments {
  readonly paths?: readonly string[] | undefined;
  readonly target: 'in-process' | 'http';
  readonly baseUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  readonly wallet: readonly string[];
  readonly engine: 'bankrun' | 'litesvm';
  readonly seed?: string | undefined;
  readonly tag: readonly string[];
  readonly grep?: string | undefined;
  readonly bail?: number | undefined;
  readonly list: boolean;
  readonly timeout: number;
}

function walletIn(path: string): AgentWallet {
  try {
    return AgentWallet.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(path, 'utf8')) as number[]));
  } catch (error) {
    throw new UsageError(
      `--wallet ${path}: must hold a JSON array of 64 numbers, as solana-keygen writes it (${(error as Error).message})`,
    );
  }
}

async function targetOf(args: RunArguments): Promise<Target> {
  const { baseUrl, rpcUrl = null, wallet } = args;
  if (baseUrl !== undefined) {
    const { deployed } = await import('../targets/deployed.js');
    return deployed({ baseUrl, rpcUrl, wallets: wallet.map(walletIn) });
  }
  if (rpcUrl !== null || wallet.length > 0)
    throw new UsageError('--rpc-url and --wallet are for a deployed service: name it with --base-url');
  if (args.target === 'http') return (await import('../targets/served.js')).SERVED;
  return (await import('../targets/in-process.js')).IN_PROCESS;
}

async function load(paths: readonly string[], folder: string): Promise<Scenario[]> {
  try {
    const files = await findFiles(paths, folder);
    const scenarios: Scenario[] = [];
    for (const file of files) scenarios.push(...(await loadFile(file, folder)));
    return scenarios;
  } catch (error) {
    if (error instanceof BrokenFile || error instanceof NothingFound) throw new UsageError(error.message);
    throw error;
  }
}

function pattern(text: string | undefined): RegExp | null {
  if (text === undefined) return null;
  try {
    return new RegExp(text, 'i');
  } catch {
    throw new UsageError(`--grep ${text}: is no regular expression`);
  }
}

const plain: Reporter = {
  begin: () => undefined,
  ended: (result) => {
    process.stdout.write(
      `${result.verdict} ${result.id} ${result.name} ${result.ms.toFixed(0)}ms ${result.reason ?? ''}\n`,
    );
    if (result.verdict !== 'failed') return;
    for (const step of everyStep(result.steps))
      if (step.verdict === 'failed')
        process.stdout.write(
          `   ${step.place} (line ${step.line}) ${step.title} ${JSON.stringify(step.args)}\n      ${JSON.stringify(step.mismatches)} ${step.problem ?? ''}\n      ${JSON.stringify(step.exchanges.at(-1)?.responseBody)}\n      ${step.explanation ?? ''}\n`,
        );
  },
  end: ({ results }) => process.stdout.write(`${JSON.stringify(tally(results))}\n`),
};

/** Plays scenarios and says what came of them. Sets exit code 1 when one failed. */
export async function run(args: RunArguments): Promise<void> {
  const { paths = ['scenarios'], engine, seed = null, tag, bail = null, timeout } = args;
  const scenarios = selected(await load(paths.length === 0 ? ['scenarios'] : paths, process.cwd()), {
    tags: tag,
    grep: pattern(args.grep),
  });
  if (args.list) {
    for (const { id, line, name, tags } of scenarios)
      process.stdout.write(`${id}:${line}  ${name}${tags.map((each) => `  #${each}`).join('')}\n`);
    return;
  }
  const target = await targetOf(args);
  const suite = await runSuite(scenarios, {
    bail,
    reporters: [plain],
    play: {
      target,
      engine,
      seed,
      isDetailed: false,
      timeoutMs: timeout * 1_000,
      rerun: (scenario, usedSeed) =>
        `sim run ${scenario.file} --grep ${JSON.stringify(`^${scenario.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)} --seed ${usedSeed} --engine ${scenario.world.engine ?? engine}`,
    },
  });
  if (tally(suite.results).failed > 0) process.exitCode = EXIT.failed;
}
