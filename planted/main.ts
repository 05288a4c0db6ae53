import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BUGS, type PlantedBug } from './bugs.js';

/** What a bug may take to be found. */
const RUNS = 4_000;
const SECONDS = 240;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Hunt {
  readonly bug: PlantedBug;
  readonly verdict: 'found' | 'missed' | 'broken';
  readonly runs: number;
  readonly steps: number;
  readonly seconds: number;
  /** Steps of the counterexample. */
  readonly shortest: number;
  readonly text: string;
}

/** A copy of the source in a temporary folder, whose packages are this project's. */
function copyOfSource(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-planted-'));
  for (const name of ['src', 'package.json', 'tsconfig.json', 'fixtures'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Plants a bug; gives what takes it out again. Throws for a text that is not there exactly once. */
function plant(folder: string, { name, file, from, to }: PlantedBug): () => void {
  const path = join(folder, 'src', file);
  const text = readFileSync(path, 'utf8');
  const times = text.split(from).length - 1;
  if (times !== 1) throw new Error(`${name}: its text is ${times} times in src/${file}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

function fuzzed(
  folder: string,
  flags: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const args = [
    '--import',
    'tsx',
    'src/cli/main.ts',
    'fuzz',
    '--json',
    '--no-known',
    '--out',
    'failures',
    ...flags,
  ];
  const child = spawn(process.execPath, args, { cwd: folder });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

interface Told {
  readonly runs: number;
  readonly steps: number;
  readonly found: { readonly steps: readonly unknown[]; readonly failure: { readonly text: string } } | null;
}

async function hunt(folder: string, bug: PlantedBug, seed: string): Promise<Hunt> {
  const undo = plant(folder, bug);
  const begunMs = performance.now();
  try {
    const budget = ['--runs', String(RUNS), '--time-budget', `${SECONDS}s`, '--seed', seed];
    const flags = [...budget, ...(bug.flags ?? [])];
    const { code, out, err } = await fuzzed(folder, flags);
    const seconds = (performance.now() - begunMs) / 1_000;
    const none = { bug, seconds, runs: 0, steps: 0, shortest: 0 };
    if (code !== 0 && code !== 1) return { ...none, verdict: 'broken', text: err.slice(-500) };
    if (out === '') return { ...none, verdict: 'broken', text: err.slice(-500) };
    const { runs, steps, found } = JSON.parse(out) as Told;
    return {
      bug,
      seconds,
      runs,
      steps,
      verdict: found === null ? 'missed' : 'found',
      shortest: found?.steps.length ?? 0,
      text: found?.failure.text ?? '',
    };
  } finally {
    undo();
  }
}

function line({ bug, verdict, runs, steps, seconds, shortest, text }: Hunt): string {
  const what = `${verdict.padEnd(7)} ${String(runs).padStart(6)} ${String(steps).padStart(8)} ${seconds.toFixed(1).padStart(7)} s`;
  return `${what}  ${String(shortest).padStart(3)} steps  ${bug.name}\n${' '.repeat(41)}${text.slice(0, 160)}\n`;
}

/** Hunts the bugs whose names hold the words that are given; all without any. */
/** Arguments: words that the names of the bugs contain, and `--seed N` for the campaigns. */
async function main(args: string[]): Promise<void> {
  const options = { seed: { type: 'string', default: '1' } } as const;
  const { values, positionals: words } = parseArgs({ args, options, allowPositionals: true });
  const bugs = BUGS.filter(({ name }) => words.every((word) => name.includes(word)));
  const left = [...bugs];
  const hunts: Hunt[] = [];
  process.stdout.write(`${bugs.length} bugs; verdict, runs, steps, time, length of the counterexample\n`);
  const work = async () => {
    const folder = copyOfSource();
    try {
      for (let bug = left.shift(); bug !== undefined; bug = left.shift()) {
        const done = await hunt(folder, bug, values.seed);
        hunts.push(done);
        process.stdout.write(line(done));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  await Promise.all([work(), work()]);
  const found = hunts.filter(({ verdict }) => verdict === 'found').length;
  process.stdout.write(`${found} of ${bugs.length} found\n`);
  if (found < bugs.length || bugs.length === 0) process.exitCode = 1;
}

await main(process.argv.slice(2));
