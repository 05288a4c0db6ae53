import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Ended, here } from '../cli/here.js';
import { Command } from '../cli/process.js';

/** Commands that talk to a running simulator; `state show` and `record to-scenario` do not. */
const REMOTE =
  /^(time|faucet|deposit|oracle|review|snapshot|revert|fault|fork|account|explain|history|compare|journal|customers|customer|chain|series|export|verify)$/;
const REMOTE_PAIR = /^(state (export|import)|record (start|stop))$/;

/** Adapts arguments to run on free ports, against the page's simulator by default, and with small budgets. */
export function adapted(args: readonly string[], origin: string): string[] {
  const [name = '', second = ''] = args;
  if (name === 'start') {
    const engine = args.includes('--engine') ? [] : ['--engine', 'litesvm'];
    const port = args.indexOf('--port');
    const rest = port === -1 ? args : args.toSpliced(port, 2);
    return [...rest, ...engine, '--port', '0'];
  }
  if (name === 'fuzz' && second !== 'corpus') {
    const budget = ['--runs', '--time-budget'];
    const others = args.filter((arg, at) => !budget.includes(arg) && !budget.includes(args[at - 1] ?? ''));
    return [...others, '--runs', '2'];
  }
  const isRemote = REMOTE.test(name) || REMOTE_PAIR.test(`${name} ${second}`);
  return isRemote && !args.includes('--url') ? [...args, '--url', origin] : [...args];
}

async function ran(args: readonly string[]): Promise<Ended> {
  const isEndless = args[0] === 'start' || args.includes('--follow');
  // Workers are processes, and TypeScript scenarios need their own loader.
  const needsProcess = args[0] === 'run' && (args.includes('--workers') || args.join().includes('.ts'));
  if (!isEndless && !needsProcess) return here(...args);
  const command = new Command(args);
  if (isEndless) {
    await command.printed('\n');
    // As Ctrl-C does.
    command.kill('SIGINT');
  }
  const code = (await command.ended()) ?? 1;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/**
 * Runs the `sim` commands that shells send, in this process where possible, which takes a hundredth of the time. Each request is `{cwd,
 * args}`, each response `{code, stdout, stderr}`.
 */
export async function commandServer(origin: () => string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    void (async () => {
      const { cwd, args } = (await json(request)) as { cwd: string; args: string[] };
      process.chdir(cwd);
      const ended = await ran(adapted(args, origin())).catch((error: unknown) => ({
        code: 1,
        stdout: '',
        stderr: String(error),
      }));
      response.end(JSON.stringify(ended));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The program that stands in for `sim`, `agent-bank-sim` and `npx` in a shell: it sends its arguments to the server. */
export const SHIM = `#!${process.execPath}
const { basename } = require('node:path');
let [name, args] = [basename(process.argv[1]), process.argv.slice(2)];
if (name === 'npx') [name, ...args] = args;
if (name !== 'sim' && name !== 'agent-bank-sim') throw new Error('npx ' + name + ' is not run by this test');
fetch(process.env.COMMAND_SERVER, { method: 'POST', body: JSON.stringify({ cwd: process.cwd(), args }) })
  .then((response) => response.json())
  .then(({ code, stdout, stderr }) => {
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exitCode = code;
  });
`;
