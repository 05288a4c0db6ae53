import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/core/package-root.js';
import { ensure, interleave } from './measure.js';
import type { Benchmark } from './report.js';

const MAIN = join(PACKAGE_ROOT, 'dist/cli/main.js');
const BARE = `require('solana-bankrun').start([],[]).then(()=>{console.log('ready');process.exit()})`;

async function firstLine(child: ChildProcess): Promise<string> {
  ensure(child.stdout !== null, 'the child has no stdout');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const ended = once(child, 'exit').then(async ([code]) => {
    // Its output may still be in transit.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    throw new Error(`the benchmark is broken: a process ended (${code}) without a line`);
  });
  const [text] = await Promise.race([line, ended]);
  ended.catch(() => undefined);
  return text;
}

function node(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: PACKAGE_ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Milliseconds from spawn to the printed line. */
async function bare(): Promise<number> {
  const from = performance.now();
  const child = node(['-e', BARE]);
  const exited = once(child, 'exit');
  await firstLine(child);
  const ms = performance.now() - from;
  await exited;
  return ms;
}

/** Milliseconds from spawn to the first response. */
async function service(engine: string, ...more: readonly string[]): Promise<number> {
  const from = performance.now();
  const child = node([MAIN, 'start', '--json', '--port', '0', '--engine', engine, ...more]);
  const exited = once(child, 'exit');
  const { baseUrl } = JSON.parse(await firstLine(child)) as { baseUrl: string };
  const response = await fetch(`${baseUrl}/agent/account/savings/yield`);
  await response.json();
  const ms = performance.now() - from;
  ensure(response.ok, `the service answered ${response.status}`);
  child.kill('SIGTERM');
  await exited;
  return ms;
}

/** Milliseconds from spawn to the end of a process. */
async function msToEnd(args: readonly string[]): Promise<number> {
  const from = performance.now();
  await once(node(args), 'exit');
  return performance.now() - from;
}

/**
 * Time from `sim start --json` to its first response, against a process that only starts bankrun, with the inspector and without; and `sim --version`, against Node alone.
 */
export const start: Benchmark = {
  name: 'start',
  run: async () => {
    const ms = await interleave(
      { rounds: 9, warmUp: 1 },
      {
        bare,
        bankrun: () => service('bankrun'),
        litesvm: () => service('litesvm'),
        withoutInspector: () => service('litesvm', '--no-inspector'),
        version: () => msToEnd([MAIN, '--version']),
        nothing: () => msToEnd(['-e', '0']),
      },
    );
    const name = 'sim start to first answer';
    const target = { kind: 'at most', value: 1.8 } as const;
    return [
      { name, unit: 'ms', measured: ms.bankrun, ceiling: ms.bare, target },
      { name: `${name}, litesvm`, unit: 'ms', measured: ms.litesvm, ceiling: ms.bare, target: null },
      {
        name: `${name}, with the inspector against without it`,
        unit: 'ms',
        measured: ms.litesvm,
        ceiling: ms.withoutInspector,
        target: { kind: 'at most', value: 1.05 },
      },
      {
        name: 'sim --version',
        unit: 'ms',
        measured: ms.version,
        ceiling: ms.nothing,
        target: { kind: 'at most', value: 2 },
      },
    ];
  },
};
