import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { type Ended, here } from '../cli/here.js';
import { Command } from '../cli/process.js';

/** Commands that talk to a running simulator; `record to-scenario` does not. */
const REMOTE =
  /^(time|faucet|deposit|oracle|review|snapshot|revert|fault|fork|account|explain|history|compare|control|journal|customers|customer|chain|series|export|verify)$/;
const REMOTE_PAIR = /^(state (export|import)|record (start|stop))$/;

/** Adapts arguments to run on free ports, against the page's simulator by default, and with small budgets. */
export function adapted(args: readonly string[], origin: string): string[] {
  const [name = '', second = ''] = args;
  const engine = args.includes('--engine') || args.includes('--base-url') ? [] : ['--engine', 'litesvm'];
  if (name === 'start') {
    const port = args.indexOf('--port');
    const rest = port === -1 ? args : args.toSpliced(port, 2);
    return [...rest, ...engine, '--port', '0'];
  }
  if (name === 'run' || name === 'demo') return [...args, ...engine];
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
 * Runs the `sim` commands that shells send, in this process where possible, which takes a hundredth of the time. A request is the number of
 * arguments, the folder and the arguments, a response is stdout, stderr and the exit code, each ended by a NUL.
 */
export async function commandServer(origin: () => string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const [count, cwd = '', ...args] = received.split('\0').slice(0, -1);
      if (args.length !== Number(count)) return;
      process.chdir(cwd);
      void ran(adapted(args, origin()))
        .catch((error: unknown) => ({ code: 1, stdout: '', stderr: String(error) }))
        .then(({ stdout, stderr, code }) => socket.end(`${stdout}\0${stderr}\0${code}\0`));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** The program that stands in for `sim`, `agent-bank-sim` and `npx` in a shell: it sends its arguments to the server. */
export const SHIM = `#!/usr/bin/env bash
name=\${0##*/}
if [ "$name" = npx ]; then name=$1; shift; fi
[[ $name == sim || $name == agent-bank-sim ]] || { echo "npx $name is not run by this test" >&2; exit 1; }
exec 3<> "/dev/tcp/127.0.0.1/$COMMAND_PORT"
printf '%s\\0' "$#" "$PWD" "$@" >&3
IFS= read -r -d '' stdout <&3
IFS= read -r -d '' stderr <&3
read -r -d '' code <&3
printf '%s' "$stdout"
printf '%s' "$stderr" >&2
exit "$code"
`;
