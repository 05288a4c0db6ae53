import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { FOLDERS, type Mutant, mutantsByPlace, mutated } from './mutants.js';

/** What is tried on a mutant, in this order, until something notices it. */
export const STAGES = ['campaign 60 s', 'whole campaign', 'scenarios', 'unit tests'] as const;
export type Stage = (typeof STAGES)[number];

/** Folders of tests that are about what is mutated. */
const UNIT_TESTS = [
  'core',
  'world',
  'contract',
  'bank',
  'chain',
  'api',
  'persistence',
  'runtime',
  'sdk',
  'simulator',
].map((name) => `test/${name}/`);

/** How a sample is tried. */
export interface TrialOptions {
  /** Seconds of the processor that a campaign may use. */
  readonly campaignSeconds: number;
  readonly seed: number;
  /** Whether scenarios and unit tests are tried too. */
  readonly hasTests: boolean;
}

/** Seconds of the processor that one process of a stage may use, beside those of a campaign. */
const MOST_SECONDS = { build: 60, campaign: 30, scenarios: 180, unit: 600 };
/** A process that waits for ever uses no processor: how many times as long it may take by the clock, on a busy machine. */
const PATIENCE = 10;
/** The campaign by which the original is proved sound, in seconds of the processor. */
const TRIED_SECONDS = 20;

/** What a mutant has survived. */
export type Survived = Pick<TrialOptions, 'campaignSeconds' | 'hasTests'>;

export interface Outcome {
  /** `invalid`: the mutant is no program. */
  readonly verdict: 'killed' | 'survived' | 'timeout' | 'invalid';
  /** What noticed it; null for a survivor. */
  readonly stage: Stage | null;
  /** Of the processor for campaigns, by the clock for tests. */
  readonly seconds: number;
  /** How it was noticed. */
  readonly text: string;
  /** For a survivor, so that a later trial begins where this one ended. */
  readonly survived?: Survived;
}

/** Which mutants are reached, by their ids: what is not reached, is not noticed. */
export interface Reach {
  readonly campaign: readonly string[];
  /** The files of tests that reach a mutant, by its id. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

const NOTHING: Survived = { campaignSeconds: 0, hasTests: false };

/** Whether a trial would try more than what a mutant has survived. */
export function isOpen(outcome: Outcome | undefined, options: TrialOptions): boolean {
  if (outcome === undefined) return true;
  if (outcome.verdict !== 'survived') return false;
  const { campaignSeconds, hasTests } = outcome.survived ?? NOTHING;
  return campaignSeconds < options.campaignSeconds || (options.hasTests && !hasTests);
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
  readonly isLate: boolean;
}

/** A copy of the project in a temporary folder, with the packages of the original. */
export class WorkingCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-mutants-'));
  readonly #root: string;
  readonly #options: TrialOptions;
  readonly #reach: Reach | null;

