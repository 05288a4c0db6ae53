// Runs scripts of package.json, two at a time in the order given, and prints the output of each when it has ended. Exits with 1 when one
// has failed; the others run to their end.
//
//   node scripts/in-pairs.js check: docs    all whose name begins with check:, and docs
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const waiting = process.argv
  .slice(2)
  .flatMap((name) =>
    name.endsWith(':') ? Object.keys(scripts).filter((each) => each.startsWith(name)) : [name],
  );
if (waiting.length === 0) throw new Error('name scripts of package.json');

const running = new Set();

/** Runs a script; resolves when it has ended and its output is printed. */
function run(name) {
  return new Promise((resolve) => {
    const from = performance.now();
    const output = [];
    process.stdout.write(`${name}: begun\n`);
    const child = spawn('npm', ['run', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code, signal) => {
      running.delete(child);
      const seconds = ((performance.now() - from) / 1_000).toFixed(1);
      const verdict = code === 0 ? 'passed' : `FAILED (${signal ?? code})`;
      process.stdout.write(`${name}: ${verdict} after ${seconds} s\n${Buffer.concat(output).toString()}`);
      if (code !== 0) process.exitCode = 1;
      resolve();
    });
  });
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    waiting.length = 0;
    for (const child of running) child.kill(signal);
  });

async function runWaiting() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
}
await Promise.all([runWaiting(), runWaiting()]);
