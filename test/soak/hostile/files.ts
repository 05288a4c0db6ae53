import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { frameBytes, newHead, readFrames } from '../../../src/persistence/durable/frames.js';
import { PACKAGE_ROOT } from '../../../src/core/package-root.js';
import type { Random } from '../../../src/testing/study/random.js';
import { seeded } from '../../support/seeded.js';
import { openly } from '../../persistence/state-file/support.js';
import { many } from './calls.js';
import { runToEnd, problemOf } from './command.js';
import { changedBytes, changedText } from './mutations.js';
import type { Target } from './target.js';

/** How many files of each kind a round tries. */
const FILES = 4;

const fixture = (path: string) => readFileSync(join(PACKAGE_ROOT, path));
const text = (path: string) => (random: Random) => changedText(fixture(path).toString('utf8'), random);
const json = (value: unknown) => (random: Random) => changedText(JSON.stringify(value, null, 2), random);

/** A damaged state file with a valid checksum. */
function sealedState(random: Random): Buffer {
  const { head, world } = openly(fixture('fixtures/worlds/small-town.sim'));
  const isOfHead = random.chance(40);
  const bytes = Buffer.concat([
    isOfHead ? changedText(head, random) : Buffer.from(head),
    deflateRawSync(isOfHead ? world : changedBytes(world, random)),
  ]);
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);
}

/** A damaged data file whose frames have valid checksums. */
function sealedData(random: Random): Buffer {
  const { frames, head } = readFrames(fixture('fixtures/data/format-1/world.data'));
  const at = random.below(frames.length);
  const isOfHead = random.chance(30);
  const other = newHead(
    isOfHead ? changedText(head.json, random).toString('utf8').replaceAll('\n', ' ') : head.json,
  );
  const changed = frames.map((frame, number) =>
    number === at && !isOfHead ? { ...frame, payload: changedBytes(frame.payload, random) } : frame,
  );
  return Buffer.concat([other.bytes, ...changed.map((frame) => frameBytes(other, frame))]);
}

interface Kind {
  readonly name: string;
  readonly make: (random: Random) => Buffer;
  /** The commands that read it. */
  readonly commands: (file: string, target: Target) => readonly (readonly string[])[];
}

const START = ['start', '--port', '0', '--json', '--quiet', '--no-rpc'];
const readState = (file: string, { origin }: Target) => [
  ['state', 'show', file],
  ['state', 'import', file, '--url', origin],
  [...START, '--state', file],
];
const readData = (file: string) => [[...START, '--data-dir', join(file, '..')]];
const readReplay = (file: string) => [['replay', file]];
const readSeries = (file: string, { origin }: Target) => [['oracle', 'load', file, '--url', origin]];

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

const KINDS: readonly Kind[] = [
  {
    name: 'world.sim',
    make: (random) => changedBytes(fixture('fixtures/worlds/small-town.sim'), random),
    commands: readState,
  },
  { name: 'sealed.sim', make: sealedState, commands: readState },
  {
    name: 'world.data',
    make: (random) => changedBytes(fixture('fixtures/data/format-1/world.data'), random),
    commands: readData,
  },
  { name: 'world.data', make: sealedData, commands: readData },
  {
    name: 'session.ndjson',
    make: text('fixtures/recordings/version-2.ndjson'),
    commands: (file) => [
      ['replay', file],
      ['record', 'to-scenario', file],
      ['log', file],
    ],
  },
  {
    name: 'failure.json',
    make: text('fixtures/failures/loanapply-application-apr-ab5a45.json'),
    commands: readReplay,
  },
  { name: 'play.yaml', make: text('fixtures/starter/first-steps.yaml'), commands: (file) => [['run', file]] },
  { name: 'config.json', make: json(CONFIG), commands: (file) => [[...START, '--config', file]] },
  {
    name: 'fault.json',
    make: json(FAULT),
    commands: (file, { origin }) => [['fault', 'add', '--file', file, '--url', origin]],
  },
  { name: 'rates.csv', make: text('fixtures/rates-2026.csv'), commands: readSeries },
];

/** Damaged files of every kind, some with valid checksums, given to the commands that read them. */
export async function hostileFiles(target: Target, round: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sim-hostile-'));
  const runs = KINDS.flatMap((kind, number) =>
    Array.from({ length: FILES }, (_, at) => {
      const seed = `file-${round}-${number}-${at}`;
      const file = join(folder, seed, kind.name);
      mkdirSync(join(folder, seed));
      writeFileSync(file, kind.make(seeded(seed)));
      const commands = kind.commands(file, target);
      // One command for each file, so that a round is short; later rounds try the others.
      return { file, args: commands[(round + at) % commands.length] ?? [] };
    }),
  );
  const codes = [0, 0, 0];
  let longestMs = 0;
  const problems: string[] = [];
  await many(runs.length, 2, async (number) => {
    const { args = [] } = runs[number - 1] ?? {};
    const ended = await runToEnd(args);
    const problem = problemOf(ended);
    longestMs = Math.max(longestMs, ended.ms);
    if (problem === null) codes[ended.code ?? 0] = (codes[ended.code ?? 0] ?? 0) + 1;
    else problems.push(`sim ${args.join(' ')}: ${problem}`);
  });
  // Keeps the files of a failure for inspection.
  if (problems.length > 0) throw new Error(problems.join('\n'));
  rmSync(folder, { recursive: true });
  return `${runs.length} files: exit codes 0, 1, 2: ${codes.join(', ')}; longest ${longestMs.toFixed(0)} ms`;
}
