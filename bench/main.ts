import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { msOf } from './measure.js';
import { HEAD, type Row, lineOf } from './report.js';
import { BENCHMARKS } from './run.js';

const RUN = fileURLToPath(new URL('run.js', import.meta.url));

/** Runs a benchmark in its own process, so that it is not disturbed by the heap or engine of another. */
async function rowsOf(name: string): Promise<readonly Row[]> {
  const child = fork(RUN, [name], { execArgv: ['--expose-gc'] });
  let rows: readonly Row[] | null = null;
  child.on('message', (message) => {
    rows = message as readonly Row[];
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (rows === null) throw new Error(`the benchmark ${name} ended (${code}) without a result`);
  return rows;
}

/**
 * Prints each target with the measured value and its ceiling, as soon as its benchmark has ended; one that fails does not end the others.
 * A missed target is not a failure: machines differ.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const names = BENCHMARKS.map(({ name }) => name);
  const unknown = values.only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(`no benchmark is called ${unknown}; there are ${names.join(', ')}`);
  }
  process.stdout.write(HEAD);
  for (const name of values.only ?? names) {
    process.stderr.write(`${name} … `);
    try {
      const ms = await msOf(async () => process.stdout.write((await rowsOf(name)).map(lineOf).join('')));
      process.stderr.write(`${(ms / 1_000).toFixed(1)} s\n`);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  }
}

await main();
