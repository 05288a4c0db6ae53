import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { frameBytes, newHead, readFrames } from '../../src/persistence/durable/frames.js';
import type { Random } from '../../src/testing/study/random.js';
import { serving, startedCommand } from '../cli/process.js';
import { openly, sealed } from '../persistence/state-file/support.js';
import { seeded } from '../support/seeded.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { many } from './hostile/calls.js';
import { changedBytes, changedText } from './mutations.js';

/** How many files of each kind are tried: `DAMAGED_FILES=100`. */
const FILES = Number(process.env['DAMAGED_FILES'] ?? 12);
/** The longest that a command may take. */
const PATIENCE_MS = 20_000;

const text = (path: string) => (random: Random) => changedText(readFileSync(path, 'utf8'), random);
const json = (value: unknown) => (random: Random) => changedText(JSON.stringify(value, null, 2), random);

/** A damaged state file with a valid checksum. */
function stateFile(random: Random): Buffer {
  const { head, world } = openly(readFileSync('fixtures/worlds/small-town.sim'));
  return random.chance(40)
    ? sealed(changedText(head, random).toString('latin1'), deflateRawSync(world))
    : sealed(head, deflateRawSync(changedBytes(world, random)));
}

/** A damaged data file whose frames have valid checksums. */
function dataFile(random: Random): Buffer {
  const { frames, head } = readFrames(readFileSync('fixtures/data/format-1/world.data'));
  const at = random.chance(30) ? null : random.below(frames.length);
  const header =
    at === null ? changedText(head.json, random).toString('utf8').replaceAll('\n', ' ') : head.json;
  const changed = newHead(header);
  return Buffer.concat([
    changed.bytes,
    ...frames.map((frame, number) =>
      frameBytes(changed, number === at ? { ...frame, payload: changedBytes(frame.payload, random) } : frame),
    ),
  ]);
}

const START = ['start', '--port', '0', '--json', '--quiet', '--no-rpc'];
const CONFIG = {
  seed: 'x',
  time: 'frozen',
  startTime: '2026-01-01',
  withdrawalDelay: '1h',
  confirmationSlots: [2, 32],
  variants: { withdrawals: 'queued', network: 'devnet' },
  limits: { forks: 3, jumpEvents: 100 },
  oracle: { usdcApy: 0.05, solUsd: { walk: { start: 150, every: '1h', step: 0.02 } } },
};
const FAULT = {
  endpoint: 'x402Pay',
  effect: 'replace-response',
  status: 503,
  code: 'out',
  message: 'm',
  retryAfter: 5,
  when: { nth: 1_000, probability: 0.5, from: '2026-01-01', wallet: 'w', times: 2 },
};

interface Kind {
  readonly make: (random: Random) => Buffer;
  /** The commands that read it. */
  readonly commands: (file: string, origin: string) => readonly (readonly string[])[];
}

/** By the names of the files. */
const KINDS: Readonly<Record<string, Kind>> = {
  'sealed.sim': {
    make: stateFile,
    commands: (file, origin) => [
      ['state', 'import', file, '--url', origin],
      [...START, '--state', file],
    ],
  },
  'world.data': { make: dataFile, commands: (file) => [[...START, '--data-dir', join(file, '..')]] },
  'session.ndjson': {
    make: text('fixtures/recordings/version-2.ndjson'),
    commands: (file) => [
      ['replay', file],
      ['record', 'to-scenario', file],
      ['log', file],
    ],
  },
  'failure.json': {
    make: text('fixtures/failures/loanapply-application-apr-ab5a45.json'),
    commands: (file) => [['replay', file]],
  },
  'play.yaml': { make: text('scenarios/profile.yaml'), commands: (file) => [['run', file]] },
  'config.json': { make: json(CONFIG), commands: (file) => [[...START, '--config', file]] },
  'fault.json': {
    make: json(FAULT),
    commands: (file, origin) => [['fault', 'add', '--file', file, '--url', origin]],
  },
  'rates.csv': {
    make: text('fixtures/rates-2026.csv'),
    commands: (file, origin) => [['oracle', 'load', file, '--url', origin]],
  },
};

/** Runs a command to its end; a `sim start` that is ready is stopped. Gives what is wrong with how it ends; null for a clear error. */
async function problemOf(args: readonly string[]): Promise<string | null> {
  const command = startedCommand(args);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  patience.addEventListener('abort', () => command.kill('SIGKILL'));
  if (args[0] === 'start')
    command.printed('\n').then(
      () => command.kill('SIGTERM'),
      () => undefined,
    );
  const code = await command.ended();
  const { stderr } = command;
  if (code === null) return patience.aborted ? 'it hangs' : `it was killed: ${stderr.slice(-500)}`;
  if (code > 2) return `exit code ${code}: ${stderr.slice(-500)}`;
  if (/^\s+at .*\d+:\d+\)?$/m.test(stderr)) return `a stack trace: ${stderr.slice(0, 800)}`;
  if (code === 2 && !/^sim: [^\n]{10,2000}(\n[^\n]{0,300}){0,4}\n$/.test(stderr))
    return `no clear message: ${stderr.slice(0, 800)}`;
  return null;
}

it('a damaged file of any kind, with valid checksums too, ends the command that reads it with a clear message', async () => {
  const { origin } = await serving('--quiet', '--engine', 'litesvm');
  const folder = temporaryFolder();
  const runs = Object.entries(KINDS).flatMap(([name, { make, commands }]) =>
    Array.from({ length: FILES }, (_, at) => {
      const file = join(folder, `${name}-${at}`, name);
      mkdirSync(join(file, '..'));
      writeFileSync(file, make(seeded(`${name}-${at}`)));
      const readers = commands(file, origin);
      return readers[at % readers.length] ?? [];
    }),
  );
  const problems: string[] = [];
  await many(runs.length, 2, async (number) => {
    const args = runs[number - 1] ?? [];
    const problem = await problemOf(args);
    if (problem !== null) problems.push(`sim ${args.join(' ')}: ${problem}`);
  });
  expect(problems).toEqual([]);
});