  /** Without a reach, every test is tried. */
  constructor(root: string, options: TrialOptions, reach: Reach | null = null) {
    this.#root = root;
    this.#options = options;
    this.#reach = reach;
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const name of listed.split('\0').filter((path) => path !== ''))
      cpSync(join(root, name), join(this.folder, name), { force: true });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Builds the commands; false when the source is no program. */
  async build(): Promise<boolean> {
    return (await this.#run(['scripts/build.js', '--no-types'], MOST_SECONDS.build)).code === 0;
  }

  /** What a campaign by function calls, one by requests, and each test reach. The copy is of no other use afterwards. */
  async reach(seconds: number): Promise<Reach> {
    const mutants = mutantsByPlace(this.#root, FOLDERS, this.folder);
    if (!(await this.build())) throw new Error('it cannot be built with all mutants');
    const idsOf = (places: readonly string[]) => places.map((place) => mutants.get(place)?.id ?? place);
    const campaigns = [await this.#campaign('', seconds), await this.#campaign('src/api/', seconds)];
    const reached = campaigns.flatMap(({ out }) => (JSON.parse(out) as { reached: string[] }).reached);
    const tests: Record<string, string[]> = {};
    // Exit codes do not matter: some tests compare the source's own text or speed.
    await this.#tests(UNIT_TESTS, ['--config', 'mutants/vitest.config.ts']);
    for (const line of readFileSync(join(this.folder, 'reached.jsonl'), 'utf8').trimEnd().split('\n')) {
      const noted = JSON.parse(line) as { readonly test: string; readonly reached: readonly string[] };
      for (const id of new Set(idsOf(noted.reached)))
        (tests[id] ??= []).push(relative(this.folder, noted.test));
    }
    return { campaign: [...new Set(idsOf(reached))], tests };
  }

  /** Tries the stages that a mutant has not survived yet. The copy is the original's again afterwards. */
  async judge(mutant: Mutant, before: Outcome | undefined): Promise<Outcome> {
    const path = join(this.folder, mutant.file);
    const text = readFileSync(path, 'utf8');
    try {
      writeFileSync(path, mutated(text, mutant));
      if (await this.build()) return await this.#tried(mutant, before);
      writeFileSync(path, mutated(text, mutant, true));
      if (await this.build()) return await this.#tried(mutant, before);
      return { verdict: 'invalid', stage: null, seconds: 0, text: 'no program' };
    } finally {
      writeFileSync(path, text);
    }
  }

  /** The stages that find something wrong with the original. */
  async faultyStages(): Promise<string[]> {
    if (!(await this.build())) return ['it cannot be built'];
    const tests = this.#options.hasTests
      ? { scenarios: await this.#scenarios(), 'unit tests': await this.#tests(UNIT_TESTS) }
      : {};
    const runs = { campaign: await this.#campaign('', TRIED_SECONDS), ...tests };
    return Object.entries(runs).flatMap(([name, { code, out, err }]) =>
      code === 0 ? [] : [`${name}:\n${(out + err).slice(-2_000)}`],
    );
  }

  async #tried({ id, file }: Mutant, before: Outcome | undefined): Promise<Outcome> {
    const { campaignSeconds, hasTests } = this.#options;
    const survived = before?.survived ?? NOTHING;
    const attempts: [Stage, () => Promise<Run>][] = [];
    if (survived.campaignSeconds < campaignSeconds)
      attempts.push(['whole campaign', () => this.#campaign(file, campaignSeconds)]);
    if (hasTests && !survived.hasTests) {
      attempts.push(['scenarios', () => this.#scenarios()]);
      // Those that mirror the file notice most, and soon.
      for (const tests of this.#testsThatReach(id, testsOf(this.folder, file)))
        attempts.push(['unit tests', () => this.#tests(tests)]);
    }
    let seconds = before?.seconds ?? 0;
    for (const [last, attempt] of attempts) {
      const run = await attempt();
      const stage = last === 'whole campaign' && run.seconds <= 60 ? 'campaign 60 s' : last;
      seconds += run.seconds;
      if (run.isLate)
        return { verdict: 'timeout', stage, seconds, text: `no end after ${run.seconds.toFixed()} s` };
      if (run.code !== 0) return { verdict: 'killed', stage, seconds, text: noticed(run) };
    }
    return {
      verdict: 'survived',
      stage: null,
      seconds,
      text: '',
      survived: {
        campaignSeconds: Math.max(campaignSeconds, survived.campaignSeconds),
        hasTests: hasTests || survived.hasTests,
      },
    };
  }

  /** Function calls, or requests for what only these reach, on the engine that is mutated. Its seconds are the processor's. */
  async #campaign(file: string, seconds: number): Promise<Run> {
    const transport = /^src\/(api|contract)\//.test(file) ? 'http' : 'direct';
    const engine = file.startsWith('src/chain/engines/bankrun') ? 'bankrun' : 'litesvm';
    const args = [this.folder, seconds, transport, engine, this.#options.seed].map(String);
    const script = join(this.#root, 'mutants/campaign.js');
    const run = await this.#run([script, ...args], seconds + MOST_SECONDS.campaign);
    const [, used] = /"seconds":([\d.]+)/.exec(run.out) ?? [];
    // What says nothing has not begun, or has not ended.
    return { ...run, seconds: used === undefined ? (run.isLate ? seconds : 0) : Number(used) };
  }

  /** The tests that may notice a mutant: a whole folder, then those of others that reach it in their own process. */
  #testsThatReach(id: string, first: string): string[][] {
    const folder = join('test', first, '/');
    if (this.#reach === null) return [[folder], UNIT_TESTS];
    const others = (this.#reach.tests[id] ?? []).filter((path) => !path.startsWith(folder));
    return others.length === 0 ? [[folder]] : [[folder], others];
  }

  #scenarios(): Promise<Run> {
    return this.#run(['dist/cli/main.js', 'run', 'scenarios'], MOST_SECONDS.scenarios);
  }

  #tests(paths: readonly string[], options: readonly string[] = ['--bail', '1']): Promise<Run> {
    const vitest = join(this.folder, 'node_modules/vitest/vitest.mjs');
    return this.#run([vitest, 'run', '--maxWorkers', '1', ...options, ...paths], MOST_SECONDS.unit);
  }

  #run(args: readonly string[], mostSeconds: number): Promise<Run> {
    const begun = performance.now();
    // The kernel ends what uses too much of the processor. A group of its own, so that what it started ends with it.
    const limited = ['-c', `ulimit -t ${mostSeconds}; exec "$0" "$@"`, process.execPath, ...args];
    const child = spawn('sh', limited, { cwd: this.folder, detached: true });
    let [out, err, isLate] = ['', '', false];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    const timer = setTimeout(
      () => {
        isLate = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      },
      mostSeconds * PATIENCE * 1_000,
    );
    return new Promise((resolve) => {
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        isLate ||= signal === 'SIGXCPU' || signal === 'SIGKILL';
        resolve({ code, out, err, seconds: (performance.now() - begun) / 1_000, isLate });
      });
    });
  }
}

/** The closest folder of tests that mirrors the folder of a file. */
function testsOf(root: string, file: string): string {
  let name = dirname(file).replace(/^src\//, '');
  while (!existsSync(join(root, 'test', name))) name = dirname(name);
  return name;
}

/** The line that says best how a run failed. */
function noticed({ out, err }: Run): string {
  const lines = `${out}\n${err}`.split('\n').map((line) => line.trim());
  const line =
    lines.find((text) => /FAIL|failed|✗|×|Error|"text":/.test(text)) ??
    lines.find((text) => text !== '') ??
    '';
  const text = /"text":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line;
  return text.slice(0, 300);
}
