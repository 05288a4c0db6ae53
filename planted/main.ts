import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { PlantedBug } from './bug.js';
import { BUGS } from './bugs.js';
import {
  type Baseline,
  type Hunt,
  type HuntsOfBug,
  baselineOf,
  line,
  missedSince,
  summaryText,
  summed,
} from './hunts.js';

/** What a bug may take to be found; the time is for a search that hangs, so that a busy machine finds as much. */
const RUNS = 4_000;
const SECONDS = 1_800;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BASELINE = join(ROOT, 'planted/baseline.json');
const BASELINE_SEEDS = 3;
const SEARCH = join(ROOT, 'planted/search.js');

/** A copy of the source in a temporary folder, whose packages are this project's. */
function copyOfSource(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-planted-'));
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', 'fixtures', 'LICENSE'])
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

/** Builds the source of a copy into a folder of it. */
function build(folder: string, name: 'broken' | 'clean'): void {
  execFileSync(process.execPath, ['scripts/build.js', '--no-types'], { cwd: folder });
  rmSync(join(folder, name), { recursive: true, force: true });
  renameSync(join(folder, 'dist'), join(folder, name));
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Seconds until the first failure was found; null if none was. */
  readonly foundAfter: number | null;
}

/** Runs a program. */
function node(...args: string[]): Promise<Ended> {
  const begunMs = performance.now();
  const child = spawn(process.execPath, args);
  let [out, err] = ['', ''];
  let foundAfter: number | null = null;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    if (err.includes('found a failure')) foundAfter ??= (performance.now() - begunMs) / 1_000;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err, foundAfter }));
  });
}

interface Told {
  readonly runs: number;
  readonly steps: number;
  readonly found: { readonly steps: readonly unknown[]; readonly failure: { readonly text: string } } | null;
  readonly kept: readonly string[];
}

/** What the files of a find do that they should not: each fails on the build with the bug, and holds on the other. */
async function wrongFiles(
  folder: string,
  name: 'broken' | 'clean',
  kept: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const path of kept) {
    const verb = path.endsWith('.json') ? 'replay' : path.endsWith('.yaml') ? 'run' : null;
    if (verb === null) continue;
    const { code } = await node(join(folder, name, 'cli/main.js'), verb, path);
    if (code !== (name === 'broken' ? 1 : 0)) wrong.push(`${path} ends with ${code} on the ${name} build`);
  }
  return wrong;
}

/** Hunts a bug in the build that has it. */
async function hunt(
  folder: string,
  bug: PlantedBug,
  { seed, isChecked }: { seed: number; isChecked: boolean },
): Promise<Hunt> {
  const out = join(folder, 'failures');
  try {
    const options = { seed, runs: RUNS, timeBudgetMs: SECONDS * 1_000, ...bug.options };
    const ended = await node(SEARCH, join(folder, 'broken'), JSON.stringify(options), out);
    const none = {
      bug: bug.name,
      seed,
      seconds: 0,
      runs: 0,
      steps: 0,
      shortest: 0,
      hasScenario: false,
      wrong: [],
    };
    if (ended.code !== 0 || ended.out === '')
      return { ...none, verdict: 'broken', text: ended.err.slice(-500) };
    const { runs, steps, found, kept } = JSON.parse(ended.out) as Told;
    if (found === null) return { ...none, verdict: 'missed', runs, steps, text: '' };
    const wrong = isChecked
      ? [...(await wrongFiles(folder, 'broken', kept)), ...(await wrongFiles(folder, 'clean', kept))]
      : [];
    return {
      ...none,
      verdict: 'found',
      runs,
      steps,
      seconds: ended.foundAfter ?? 0,
      shortest: found.steps.length,
      hasScenario: kept.some((path) => path.endsWith('.yaml')),
      wrong,
      text: found.failure.text,
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const USAGE = `npx tsx planted/main.ts [words of names] [--seeds N] [--workers N] [--files] [--check | --write] [--json]
  --seeds N    hunts each bug with the seeds 1 to N and tells median and 90th percentile (default 1)
  --workers N  hunts at the same time (default 2)
  --files      replays the files of each find with the bug, where they must fail, and without, where they must hold
  --check      with the seeds of planted/baseline.json: fails when a bug is missed that was found then
  --write      writes planted/baseline.json, of all bugs: which bugs each seed finds, and after how many steps
  --json       prints one line of JSON for each hunt, then one for all
`;

/** Hunts the bugs whose names hold the words that are given; all without any. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seeds: { type: 'string' },
      workers: { type: 'string', default: '2' },
      files: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const isCompared = values.check || values.write;
  const [seeds, workers] = [
    Number(values.seeds ?? (isCompared ? BASELINE_SEEDS : 1)),
    Number(values.workers),
  ];
  if (
    values.help ||
    (values.write && positionals.length > 0) ||
    ![seeds, workers].every((each) => Number.isInteger(each) && each > 0)
  ) {
    process.stderr.write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const bugs = BUGS.filter(({ name }) => positionals.every((word) => name.includes(word)));
  const left = bugs.flatMap((bug) => Array.from({ length: seeds }, (_, at) => ({ bug, seed: at + 1 })));
  const hunts: Hunt[] = [];
  if (!values.json)
    process.stdout.write(`${bugs.length} bugs; verdict, runs, steps, time, length of the counterexample\n`);
  const work = async () => {
    const folder = copyOfSource();
    try {
      if (values.files) build(folder, 'clean');
      let built: PlantedBug | null = null;
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { bug, seed } = next;
        if (bug !== built) {
          const undo = plant(folder, bug);
          build(folder, 'broken');
          undo();
          built = bug;
        }
        const done = await hunt(folder, bug, { seed, isChecked: values.files });
        hunts.push(done);
        process.stdout.write(values.json ? `${JSON.stringify(done)}\n` : line(done));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const summary: readonly HuntsOfBug[] = summed(hunts);
  process.stdout.write(values.json ? `${JSON.stringify(summary)}\n` : summaryText(summary, seeds));
  if (values.write) writeFileSync(BASELINE, `${JSON.stringify(baselineOf(hunts), null, 2)}\n`);
  if (values.check) {
    const missed = missedSince(JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline, hunts);
    for (const each of missed) process.stdout.write(`missed, but found in the baseline: ${each}\n`);
    if (missed.length > 0) process.exitCode = 1;
  }
  const areFound = values.check || hunts.every(({ verdict }) => verdict === 'found');
  if (!areFound || hunts.some(({ wrong }) => wrong.length > 0) || bugs.length === 0) process.exitCode = 1;
}

await main();
