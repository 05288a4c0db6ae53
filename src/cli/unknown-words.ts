import { suggestion } from '../core/suggestion.js';

/** The help object of yargs for the refused command, as passed to its failure handler. */
export interface CommandHelp {
  /** The usage of each subcommand, such as `drop <id>`. */
  getCommands(): readonly (readonly [usage: string, ...unknown[]])[];
  /** By the name of an option or a positional. */
  getDescriptions(): Readonly<Record<string, string>>;
  /** Name of the positionals' group in `getGroups`. */
  getPositionalGroupName(): string;
}

/** A method of yargs commands that its types lack. */
export interface OptionGroups {
  getGroups(): Readonly<Record<string, readonly string[]>>;
}

const COLUMNS = 80;

/** Appends the valid names to a sentence: on one line if that fits, else on further lines of at most 80 columns. */
export function withNames(sentence: string, title: string, names: readonly string[]): string {
  const list = `${title}: ${names.join(', ')}`;
  if (`sim: ${sentence} ${list}`.length <= COLUMNS) return `${sentence} ${list}`;
  const lines = [''];
  for (const word of list.split(' ')) {
    const line = `${lines.at(-1)}${lines.at(-1) === '' ? '' : ' '}${word}`;
    if (line.length > COLUMNS) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line;
  }
  return [sentence, ...lines].join('\n');
}

/** Whether the command line contains an option, in any notation. */
function isOption(name: string, argv: readonly string[]): boolean {
  return argv.some((word) => /^--?(?:no-)?([^=]+)/.exec(word)?.[1] === name && word.startsWith('-'));
}

/** A name in the notation of the command line: `--engine`, or `token` for a positional. */
function written(name: string, argv: readonly string[]): string {
  return isOption(name, argv) ? `--${name}` : name;
}

function sentenceOf(what: string, suggested: string): string {
  return suggested === '' ? `${what}.` : `${what}${suggested}`;
}

function unknownText(
  names: readonly string[],
  argv: readonly string[],
  { help, groups }: { help: CommandHelp; groups: OptionGroups },
): string {
  const commands = help.getCommands().map(([usage]) => usage.split(' ')[0] ?? '');
  const words = names.filter((name) => !isOption(name, argv) && argv.includes(name));
  const [word] = words;
  if (word !== undefined) {
    if (commands.length === 0) return `too many arguments: ${words.join(' ')}`;
    return withNames(sentenceOf(`unknown command ${word}`, suggestion(word, commands)), 'Commands', commands);
  }
  const positionals = groups.getGroups()[help.getPositionalGroupName()] ?? [];
  const options = Object.keys(help.getDescriptions())
    .filter((name) => !positionals.includes(name))
    .map((name) => `--${name}`);
  const given = `--${names.find((name) => isOption(name, argv)) ?? names[0] ?? ''}`;
  return withNames(sentenceOf(`unknown option ${given}`, suggestion(given, options)), 'Options', options);
}

function choiceText(line: string, argv: readonly string[]): string | null {
  const [, name, given, choices] = /^Argument: (\S+), Given: (.*), Choices: (.*)$/.exec(line.trim()) ?? [];
  if (name === undefined || given === undefined || choices === undefined) return null;
  const known = choices.split(', ').map((choice) => choice.replaceAll('"', ''));
  const word = given.replaceAll('"', '');
  return withNames(
    sentenceOf(`${written(name, argv)} cannot be ${word}`, suggestion(word, known)),
    'Allowed',
    known,
  );
}

/** The user's message for a failure of yargs: unknown words with a suggestion and the valid names. */
export function usageText(
  message: string,
  argv: readonly string[],
  { help, groups }: { help: CommandHelp; groups: OptionGroups },
): string {
  const [, unknown] = /^Unknown arguments?: (.*)$/s.exec(message) ?? [];
  if (unknown !== undefined) return unknownText(unknown.split(', '), argv, { help, groups });
  const [head, ...lines] = message.split('\n');
  const choices = lines.map((line) => choiceText(line, argv)).filter((text) => text !== null);
  if (head === 'Invalid values:' && choices.length > 0) return choices.join('\n');
  if (message === NO_COMMAND)
    return withNames(
      message,
      'Commands',
      help.getCommands().map(([usage]) => usage.split(' ')[0] ?? ''),
    );
  return message.replaceAll('\n', ' ');
}

/** The error for a command line without a command. */
export const NO_COMMAND = 'Specify a command.';

/** The first non-numeric value of a numeric argument, or option without a value; null if there is none. */
export function valueProblem(
  values: Readonly<Record<string, unknown>>,
  argv: readonly string[],
): string | null {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isNaN(value)) return `${written(name, argv)} must be a number`;
    const at = argv.indexOf(`--${name}`);
    const isBare = at >= 0 && (argv[at + 1] ?? '--').startsWith('--');
    if (isBare && typeof value !== 'boolean') return `--${name} needs a value`;
  }
  return null;
}
