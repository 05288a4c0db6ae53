import { sim } from '../../src/cli/sim.js';

/** What a command printed and its exit code. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, which takes a hundredth of the time of one of its own. One at a time. */
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
  // yargs prints help by the console, which a test runner may have taken for itself.
  const log = console.log.bind(console);
  console.log = (text: string) => {
    printed.stdout += `${text}\n`;
  };
  try {
    return { code: await sim(args), ...printed };
  } finally {
    console.log = log;
    for (const restore of writes) restore();
  }
}
