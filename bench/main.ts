import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { msOf } from './measure.js';
import { type Row, table } from './report.js';
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

/** Prints every target with the measured value and its ceiling. A missed target is not a failure: machines differ. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const names = BENCHMARKS.map(({ name }) => name);
  const unknown = values.only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(`no benchmark is called ${unknown}; there are ${names.join(', ')}`);
  }
  const rows: Row[] = [];
  for (const name of values.only ?? names) {
    process.stderr.write(`${name} … `);
    const ms = await msOf(async () => rows.push(...(await rowsOf(name))));
    process.stderr.write(`${(ms / 1_000).toFixed(1)} s\n`);
  }
  process.stdout.write(table(rows));
}

await main();
