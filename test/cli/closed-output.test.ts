// @module-tag slow
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { suiteFolder } from '../support/temporary-folder.js';
import { commandNames } from './here.js';
import { type Command, startedCommand } from './process.js';
import { BROKE, LOOKS } from './scenario-files.js';

/** A command that runs until it is stopped, and what it prints first. */
interface Row {
  readonly args: () => readonly string[];
  readonly begun: (command: Command) => Promise<unknown>;
  readonly input?: string;
  /** Makes it print more, or is the signal for one that prints seldom; absent for one that prints by itself. */
  readonly provoke?: ((command: Command, args: readonly string[]) => unknown) | 'signal';
}

const at = suiteFolder();

function fileOf(name: string, text: string): string {
  const path = join(at, name);
  writeFileSync(path, text);
  return path;
}

const MANY = Array.from({ length: 100 }, () => LOOKS).join('---\n');
const ENDLESS = `${LOOKS}---
name: endless
agents: { alice: {} }
steps:
  - repeat: { times: 1000, steps: [{ repeat: { times: 1000, steps: [{ repeat: { times: 1000, steps: [alice.account] } }] } }] }
`;
const STUDY =
  'name: many\npopulation: { count: 20, personas: { saver: 1 } }\nspan: 60d\nsweep: { world.limits.dailyWithdrawalUsd: [1, 2] }\nrepetitions: 50\n';
const EVENT = `${JSON.stringify({ seq: 1, at: '2026-01-01T00:00:00.000Z', kind: 'entry', requestId: null })}\n`;
const ENGINE = ['--engine', 'litesvm'];

const printed = (text: string) => (command: Command) => command.printed(text);
const complained = (text: string) => (command: Command) => command.complained(text);

/** A run of scenarios of which the first ends soon. */
const scenarios = (text: string, ...more: readonly string[]): Row => ({
  args: () => ['run', fileOf('scenarios.yaml', text), ...more, ...ENGINE],
  begun: printed('✓ alice looks'),
});

/** By their names; the first word is the command. */
const LONG: Readonly<Record<string, Row>> = {
  start: {
    args: () => ['start', '--port', '0', ...ENGINE],
    begun: printed('Stop with Ctrl-C'),
    provoke: ({ stdout }) => fetch(`${/API +(\S+)/.exec(stdout)?.[1]}/agent/account`).catch(() => undefined),
  },
  mcp: {
    args: () => ['mcp', ...ENGINE],
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`,
    begun: printed('\n'),
    provoke: 'signal',
  },
  inspect: {
    args: () => ['inspect', 'fixtures/worlds/empty.sim'],
    begun: complained('Stop with Ctrl-C'),
    provoke: 'signal',
  },
  fuzz: {
    args: () => ['fuzz', '--runs', '1000000', '--json', ...ENGINE],
    begun: complained('"unit":"runs"'),
    provoke: 'signal',
  },
  run: scenarios(MANY),
  'run of an endless scenario': { ...scenarios(ENDLESS, '--timeout', '10000'), provoke: 'signal' },
  'run --workers of an endless scenario': {
    ...scenarios(ENDLESS, '--timeout', '10000', '--workers', '2'),
    provoke: 'signal',
  },
  'run --workers': scenarios(MANY, '--workers', '2'),
  'run --inspect': {
    args: () => ['run', fileOf('broke.yaml', BROKE), '--inspect', ...ENGINE],
    begun: complained('Stop with Ctrl-C'),
    provoke: 'signal',
  },
  study: {
    args: () => ['study', fileOf('study.yaml', STUDY), '--out', join(at, 'results'), '--json'],
    begun: complained('"unit"'),
    provoke: 'signal',
  },
  'study --inspect': {
    args: () => ['study', fileOf('study.yaml', STUDY), '--inspect', '1', '--tick', '0'],
    begun: complained('Stop with Ctrl-C'),
    provoke: 'signal',
  },
  'log --follow': {
    args: () => ['log', fileOf('events.ndjson', EVENT), '--follow'],
    begun: printed('2026-01-01'),
    provoke: (_command, [, path = '']) => appendFileSync(path, EVENT),
  },
  demo: { args: () => ['demo', ...ENGINE], begun: printed('1. Sign in') },
};

/** Commands that do one thing and end. `worker` needs a queue: test/queue stops it. */
const SHORT = new Set(
  'replay init worker campaign time faucet deposit account oracle review snapshot revert history compare fault fork state explain record control journal customers customer chain series export verify'.split(
    ' ',
  ),
);

it('every command is among those that are tested here, or does one thing and ends', async () => {
  const names = await commandNames();
  const long = Object.keys(LONG).map((name) => /^[a-z-]+/.exec(name)?.[0]);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !SHORT.has(name) && !long.includes(name))).toEqual([]);
});

it.each(Object.entries(LONG))(
  'sim %s ends when the reader of its output is gone, on one signal at most',
  async (_name, { args, begun, input, provoke }) => {
    const given = args();
    const command = startedCommand(given, {}, { input: input ?? null });
    await begun(command);
    command.closeOutput();
    if (provoke === 'signal') command.kill('SIGTERM');
    else await provoke?.(command, given);
    expect([0, 1, 141, 143]).toContain(await command.ended());
  },
);
