import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Equivalent, FOLDERS, type Mutant, allMutants, reasonOf, sample } from './mutants.js';
import { type Judged, reachReport, textReport, writeReports } from './report.js';
import { type Outcome, type Reach, type TrialOptions, WorkingCopy, isOpen } from './stages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const HELP = `npm run mutants -- [folders] [options]

Changes the source in one place at a time, and tries what notices it: a campaign of a minute of the processor, of three, the scenarios, the unit tests.

  --sample N         mutants to draw (default 300)
  --seed TEXT        the draw (default 1)
  --shard 1/4        a part of the sample
  --workers N        mutants tried at a time (default 2)
  --campaign N       seconds of the processor for a campaign (default 180); a busy machine gives equal scores
  --campaign-seed N  the seed of the campaigns (default 1)
  --no-tests         campaigns only
  --reach            only tell which mutants the campaign and the unit tests reach at all, of the whole source; it is kept in
                     reach.json, for the tests that a mutant is tried with too
  --seconds N        begin no mutant after this time
  --out FOLDER       results and reports (default mutants-report); what stands there is not tried again, but a
                     survivor is by what it has not been tried by
  --list             print the sample, and exit
`;

interface Line {
  readonly id: string;
  readonly outcome: Outcome;
}

function readResults(path: string): Map<string, Outcome> {
  if (!existsSync(path)) return new Map();
  // The last line may have been cut by a kill.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return new Map(lines.map((line) => JSON.parse(line) as Line).map(({ id, outcome }) => [id, outcome]));
}

function shardOf(mutants: readonly Mutant[], shard: string): Mutant[] {
  const [part = 1, parts = 1] = shard.split('/').map(Number);
  return mutants.filter((_, at) => at % parts === part - 1);
}

/** What is reached, from the folder of results if it stands there. */
async function reachIn(out: string, options: TrialOptions): Promise<Reach> {
  const path = join(out, 'reach.json');
  if (!existsSync(path)) {
    const copy = new WorkingCopy(ROOT, options);
    try {
      writeFileSync(path, JSON.stringify(await copy.reach(options.campaignSeconds)));
    } finally {
      copy.remove();
    }
  }
  return JSON.parse(readFileSync(path, 'utf8')) as Reach;
}

/** Throws when the original itself does not pass; not asked again once there are results. */
async function checkOriginal(path: string, options: TrialOptions): Promise<void> {
  if (existsSync(path)) return;
  const original = new WorkingCopy(ROOT, options);
  const faulty = await original.faultyStages();
  original.remove();
  if (faulty.length > 0) throw new Error(`The original does not pass.\n${faulty.join('\n')}`);
}

/** What the workers of a trial share. */
interface Trial {
  readonly left: Mutant[];
  readonly results: Map<string, Outcome>;
  /** The file to which each result is added. */
  readonly path: string;
  readonly isOver: () => boolean;
  readonly open: () => WorkingCopy;
}

/** Takes one mutant after the other, until none is left or the time is over. */
async function tryMutants({ left, results, path, isOver, open }: Trial): Promise<void> {
  const copy = open();
  try {
    while (left.length > 0 && !isOver()) {
      const mutant = left.shift() as Mutant;
      const outcome = await copy.judge(mutant, results.get(mutant.id));
      results.set(mutant.id, outcome);
      appendFileSync(path, `${JSON.stringify({ id: mutant.id, outcome } satisfies Line)}\n`);
      const { verdict, stage, seconds, text } = outcome;
      process.stdout.write(
        `${verdict.padEnd(8)} ${(stage ?? '').padEnd(14)} ${seconds.toFixed().padStart(4)} s  ${mutant.file}:${mutant.location.start.line + 1} ${mutant.operator}  ${text.slice(0, 80)}\n`,
      );
    }
  } finally {
    copy.remove();
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      shard: { type: 'string', default: '1/1' },
      workers: { type: 'string', default: '2' },
      campaign: { type: 'string', default: '180' },
      'campaign-seed': { type: 'string', default: '1' },
      'no-tests': { type: 'boolean', default: false },
      reach: { type: 'boolean', default: false },
      seconds: { type: 'string', default: 'Infinity' },
      out: { type: 'string', default: 'mutants-report' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const begun = performance.now();
  const equivalents = JSON.parse(
    readFileSync(join(ROOT, 'mutants/equivalents.json'), 'utf8'),
  ) as Equivalent[];
  const all = allMutants(ROOT, positionals.length > 0 ? positionals : FOLDERS);
  const drawn = shardOf(sample(all, values.seed, Number(values.sample)), values.shard);
  if (values.list) {
    for (const { id, file, operator, before, after } of drawn)
      process.stdout.write(`${id} ${file} ${operator}\n- ${before}\n+ ${after}\n`);
    return;
  }
  mkdirSync(values.out, { recursive: true });
  const path = join(values.out, 'results.jsonl');
  const results = readResults(path);
  const options = {
    campaignSeconds: Number(values.campaign),
    seed: Number(values['campaign-seed']),
    hasTests: !values['no-tests'],
  };
  if (values.reach) {
    const text = reachReport(all, await reachIn(values.out, options));
    writeFileSync(join(values.out, 'reach.txt'), text);
    process.stdout.write(text);
    return;
  }
  const left = drawn.filter(
    (mutant) => isOpen(results.get(mutant.id), options) && reasonOf(mutant, equivalents) === null,
  );
  process.stdout.write(`${all.length} mutants, ${drawn.length} drawn, ${left.length} to try\n`);
  if (left.length > 0) {
    await checkOriginal(path, options);
    const reach = options.hasTests ? await reachIn(values.out, options) : null;
    const isOver = () => performance.now() - begun >= Number(values.seconds) * 1_000;
    const trial = { left, results, path, isOver, open: () => new WorkingCopy(ROOT, options, reach) };
    await Promise.all(Array.from({ length: Number(values.workers) }, () => tryMutants(trial)));
  }
  const judged = drawn.flatMap((mutant): Judged[] => {
    const reason = reasonOf(mutant, equivalents);
    if (reason !== null) return [{ mutant, outcome: { verdict: 'equivalent', text: reason } }];
    const outcome = results.get(mutant.id);
    return outcome === undefined ? [] : [{ mutant, outcome }];
  });
  const title = `Seed ${values.seed}: ${judged.length} of ${drawn.length} mutants tried`;
  writeReports(values.out, ROOT, { judged, title });
  process.stdout.write(`\n${textReport(judged, title)}\n${join(values.out, 'mutants.html')}\n`);
}

await main();
