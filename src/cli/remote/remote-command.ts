import type { Argv, InferredOptionTypes, PositionalOptions } from 'yargs';
import type { AnswerOf, Ask, ControlClient } from '../../api/control/client.js';
import { COMMANDS, type Command, type CommandId } from '../../api/control/commands.js';
import { DEFAULT_ORIGIN } from '../../core/origins.js';
import { hasId } from '../../contract/match-path.js';
import { JSON_LINE, text } from '../arguments.js';
import { EXIT } from '../usage.js';
import { NO_COMMAND } from '../unknown-words.js';
import { type Names, inputOf, membersOf, optionsOf } from './command-options.js';
import { type Columns, readable } from './table.js';
import type { RemoteArguments } from './with-control-client.js';

/** Options of every command for a running simulator. */
const REMOTE = {
  url: { ...text('URL of the simulator'), default: DEFAULT_ORIGIN },
  'control-token': text('control token of the simulator'),
  ...JSON_LINE,
} as const;

type OptionTable = Readonly<Record<string, PositionalOptions>>;

type Given<O extends OptionTable> = InferredOptionTypes<O> & RemoteArguments;

/** Overrides for a command whose options and description derive from its entry in `COMMANDS`. */
interface RemoteCommand<I extends CommandId, R, O extends OptionTable> {
  /** Its name and positionals: `drop <id>`. A positional is an input member, the id in the path, or one of `options`. */
  readonly command: string | readonly string[];
  /** Replaces the summary of the table if it does more than that command. */
  readonly describe?: string;
  /** Command-line names of input members, where they differ. */
  readonly names?: Names;
  /** Input members without an option. */
  readonly omit?: readonly string[];
  /** Additional options and positionals, or replacements for derived ones. */
  readonly options?: O;
  readonly examples?: readonly (readonly [command: string, meaning: string])[];
  /** Replaces the call of that command. */
  readonly call?: (control: ControlClient, ask: Ask<I>, args: Given<O>) => Promise<R>;
  /** The columns of the lists in the result, when it is not formatted by `print`. */
  readonly columns?: Columns;
  /** Formats the result as text; default: its members in rows. `--json` prints one line of JSON. */
  readonly print?: (answer: R, args: Given<O>) => string;
  /** Whether the response is a failure, which sets exit code 1. */
  readonly isFailure?: (answer: R) => boolean;
}

export type Commands = (y: Argv) => void;

/** The first sentence of a summary, in the style of `--help`. */
function description({ summary }: Command): string {
  const [first = ''] = summary.replaceAll('`', '').split('. ');
  return first.charAt(0).toLowerCase() + first.slice(1);
}

/** A command for a running simulator: calls a command of its control interface and prints the response. */
export function remoteCommand<
  I extends CommandId,
  const O extends OptionTable = typeof REMOTE,
  R = AnswerOf<I>,
>(id: I, spec: RemoteCommand<I, R, O>): Commands {
  const entry: Command = COMMANDS[id];
  const { names = {}, omit = [], print = (answer: R) => readable(answer, spec.columns) } = spec;
  const [written = ''] = [spec.command].flat();
  const positionals = [...written.matchAll(/[<[](\w+)[\]>]/g)].map(([, name = '']) => name);
  return (y) => {
    const members = membersOf(entry, omit);
    const derived = optionsOf(members, names, positionals);
    const options: OptionTable = { ...derived, ...spec.options };
    const idName = hasId(entry.path) ? positionals.find((name) => derived[name] === undefined) : undefined;
    const build = (sub: Argv): Argv => {
      for (const name of positionals)
        sub.positional(name, {
          ...(options[name] ?? { type: 'string' }),
          demandOption: written.includes(`<${name}>`),
        });
      sub.options(REMOTE);
      for (const [name, option] of Object.entries(options))
        if (!positionals.includes(name)) sub.option(name, option);
      for (const [command, meaning] of spec.examples ?? []) sub.example(`$0 ${command}`, meaning);
      return sub;
    };
    const askOf = (args: Readonly<Record<string, unknown>>): Ask<I> => {
      const given = idName === undefined ? undefined : args[idName];
      const where = entry.body === undefined ? 'query' : 'body';
      return {
        ...(given === undefined ? {} : { id: given as string }),
        ...(members.size === 0 ? {} : { [where]: inputOf(members, names, args) }),
      };
    };
    y.command(spec.command, spec.describe ?? description(entry), build, async (given) => {
      const args = given as unknown as Given<O>;
      // Loaded when a command runs: most runs of sim do not need it.
      const { withControlClient } = await import('./with-control-client.js');
      await withControlClient(
        args,
        async (control) => {
          const ask = askOf(given);
          const answer = await (spec.call?.(control, ask, args) ?? (control.do(id, ask) as Promise<R>));
          if (spec.isFailure?.(answer) === true) process.exitCode = EXIT.failed;
          return answer;
        },
        (answer) => print(answer, args),
      );
    });
  };
}

/** Makes a subcommand mandatory in a group of commands. */
export const NO_DEFAULT: Commands = (y) => void y.demandCommand(1, NO_COMMAND);

/** A group of commands, such as `time advance` and `time freeze`. */
export function commandGroup(name: string, describe: string, commands: readonly Commands[]): Commands {
  return (y) =>
    y.command(name, describe, (sub) => {
      for (const add of commands) add(sub);
      return sub;
    });
}
