import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { COMMANDS } from '../../src/api/control/commands.js';
import { ACCOUNT_METHODS } from '../../src/api/rpc/methods/accounts.js';
import { BLOCK_METHODS } from '../../src/api/rpc/methods/blocks.js';
import { CLUSTER_METHODS } from '../../src/api/rpc/methods/cluster.js';
import { INFLATION_METHODS } from '../../src/api/rpc/methods/inflation.js';
import { TOKEN_METHODS } from '../../src/api/rpc/methods/tokens.js';
import { TRANSACTION_METHODS } from '../../src/api/rpc/methods/transactions.js';
import { subscriptionMethods } from '../../src/api/rpc/subscription-methods.js';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.js';
import { BANK_LIMITS } from '../../src/core/domain/bank-limits.js';
import { ENTRY_KINDS } from '../../src/core/domain/history.js';
import { ERRORS, type ErrorCode } from '../../src/core/domain/errors.js';
import { remedyOf } from '../../src/core/domain/rules.js';
import { DEFAULT_VARIANTS, PURPOSES } from '../../src/core/domain/variants.js';
import { LIMITS, type LimitName } from '../../src/core/limits.js';
import { storedConfig } from '../../src/runtime/config.js';
import { EVENT_KINDS } from '../../src/runtime/due-runner.js';
import { PERSONAS, type Persona } from '../../src/testing/personas.js';
import { commandLists } from './help.js';
import { DETAILS, OTHER_SWITCHES, SWITCHES } from './words.js';

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, head.map(() => '---'), ...rows];
  return cells
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`)
    .join('\n');
}

function switches(): string {
  const { shape } = storedConfig.shape.variants;
  return table(
    ['Switch', 'Values', 'What it decides'],
    (Object.keys(DEFAULT_VARIANTS) as (keyof typeof SWITCHES)[]).map((name) => {
      const schema: object = shape[name];
      const inner = 'unwrap' in schema ? (schema as unknown as z.ZodDefault<z.ZodEnum>).unwrap() : schema;
      const values = 'options' in inner ? (inner.options as string[]) : OTHER_SWITCHES[name as 'review'];
      return [`\`${name === 'errorStatus' ? 'errorStatus.<code>' : name}\``, code(values), SWITCHES[name]];
    }),
  );
}

/** The members of a body or query; those that may be left out end with a question mark. */
function members(schema: z.ZodObject | undefined): string {
  const names = Object.entries(schema?.shape ?? {}).map(([name, member]) =>
    (member as z.ZodType).safeParse(undefined).success ? `${name}?` : name,
  );
  return code(names);
}

