import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutants.js';
import { type Outcome, type Reach, STAGES } from './stages.js';

/** A mutant of the sample and what became of it: `equivalent` holds the reason. */
export interface Judged {
  readonly mutant: Mutant;
  readonly outcome: Outcome | { readonly verdict: 'equivalent'; readonly text: string };
}

interface Score {
  readonly mutants: number;
  /** Noticed by each stage and those before it. */
  readonly noticed: readonly number[];
}

function counts({ outcome: { verdict } }: Judged): boolean {
  return verdict !== 'equivalent' && verdict !== 'invalid';
}

function scoreOf(judged: readonly Judged[]): Score {
  const counted = judged.filter(counts);
  const stages = counted.map(({ outcome }) =>
    'stage' in outcome && outcome.stage !== null ? STAGES.indexOf(outcome.stage) : Infinity,
  );
  return {
    mutants: counted.length,
    noticed: STAGES.map((_, at) => stages.filter((stage) => stage <= at).length),
  };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

function table(judged: readonly Judged[], title: string, nameOf: (mutant: Mutant) => string): string[] {
  const names = [...new Set(judged.map(({ mutant }) => nameOf(mutant)))].toSorted();
  const row = (name: string, of: readonly Judged[]) => {
    const { mutants, noticed } = scoreOf(of);
    const cells = noticed.map((count) => percent(count, mutants).padStart(15));
    return `${name.padEnd(24)}${String(mutants).padStart(8)}${cells.join('')}`;
  };
  const rows = names.map((name) =>
    row(
      name,
      judged.filter(({ mutant }) => nameOf(mutant) === name),
    ),
  );
  const head = `${title.padEnd(24)}${'mutants'.padStart(8)}${STAGES.map((stage) => stage.padStart(15)).join('')}`;
  return [head, ...rows, row('all', judged)];
}

function folderOf({ file }: Mutant): string {
  return file.split('/').slice(0, -1).join('/');
}

function survivor({ mutant: { file, location, operator, before, after } }: Judged): string {
  const lines = [
    ...before.split('\n').map((line) => `- ${line}`),
    ...after.split('\n').map((line) => `+ ${line}`),
  ];
  return [`${file}:${location.start.line + 1} ${operator}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** The report for a terminal: scores by folder and by operator, cumulative from stage to stage, then the survivors. */
export function textReport(judged: readonly Judged[], title: string): string {
  const survivors = judged.filter(({ outcome }) => outcome.verdict === 'survived');
  const of = (verdict: string) => judged.filter(({ outcome }) => outcome.verdict === verdict).length;
  return [
    title,
    `${judged.length} mutants, of which ${of('equivalent')} are equivalent and ${of('invalid')} are no programs`,
    '',
    ...table(judged, 'folder', folderOf),
    '',
    ...table(judged, 'operator', ({ operator }) => operator),
    '',
    `${survivors.length} survivors`,
    ...survivors.map(survivor),
    '',
  ].join('\n');
}

/** How much of each folder is reached at all, and the places that the campaign does not reach. */
export function reachReport(mutants: readonly Mutant[], reach: Reach): string {
  const campaign = new Set(reach.campaign);
  const folders = [...new Set(mutants.map(folderOf))].toSorted();
  const row = (name: string, of: readonly Mutant[]) => {
    const [played, tested] = [
      of.filter(({ id }) => campaign.has(id)).length,
      of.filter(({ id }) => id in reach.tests).length,
    ];
    const cells = [String(of.length), percent(played, of.length), percent(tested, of.length)];
    return `${name.padEnd(34)}${cells.map((cell) => cell.padStart(11)).join('')}`;
  };
  const missed = mutants.filter(({ id }) => !campaign.has(id));
  const places = [...new Set(missed.map(({ file }) => file))].map((file) => {
    const lines = missed
      .filter((mutant) => mutant.file === file)
      .map(({ location }) => location.start.line + 1);
    return `${file}: ${[...new Set(lines)].toSorted((a, b) => a - b).join(', ')}`;
  });
  return [
    `${'folder'.padEnd(34)}${['mutants', 'campaign', 'tests'].map((name) => name.padStart(11)).join('')}`,
    ...folders.map((folder) =>
      row(
        folder,
        mutants.filter((mutant) => folderOf(mutant) === folder),
      ),
    ),
    row('all', mutants),
    '',
    'Not reached by the campaign',
    ...places,
    '',
  ].join('\n');
}

const STATUS = {
  killed: 'Killed',
  survived: 'Survived',
  timeout: 'Timeout',
  invalid: 'CompileError',
  equivalent: 'Ignored',
} as const;

/** The report in the schema of mutation-testing-elements. */
function jsonReport(root: string, judged: readonly Judged[]): object {
  const entry = ({ mutant, outcome }: Judged) => {
    const { id, operator, replacement, location } = mutant;
    const position = ({ line, column }: { line: number; column: number }) => ({
      line: line + 1,
      column: column + 1,
    });
    const stage = 'stage' in outcome ? outcome.stage : null;
    return {
      id,
      mutatorName: operator,
      replacement,
      location: { start: position(location.start), end: position(location.end) },
      status: STATUS[outcome.verdict],
      statusReason: outcome.text,
      killedBy: stage === null ? [] : [stage],
      ...('seconds' in outcome ? { duration: Math.round(outcome.seconds * 1_000) } : {}),
    };
  };
  const names = [...new Set(judged.map(({ mutant }) => mutant.file))].toSorted();
  const files = names.map((name) => [
    name,
    {
      language: 'typescript',
      source: readFileSync(join(root, name), 'utf8'),
      mutants: judged.filter(({ mutant }) => mutant.file === name).map(entry),
    },
  ]);
  return {
    schemaVersion: '2',
    thresholds: { high: 97, low: 90 },
    files: Object.fromEntries(files),
    testFiles: { stages: { tests: STAGES.map((name) => ({ id: name, name })) } },
  };
}

/** Writes the report as text, JSON and one HTML file. */
export function writeReports(
  folder: string,
  root: string,
  { judged, title }: { judged: readonly Judged[]; title: string },
): void {
  const json = JSON.stringify(jsonReport(root, judged));
  const elements = readFileSync(
    join(root, 'mutants/node_modules/mutation-testing-elements/dist/mutation-test-elements.js'),
    'utf8',
  );
  // No text of a source may end the script.
  const safe = json.replaceAll('<', '\\u003c');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title.replaceAll('<', '&lt;')}</title></head>
<body><mutation-test-report-app title-postfix="agent-bank-sim"></mutation-test-report-app>
<script>${elements.replaceAll('</script', '<\\/script')}</script>
<script>document.querySelector('mutation-test-report-app').report=${safe}</script></body></html>
`;
  writeFileSync(join(folder, 'mutants.json'), json);
  writeFileSync(join(folder, 'mutants.html'), html);
  writeFileSync(join(folder, 'mutants.txt'), textReport(judged, title));
}
