import { suggestion } from '../core/suggestion.js';
import { wrapped } from '../testing/scenario/reporters/text.js';

/** The help object of yargs for the refused command, as passed to its failure handler. */
export interface CommandHelp {
  /** The usage of each subcommand, such as `drop <id>`. */
  getCommands(): readonly (readonly [usage: string, ...unknown[]])[];
  /** By the name of an option or a positional. */
  getDescriptions(): Readonly<Record<string, string>>;
  /** Name of the positionals' group in `getGroups`. */
  getPositionalGroupName(): string;
}

/** Methods of a yargs parser that its types lack. */
export interface CommandParser {
  getGroups(): Readonly<Record<string, readonly string[]>>;
  getOptions(): { readonly choices: Readonly<Record<string, readonly unknown[]>> };
}

/** The command that has the wrong words. */
interface FailedCommand {
  readonly help: CommandHelp;
  readonly parser: CommandParser;
}

const COLUMNS = 80;

/** Appends the valid names to a sentence: on one line if that fits, else on further lines of at most 80 columns. */
export function withNames(sentence: string, title: string, names: readonly string[]): string {
  const list = `${title}: ${names.join(', ')}`;
  if (`sim: ${sentence} ${list}`.length <= COLUMNS) return `${sentence} ${list}`;
  const [first = '', ...more] = wrapped(list, COLUMNS - 2);
  return [sentence, first, ...more.map((line) => `  ${line}`)].join('\n');
}

/** Whether the command line contains an option, in any notation. */
function isOption(name: string, argv: readonly string[]): boolean {
  return argv.some((word) => /^--?(?:no-)?([^=]+)/.exec(word)?.[1] === name && word.startsWith('-'));
}

/** A name in the notation of the command line: `--engine`, or `token` for a positional. */
function written(name: string, argv: readonly string[]): string {
  return isOption(name, argv) ? `--${name}` : name;
}

function commandsOf({ help }: FailedCommand): string[] {
  return help.getCommands().map(([usage]) => usage.split(' ')[0] ?? '');
}

function unknownText(names: readonly string[], argv: readonly string[], failed: FailedCommand): string {
  const commands = commandsOf(failed);
  const negative = argv.find((given) => /^-[\d.]+[a-z]/i.test(given));
  if (negative !== undefined) return `${negative} is not a value here: it begins with a minus`;
  const words = names.filter((name) => !isOption(name, argv) && argv.includes(name));
  const [word] = words;
  const { help, parser } = failed;
  const positionals = parser.getGroups()[help.getPositionalGroupName()] ?? [];
  if (word !== undefined) {
    if (commands.length > 0)
      return withNames(`unknown command ${word}${suggestion(word, commands) || '.'}`, 'Commands', commands);
    const only = positionals.length === 0 ? '' : `; expected only ${positionals.join(' and ')}`;
    return `too many arguments: ${words.join(' ')}${only}`;
  }
  const options = Object.keys(help.getDescriptions())
    .filter((name) => !positionals.includes(name))
    .map((name) => `--${name}`);
  const given = `--${names.find((name) => isOption(name, argv)) ?? names[0] ?? ''}`;
  return withNames(`unknown option ${given}${suggestion(given, options) || '.'}`, 'Options', options);
}

/** Separator of the values in a message of yargs. */
const MARK = '\0';

const UNKNOWN = `unknown${MARK}%s`;
const FEW = `few${MARK}%s${MARK}%s`;

/** Replaces messages of yargs that `usageText` rewrites by a kind and values. Other messages are sentences. */
export const YARGS_TEXTS = {
  'Unknown argument: %s': { one: UNKNOWN, other: UNKNOWN },
  'Not enough non-option arguments: got %s, need at least %s': { one: FEW, other: FEW },
  'Invalid values:': 'choice',
  'Argument: %s, Given: %s, Choices: %s': ['', '%s', '%s', ''].join(MARK),
  'Not enough arguments following: %s': '--%s needs more values',
};

/** The error for a command line without a command. */
export const NO_COMMAND = 'Specify a command.';

/** The user's message for a failure of yargs: unknown words with a suggestion and the valid names. */
export function usageText(message: string, argv: readonly string[], failed: FailedCommand): string {
  const [kind = '', first = '', given = ''] = message.split(MARK);
  if (kind === 'few') {
    const names = failed.parser.getGroups()[failed.help.getPositionalGroupName()] ?? [];
    return `too few arguments: ${names.slice(Number(first), Number(given)).join(', ') || 'more'} must be given`;
  }
  if (kind === 'unknown') return unknownText(first.split(', '), argv, failed);
  if (kind.startsWith('choice')) {
    const known = (failed.parser.getOptions().choices[first] ?? []).map(String);
    const word = given.replaceAll('"', '');
    const sentence = `${written(first, argv)} cannot be ${word}${suggestion(word, known) || '.'}`;
    return withNames(sentence, 'Allowed', known);
  }
  return message === NO_COMMAND
    ? withNames(message, 'Commands', commandsOf(failed))
    : message.replaceAll('\n', ' ');
}

/** The first non-numeric value of a numeric argument, repeated option, or option without a value; null if there is none. */
export function valueProblem(
  values: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  { array, narg }: { readonly array: readonly string[]; readonly narg: object },
): string | null {
  for (const [name, value] of Object.entries(values)) {
    const isSingle = isOption(name, argv) && !array.includes(name) && !(name in narg);
    if (Array.isArray(value) && isSingle) return `--${name} is given twice`;
    if (Number.isNaN(value)) return `${written(name, argv)} must be a number`;
    const at = argv.indexOf(`--${name}`);
    const isBare = at >= 0 && (argv[at + 1] ?? '--').startsWith('--');
    if (isBare && typeof value !== 'boolean') return `--${name} needs a value`;
  }
  return null;
}