/** The methods of `AgentClient`, by operation. */
function clientMethods(): Readonly<Record<string, string>> {
  const text = readFileSync(new URL('../../src/sdk/client/client.ts', import.meta.url), 'utf8');
  const found = [...text.matchAll(/^ {2}(\w+) = (?:(?!\n {2}\w)[^#])*#do\('(\w+)'/gm)];
  return {
    challenge: 'signIn',
    verify: 'signIn',
    ...Object.fromEntries(found.map(([, method = '', operation]) => [operation, method])),
  };
}

function bankEndpoints(): string {
  const methods = clientMethods();
  const rows = table(
    ['Request', 'Operation', 'Method', 'What it does', 'Body or query'],
    (Object.entries(endpoints(DEFAULT_VARIANTS)) as [string, Endpoint][]).map(([id, endpoint]) => [
      `\`${endpoint.method} ${endpoint.path}\`${endpoint.auth === 'none' ? ' \\*' : ''}`,
      `\`${id}\``,
      `\`${known(methods[id], id, 'method of AgentClient')}\``,
      endpoint.summary,
      members(endpoint.body ?? endpoint.query),
    ]),
  );
  return `${rows}\n\n\`purpose\` is one of ${code(PURPOSES[DEFAULT_VARIANTS.purposes])}.`;
}

/** A line for each of the world's parts, which is the first segment of its commands' paths. */
function controlCommands(): string {
  const parts = new Map<string, string[]>();
  for (const [id, { path }] of Object.entries(COMMANDS)) {
    const [, part = ''] = path.split('/');
    parts.set(part, [...(parts.get(part) ?? []), id]);
  }
  return [...parts.values()].map((ids) => `- ${code(ids)}`).join('\n');
}

/** A text up to a mark of its end. */
function upTo(mark: RegExp, text: string): string {
  const [part = ''] = text.split(mark);
  return part.replace(/\.$/, '').replaceAll('<', String.raw`\<`);
}

/** What to do about an error. How to sign in is said above the list. */
function todoOf(name: ErrorCode): string {
  return upTo(/$/, remedyOf(name).replace(/^Sign in again: .*$/s, 'Sign in again'));
}

function errorCodes(): string {
  const statuses = [...new Set(Object.values(ERRORS).map(([status]) => status))];
  const parts = statuses.map((status) => {
    const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((name) => ERRORS[name][0] === status);
    const items = codes.map((name) => {
      const details = DETAILS[name] === '' ? '' : ` (${DETAILS[name]})`;
      return `- \`${name}\`: ${upTo(/; /, ERRORS[name][1])}. ${todoOf(name)}.${details}`;
    });
    return `### Status ${status}\n\n${items.join('\n')}`;
  });
  return parts.join('\n\n');
}

/** The documentation comments of the members of a table in the code. */
function comments(path: string): Readonly<Record<string, string>> {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const found = [...text.matchAll(/^ {2}\/\*\*\s((?:(?!\*\/)[\s\S])*?)\.?\s*\*\/\n {2}(\w+):/gm)];
  return Object.fromEntries(
    found.map(([, comment = '', name]) => [name, comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim()]),
  );
}

function known(text: string | undefined, name: string, what = 'documentation comment'): string {
  if (text === undefined) throw new Error(`${name} has no ${what}`);
  return text;
}

/** The default of a limit and its range, such as `0.7; 0 to 1`. */
function rangeOf({ standard, least, most }: { standard: number; least: number; most: number }): string {
  return `${standard}; ${least} to ${most}`;
}

function bankLimits(): string {
  const about = comments('src/core/domain/bank-limits.ts');
  const rows: { names: string[]; defaults: string[]; text: string }[] = [];
  for (const [name, limit] of Object.entries(BANK_LIMITS)) {
    const text = about[name];
    const last = rows.at(-1);
    // A comment stands for the members that follow without one.
    if (text === undefined && last !== undefined) {
      last.names.push(name);
      last.defaults.push(rangeOf(limit));
    } else rows.push({ names: [name], defaults: [rangeOf(limit)], text: known(text, name) });
  }
  return rows
    .map(({ names, defaults, text }) => `- ${code(names)} (${defaults.join(' / ')}): ${text}`)
    .join('\n');
}

function callerLimits(): string {
  const about = comments('src/core/limits.ts');
  const names = Object.keys(LIMITS) as LimitName[];
  return names
    .map((name) => `- \`${name}\` (${rangeOf(LIMITS[name])}): ${upTo(/[;.,] /, known(about[name], name))}`)
    .join('\n');
}

const RPC = {
  Accounts: ACCOUNT_METHODS,
  Tokens: TOKEN_METHODS,
  Transactions: TRANSACTION_METHODS,
  Blocks: BLOCK_METHODS,
  Cluster: CLUSTER_METHODS,
  Inflation: INFLATION_METHODS,
};

function rpcMethods(): string {
  const rows = Object.entries(RPC).map(([area, methods]) => [area, Object.keys(methods).join(', ')]);
  // Their names are read; none is called.
  const subscriptions = Object.keys(subscriptionMethods({} as never, {} as never, {} as never));
  const kinds = subscriptions.filter((name) => name.endsWith('Subscribe'));
  return table(['Area', 'Methods'], [...rows, ['Subscriptions', kinds.join(', ')]]);
}

/** Initial funds, such as `500 USDC, 2 SOL in its wallet`. */
function funds({ wallet, checking, savings, identity }: Persona['begins']): string {
  const parts = Object.entries({ wallet: { ...wallet }, checking, savings }).flatMap(([where, money]) => {
    const amounts = Object.entries(money ?? {}).map(([token, amount]) => `${amount} ${token.toUpperCase()}`);
    return amounts.length === 0 ? [] : [`${where} ${amounts.join(', ')}`];
  });
  return [...parts, ...(identity === undefined ? [] : ['X and GitHub'])].join('; ');
}

function personas(): string {
  const rows = Object.entries(PERSONAS).map(([name, { summary, begins, income, does }]) => {
    const actions = Object.entries(does).map(([action, weight]) => `\`${action}\` ${weight}`);
    const earns = income === undefined ? '' : `; income ${income}`;
    return `- \`${name}\` ${summary}. Funds: ${funds(begins)}${earns}. Actions: ${actions.join(', ')}.`;
  });
  return rows.join('\n');
}

/** The names of journal entries and of due events. */
function eventNames(): string {
  return `- Entries: ${code(ENTRY_KINDS)}\n- Due events: ${code(EVENT_KINDS)}`;
}

/** What stands between the marks of each name. */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  commands: commandLists,
  switches,
  endpoints: bankEndpoints,
  control: controlCommands,
  errors: errorCodes,
  'event-names': eventNames,
  'bank-limits': bankLimits,
  'caller-limits': callerLimits,
  rpc: rpcMethods,
  personas,
};
