import { OVERVIEW } from '../../src/cli/overview.js';
import { here } from '../../test/cli/here.js';

/** A command, an argument or an option, as a help text describes it. */
interface Row {
  readonly name: string;
  readonly text: string;
  readonly standard: string | null;
  readonly choices: readonly string[];
}

/** The rows of a section. A row begins with two spaces; the lines that are indented more continue it. */
function rowsOf(help: string, title: string, name: RegExp): Row[] {
  const [, section = ''] = new RegExp(`^${title}:\\n((?: .*\\n?)+)`, 'm').exec(help) ?? [];
  return section
    .split(/^ {2}(?! )/m)
    .filter((row) => row.trim() !== '')
    .map((row) => {
      const [first = ''] = name.exec(row) ?? [];
      const rest = row.slice(first.length).replaceAll(/\s+/g, ' ');
      const [, standard = null] = /\[default: (.*?)\](?= |\[|$)/.exec(rest) ?? [];
      const [, choices = ''] = /\[choices: (.*?)\]/.exec(rest) ?? [];
      return {
        name: first.trim(),
        text: rest
          .replace(/ ?\[(?:string|number|boolean|array|required|choices|default)[\]:].*$/, '')
          .trim()
          .replaceAll('<', String.raw`\<`),
        standard: standard?.replaceAll('"', '') ?? null,
        choices: choices.replaceAll('"', '').split(', ').filter(Boolean),
      };
    });
}

async function helpOf(words: readonly string[]) {
  const { stdout } = await here(...words, '--help');
  const [usage = '', text = ''] = stdout.split('\n\n');
  return {
    usage,
    text: text.replaceAll(/\s+/g, ' ').trim(),
    commands: rowsOf(stdout, 'Commands', /^sim(?: (?:[a-z]\S*|<\S+|\[\w+\.*\]))+/),
    positionals: rowsOf(stdout, 'Positionals', /^\S+/),
    options: rowsOf(stdout, 'Options', /^\S+/).filter(({ name }) => !/^--(?:help|version)$/.test(name)),
  };
}

/** Options that many commands share; the page describes them once. */
const SHARED = new Set(['--url', '--control-token', '--json', '--queue', '--queue-prefix']);
const OF_CAMPAIGNS = new Set(['--workers', '--name']);

/** Options described where they first occur, although later texts differ. */
const ONCE = new Set(['--engine', '--limit', '--variant', '--state']);

/** Commands whose options are on another page. */
const PAGES: Readonly<Record<string, string>> = { mcp: '[MCP](mcp.md#options)' };

/** Options of sim start that another page describes, and what they are for. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^--(?:data-dir|fsync)$/, '[data folders](state.md#data-folders)'],
  [/^--(?:allow-host|cors)$/, '[host names and browser pages](configuration.md#keys-and-hosts)'],
  [/^--paywall(?:-port)?$/, 'a [demo service that charges](x402.md#something-to-buy)'],
  [/^--(?:cluster-url|treasury-key|usdc-mint)$/, 'an external [cluster](clusters.md)'],
];

/** A line for the options that match, or none. */
function elsewhere(rows: readonly Row[]): string[] {
  return ELSEWHERE.flatMap(([names, about]) => {
    const found = rows.filter(({ name }) => names.test(name)).map(({ name }) => `\`${name}\``);
    return found.length === 0 ? [] : [`- ${found.join(', ')}: ${about}`];
  });
}

/** A line for an argument or option: its text up to the first semicolon, and its default. The help has the rest. */
function itemOf({ name, text: help, standard, choices }: Row): string {
  const [first = ''] = help.split(/; (?![^()]*\))/);
  const [note = ''] = first.includes('(default') ? [] : (/ \(default[^()]*\)/.exec(help) ?? []);
  const text = first.replace(/ \(docs\/\S+\)/, '') + note;
  const values = choices.filter((choice) => !text.includes(choice));
  const list = values.length < 2 ? '' : `: \`${choices.join('`, `')}\``;
  const isSaid = standard === null || ['false', '[]', '.'].includes(standard) || text.includes('(default');
  const value =
    standard === 'true' ? `on; \`--no-${name.slice(2)}\` turns it off` : `default \`${standard}\``;
  return `- \`${name}\`: ${text}${list}${isSaid ? '' : ` (${value})`}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A command with a line for each argument and option, but for those that were described above in the same words. */
async function inFull(name: string, above: Set<string>): Promise<string[]> {
  const { usage, text, positionals, options, commands } = await helpOf([name]);
  const page = PAGES[name];
  if (page !== undefined) return [`### sim ${name}`, `${capitalized(text)}. Its options are in ${page}.`];
  const rows = [...positionals, ...options].filter(
    (row) => name === 'start' || !(SHARED.has(row.name) || OF_CAMPAIGNS.has(row.name)),
  );
  const idOf = (row: Row) => (ONCE.has(row.name) ? row.name : row.name + row.text);
  const fresh = rows.filter((row) => !above.has(idOf(row)));
  const described = fresh.filter(({ name: row }) => !ELSEWHERE.some(([names]) => names.test(row)));
  const lines = [...described.map(itemOf), ...elsewhere(fresh)];
  for (const row of rows) above.add(idOf(row));
  for (const { name: below } of commands) lines.push(...(await inLines(below.split(' ').slice(1))));
  const call = positionals.length === 0 ? capitalized(text) : `\`${usage}\`: ${text}`;
  return [`### sim ${name}`, `${call}.`, lines.join('\n')].filter((part) => part !== '');
}

/** A command as a line with the first part of its description, or a line for each of its subcommands. */
async function inLines(words: readonly string[]): Promise<string[]> {
  const called = words.filter((word) => /^\w/.test(word));
  const { usage, text, commands } = await helpOf(called);
  if (commands.length === 0 || called[0] === 'control') {
    const name = called[0] === 'control' ? 'sim control <command>' : usage;
    return [`- \`${name}\`: ${text.split(/[:;,] /)[0]}`];
  }
  const lines: string[] = [];
  for (const { name } of commands) lines.push(...(await inLines(name.split(' ').slice(1))));
  return lines;
}

/** The groups whose commands have a line for each option. */
const FULL = /^(?:Serve|Test an)/;

/** All commands, by what they are for. */
export async function commandLists(): Promise<string> {
  const parts: string[] = [];
  const above = new Set<string>();
  for (const [, title = '', names = ''] of OVERVIEW.matchAll(/^(.+):\n {2}((?:[a-z]+(?:, |$))+)$/gm)) {
    parts.push(`## ${title}`);
    const lines: string[] = [];
    for (const name of names.split(', '))
      if (FULL.test(title)) parts.push(...(await inFull(name, above)));
      else lines.push(...(await inLines([name])));
    if (lines.length > 0) parts.push(lines.join('\n'));
  }
  return parts.join('\n\n');
}
