import type { Argv, ArgumentsCamelCase, InferredOptionTypes, Options, PositionalOptions } from 'yargs';
import type { ControlClient } from '../../api/control/client.js';
import { EXIT } from '../usage.js';
import type { RemoteArguments } from './with-control-client.js';

/** Options of every command for a running simulator. */
const REMOTE = {
  url: { type: 'string', default: 'http://127.0.0.1:4020', describe: 'URL of the simulator' },
  'control-token': { type: 'string', describe: 'control token of the simulator' },
  json: { type: 'boolean', default: false, describe: 'print one line of JSON' },
} as const;

type Arguments<
  P extends Record<string, PositionalOptions>,
  O extends Record<string, Options>,
> = ArgumentsCamelCase<InferredOptionTypes<P> & InferredOptionTypes<O> & InferredOptionTypes<typeof REMOTE>>;

interface RemoteCommand<R, P extends Record<string, PositionalOptions>, O extends Record<string, Options>> {
  /** Its name and positionals, as yargs writes them: `drop <id>`. */
  readonly command: string | readonly string[];
  readonly describe: string;
  readonly positionals?: P;
  readonly options?: O;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  readonly call: (control: ControlClient, args: Arguments<P, O>) => Promise<R>;
  /** The result for people; `--json` prints it as one line of JSON instead. */
  readonly print: (answer: R, args: Arguments<P, O>) => string;
  /** Whether the answer is a failure, which makes the exit code 1. */
  readonly isFailure?: (answer: R) => boolean;
}

export type Commands = (y: Argv) => void;

/** A command for a running simulator: calls its control interface and prints the answer. */
export function remoteCommand<
  R,
  const P extends Record<string, PositionalOptions> = typeof REMOTE,
  const O extends Record<string, Options> = typeof REMOTE,
>(spec: RemoteCommand<R, P, O>): Commands {
  const build = (y: Argv): Argv => {
    for (const [name, positional] of Object.entries(spec.positionals ?? {})) y.positional(name, positional);
    y.options(REMOTE).options(spec.options ?? {});
    for (const [command, meaning] of spec.examples) y.example(`$0 ${command}`, meaning);
    return y;
  };
  return (y) =>
    y.command(spec.command, spec.describe, build, async (given) => {
      const args = given as Arguments<P, O> & RemoteArguments;
      // Loaded when a command runs: most runs of sim do not need it.
      const { withControlClient } = await import('./with-control-client.js');
      await withControlClient(
        args,
        async (control) => {
          const answer = await spec.call(control, args);
          if (spec.isFailure?.(answer) === true) process.exitCode = EXIT.failed;
          return answer;
        },
        (answer) => spec.print(answer, args),
      );
    });
}

/** Commands under a common name, such as `time advance` and `time freeze`. */
export function commandGroup(name: string, describe: string, commands: readonly Commands[]): Commands {
  return (y) =>
    y.command(name, describe, (sub) => {
      for (const add of commands) add(sub);
      return sub;
    });
}
