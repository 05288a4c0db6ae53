// @module-tag slow
import { spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { here } from './here.js';
import { MAIN } from './process.js';
import { world } from '../support/world.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOWHERE = ['--url', 'http://127.0.0.1:1'];

/** The commands that read a file, by what they call it. */
const READERS: Readonly<Record<string, (file: string) => string[]>> = {
  'a configuration': (file) => ['start', '--config', file],
  'a state': (file) => ['start', '--state', file],
  'an account': (file) => ['account', 'set', '-', file, ...NOWHERE],
  'a key': (file) => [
    'start',
    '--engine',
    'cluster',
    '--cluster-url',
    'http://127.0.0.1:1',
    '--treasury-key',
    file,
  ],
  'a state that is imported': (file) => ['state', 'import', file, ...NOWHERE],
  'a series of rates': (file) => ['oracle', 'load', file, ...NOWHERE],
  'a fault': (file) => ['fault', 'add', '--file', file, ...NOWHERE],
  'a scenario': (file) => ['run', file],
  'a study': (file) => ['study', file],
  'a counterexample or a recording': (file) => ['replay', file],
  'a recording': (file) => ['record', 'to-scenario', file],
  'a file to inspect': (file) => ['inspect', file],
  'a log': (file) => ['log', file],
};

describe.each(Object.entries(READERS))('%s', (_what, args) => {
  it('is refused with its name when it is a device, a folder or too large', async () => {
    const at = temporaryFolder();
    const huge = join(temporaryFolder(), 'huge.yaml');
    writeFileSync(huge, '');
    truncateSync(huge, 2 ** 41);
    for (const [file, reason] of [
      ['/dev/null', /not a regular file/],
      [at, /EISDIR|is a folder|no scenario/],
      [huge, /has more than \d+ bytes/],
    ] as const) {
      const { code, stderr } = await here(...args(file));
      expect(stderr).toMatch(reason);
      // What was given as a key may be one with a typo, and is not repeated.
      expect(stderr.includes(basename(file))).toBe(!/secret key/.test(stderr));
      expect([1, 2]).toContain(code);
    }
  });
});

it('every kind of text file may begin with a byte order mark', async () => {
  const at = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(at, name), `\uFEFF${text}`);
    return join(at, name);
  };
  const config = file('config.json', '{"nope":1}');
  expect((await here('start', '--config', config)).stderr).toMatch(/nope/);
  const scenario = file('a.yaml', 'name: a\nsteps:\n  - time.advance: 1d\n');
  expect((await here('run', scenario)).code).toBe(0);
  const key = file('key.json', '[1,2]');
  expect((await here('start', '--engine', 'cluster', '--treasury-key', key)).stderr).toMatch(/these are 2/);
  const event = { seq: 1, at: '2026-01-01T00:00:00Z', kind: 'world', requestId: null };
  const log = file('events.jsonl', `${JSON.stringify(event)}\n`);
  expect((await here('log', log)).code).toBe(0);
});

it('what a shell passes as an open pipe is read as a file', async () => {
  const at = temporaryFolder();
  writeFileSync(join(at, 'world.sim'), await (await world()).exportState());
  const read = (way: string) =>
    spawnSync('bash', ['-c', `"${process.execPath}" "${MAIN}" export books.csv --state ${way}`], {
      cwd: at,
      encoding: 'utf8',
    });
  for (const way of ['<(cat world.sim)', '/dev/stdin < world.sim'])
    expect(read(way)).toMatchObject({ status: 0, stderr: '' });
});
