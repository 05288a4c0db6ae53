// Runs scripts of package.json, two at a time in the order given, and prints the output of each when it has ended. Exits with 1 when one
// has failed; the others run to their end.
//
//   node scripts/in-pairs.js check:format check:lint
import { spawn } from 'node:child_process';

const waiting = process.argv.slice(2);

/** Runs a script; resolves when it has ended and its output is printed. */
function run(name) {
  return new Promise((resolve) => {
    const from = performance.now();
    const output = [];
    const child = spawn('npm', ['run', '--silent', name], {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
    child.on('close', (code) => {
      const seconds = ((performance.now() - from) / 1_000).toFixed(1);
      process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s\n`);
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) process.exitCode = 1;
      resolve();
    });
  });
}

async function runWaiting() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
}
await Promise.all([runWaiting(), runWaiting()]);
