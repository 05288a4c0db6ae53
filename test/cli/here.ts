import { expect } from 'vitest';
import { sim } from '../../src/cli/sim.js';

/** What a command printed and its exit code. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

/** Runs a command in this process, a hundred times faster than in its own. One at a time. */
export async function here(...args: string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  const writes = streams.map((name) => {
    const { [name]: stream } = process;
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array) => {
      printed[name] += text.toString();
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  // yargs prints help with console.log, which a test runner may have replaced.
  const log = console.log.bind(console);
  console.log = (text: string) => {
    printed.stdout += `${text}\n`;
  };
  // A command may set the exit code, which would be this process's own.
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const code = await sim(args);
    return { code: code === 0 ? exitCode() : code, ...printed };
  } finally {
    process.exitCode = before;
    console.log = log;
    for (const restore of writes) restore();
  }
}

/** The line on stderr of a command that must end with this exit code and print nothing else. */
export async function failing(expected: number, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await here(...args);
  expect([code, stdout], `${args.join(' ')}: ${stderr}`).toEqual([expected, '']);
  expect(stderr, args.join(' ')).toMatch(/^sim: [^\n]+\n$/);
  return stderr;
}

/** What a command prints that must succeed and print no error. */
export async function succeeding(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await here(...args);
  expect([code, stderr], args.join(' ')).toEqual([0, '']);
  return stdout.trimEnd();
}

/** The names of all commands, from the text of the error for a missing one. */
export async function commandNames(): Promise<readonly string[]> {
  const { stderr } = await here();
  return stderr.replace(/^[\s\S]*Commands:/, '').match(/[a-z-]+/g) ?? [];
}
