import { defaultEngine } from '../../chain/engines/native.js';
import { AgentWallet } from '../../sdk/client/wallet.js';
import { NothingFound, findFiles, loadFile } from '../../testing/scenario/file/load.js';
import type { PlayOptions } from '../../testing/scenario/play/play-options.js';
import { selected } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import type { Target } from '../../testing/scenario/target.js';
import { keyOption } from '../key-option.js';
import { UsageError, reading } from '../usage.js';
import type { RunArguments } from './flags.js';
import type { KeptWorlds } from './kept-worlds.js';

/** The target for the scenarios. Throws UsageError. */
export async function targetOf(args: RunArguments): Promise<Target> {
  const { baseUrl, rpcUrl = null, wallet } = args;
  if (baseUrl !== undefined) {
    if (!URL.canParse(baseUrl))
      throw new UsageError(`--base-url ${baseUrl}: is not a URL such as https://bank.example/api/v1`);
    const { deployed, fixtureWallets } = await import('../../testing/drivers/deployed.js');
    const wallets =
      wallet.length > 0
        ? wallet.map((key) => AgentWallet.fromSecretKey(keyOption('--wallet', key)))
        : fixtureWallets();
    if (args.target !== 'in-process' || args.engine !== defaultEngine())
      throw new UsageError('--base-url: the service has its own engine; leave out --target and --engine');
    return deployed({ baseUrl, rpcUrl, wallets });
  }
  if (rpcUrl !== null || wallet.length > 0) throw new UsageError('--rpc-url and --wallet require --base-url');
  if (args.target === 'http') return (await import('../../testing/drivers/http-server.js')).httpServer;
  return (await import('../../testing/drivers/in-process.js')).IN_PROCESS;
}

/** Parses `file.yaml#2` into the file and the scenario's suffix, if any. */
function partsOf(path: string): { path: string; id: string | null } {
  const [, file, number] = /^(.+)#(\d+)$/.exec(path) ?? [];
  return file === undefined ? { path, id: null } : { path: file, id: number === '1' ? '' : `#${number}` };
}

/** Loads the selected scenarios, in file order. Throws BrokenFile, UsageError for a wrong pattern, and NothingFound for a path without scenarios. */
export async function scenariosOf(args: RunArguments): Promise<Scenario[]> {
  const folder = process.cwd();
  const { grep: text } = args;
  const grep = text === undefined ? null : reading(`--grep ${text}: `, () => new RegExp(text, 'iu'));
  const given = args.paths === undefined || args.paths.length === 0 ? ['scenarios'] : args.paths;
  const found = new Map<string, Scenario>();
  for (const { path, id } of given.map(partsOf))
    for (const file of await findFiles([path], folder)) {
      const scenarios = await loadFile(file, folder);
      const named = scenarios.filter((scenario) => id === null || scenario.id === file + id);
      if (named.length === 0) throw new NothingFound(`${path}${id ?? ''}: no such scenario`);
      for (const scenario of named) found.set(scenario.id, scenario);
    }
  const all = [...found.values()].toSorted((a, b) =>
    a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1,
  );
  const wanted = selected(all, { tags: args.tag, grep });
  if (wanted.length === 0) throw new NothingFound(`none of ${all.length} scenarios matches --tag and --grep`);
  return wanted;
}

/** Whether results must have all details, for HTML and JSON reports. */
export function isDetailed({ reporter }: RunArguments): boolean {
  return reporter.some((each) => /^(html|json)\b/.test(each));
}

/** Options for playing the scenarios. Throws UsageError. */
export async function playOptionsOf(
  args: RunArguments,
  kept: KeptWorlds | null = null,
): Promise<PlayOptions> {
  const { engine, seed = null, timeout } = args;
  const target = await targetOf(args);
  const http = args.target === 'http' ? ' --target http' : '';
  const where = ({ world }: Scenario, used: string | null) =>
    args.baseUrl === undefined
      ? `--seed ${used} --engine ${world.engine ?? engine}${http}`
      : `--base-url ${args.baseUrl}${args.rpcUrl === undefined ? '' : ` --rpc-url ${args.rpcUrl}`}`;
  return {
    target: kept?.from(target) ?? target,
    engine,
    seed,
    ...(kept === null ? {} : { keep: kept.keep }),
    isDetailed: isDetailed(args),
    timeoutMs: timeout * 1_000,
    rerun: (scenario, used) =>
      `npx sim run ${scenario.id.includes('#') ? scenario.id : `${scenario.id}#1`} ${where(scenario, used)}`,
  };
}
