import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../core/package-root.js';
import { printableLines } from '../core/printable.js';
import { OVERVIEW } from './overview.js';
import {
  type CommandHelp,
  type CommandParser,
  NO_COMMAND,
  YARGS_TEXTS,
  usageText,
  valueProblem,
} from './unknown-words.js';
import { EXIT, UnknownName, UsageError, openFilesSentence } from './usage.js';
import { startFlags } from './flags.js';

const TAIL = `Exit codes: 0 success, 1 a check or a request failed, 2 usage error,
  3 a counterexample could not be checked, 130 SIGINT, 143 SIGTERM.`;

/** Settings shared by all commands: parsing and usage errors. */
function configured<T>(commands: Argv<T>, argv: readonly string[]): Argv<T> {
  return commands
    .strict()
    .updateStrings(YARGS_TEXTS as never)
    .check((values, options) => {
      const problem = valueProblem(values, argv, options as unknown as Parameters<typeof valueProblem>[2]);
      if (problem !== null) throw new UsageError(problem);
      return true;
    })
    .version(packageVersion())
    .epilogue(TAIL)
    .fail((message, error, help) => {
      // Called with a message for wrong words or with the exception of a command. The library's type of the last argument is wrong.
      if (error?.name === 'YError') throw new UsageError(error.message);
      const failed = { help: help as unknown as CommandHelp, parser: commands as unknown as CommandParser };
      throw error ?? new UnknownName(usageText(message, argv, failed));
    })
    .exitProcess(false);
}

// A repeatable option takes one value each time, not all that follow.
const PARSER = { 'greedy-arrays': false };

/** Stands for a lone `-` while yargs parses it, because yargs would take `-` for an option without a value. */
const DASH = '\0-';

function parserOf(argv: readonly string[]): Argv {
  return yargs(argv.map((word) => (word === '-' ? DASH : word)))
    .scriptName('sim')
    .parserConfiguration(PARSER)
    .middleware((values) => {
      for (const [name, value] of Object.entries(values)) {
        if (value === DASH) values[name] = '-';
        else if (Array.isArray(value))
          values[name] = value.map((each: unknown) => (each === DASH ? '-' : each));
      }
    }, true);
}

/** Runs `sim start`, parsed without the other commands: with several commands, yargs renders all help before running one. */
async function performStart(argv: readonly string[]): Promise<void> {
  const flags = startFlags(parserOf(argv.slice(1)).usage('$0 start\n\nserve the API'));
  const { _: more, help, version, ...args } = await configured(flags, argv).parseAsync();
  if (help === true || version === true) return;
  if (more.length > 0) throw new UsageError(`too many arguments: ${more.join(' ')}`);
  await (await import('./start.js')).start(args);
}

async function perform(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'start') {
    await performStart(argv);
    return;
  }
  if (argv.length === 1 && argv[0] === '--help') {
    process.stdout.write(`${OVERVIEW}${TAIL}\n`);
    return;
  }
  const { LOCAL, localCommands } = await import('./commands.js');
  const local = localCommands(
    parserOf(argv).usage('$0 <command>: simulates a bank for software agents on a local Solana chain'),
  );
  // Loaded only for a command that may be one of them, to start quickly.
  const all = LOCAL.has(argv[0] ?? '') ? local : (await import('./remote/commands.js')).remoteCommands(local);
  await configured(all.demandCommand(1, NO_COMMAND), argv).parseAsync();
}

/** The names of errors in the command line, in a file of the user, or in the options in one: most commands load few of their classes. */
const USAGE: ReadonlySet<string> = new Set([
  'UsageError',
  'UnknownName',
  'UnreadableFile',
  'InvalidOptions',
  'BrokenFile',
  'NothingFound',
  'WrongFolder',
  'UnreadableRecording',
  'UnreadableFailure',
  'InvalidCampaign',
  'QueuePackagesMissing',
]);
/** Errors whose message is sufficient without a stack. */
const PLAIN: ReadonlySet<string> = new Set([
  ...USAGE,
  'RemoteRefusal',
  'EngineUnavailable',
  'QueueUnavailable',
]);

function isOneOf(names: ReadonlySet<string>, error: unknown): error is Error {
  return error instanceof Error && names.has(error.name);
}

/** The text of a failure on stderr: one line for errors that the user can fix, a stack for bugs. */
function textOf(error: unknown): string {
  if (error instanceof UnknownName) return error.message;
  if (isOneOf(PLAIN, error)) return error.message.replaceAll('\n', ' ');
  // A refusal of Redis, such as a full memory.
  if (error instanceof Error && error.name === 'ReplyError')
    return `the queue cannot be used: ${error.message}`;
  return openFilesSentence(error) ?? stackOf(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a command and returns its exit code; failures are reported on stderr. */
export async function sim(argv: readonly string[]): Promise<number> {
  try {
    await perform(argv);
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(`sim: ${printableLines(textOf(error))}\n`);
    return isOneOf(USAGE, error) ? EXIT.usage : EXIT.failed;
  }
}
