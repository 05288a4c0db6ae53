import { counted } from '../../../core/counted.js';
import type { OutflowKind } from '../../../core/domain/entry.js';
import type { StudyRun } from '../results.js';
import type { ReportInput } from './report-input.js';
import { type Column, numbers, tableMarkup, texts } from './table.js';
import { figureText, shareText, valueText } from './texts.js';

/** Maximum points on the first screen. */
const MOST_POINTS = 12;

const LIMITED: Readonly<Record<OutflowKind, string>> = { withdraw: 'Withdrawals', x402: 'Payments' };

interface Count {
  readonly name: string;
  readonly calls: number;
  readonly refused: number;
}

const shareOf = ({ calls, refused }: Omit<Count, 'name'>) => (calls === 0 ? 0 : refused / calls);

function total(counts: readonly Omit<Count, 'name'>[]): Omit<Count, 'name'> {
  const sum = (of: 'calls' | 'refused') => counts.reduce((all, count) => all + count[of], 0);
  return { calls: sum('calls'), refused: sum('refused') };
}

/** The calls under a limit in runs, by persona, the largest refused share first. */
function countsOf(kind: OutflowKind, runs: readonly StudyRun[]): Count[] {
  const byName = new Map<string, Count>();
  for (const { limits } of runs)
    for (const [key, count] of Object.entries(limits)) {
      if (!key.startsWith(`${kind}/`)) continue;
      const name = key.slice(kind.length + 1);
      byName.set(name, { name, ...total([count, byName.get(name) ?? { calls: 0, refused: 0 }]) });
    }
  return [...byName.values()].toSorted((a, b) => shareOf(b) - shareOf(a));
}

/** Who hits a daily limit, and how often: for each point, the share of calls that each limit refused, by persona. Empty without such calls. */
export function limitsMarkup({ manifest, names }: ReportInput): string {
  const complete = manifest.runs.filter(({ failure }) => failure === null);
  const kinds = (Object.keys(LIMITED) as OutflowKind[])
    .map((kind) => ({ kind, all: total(countsOf(kind, complete)) }))
    .filter(({ all }) => all.calls > 0)
    .toSorted((a, b) => shareOf(b.all) - shareOf(a.all));
  if (kinds.length === 0) return '';
  const rows = manifest.points
    .map((point) => {
      const runs = complete.filter((run) => run.point === point.point);
      const counts = kinds.map(({ kind }) => countsOf(kind, runs));
      const cells = counts.flatMap((of) => {
        const all = total(of);
        const who = of.map((each) => `${each.name} ${shareText(shareOf(each))}`);
        return [figureText(all.calls), shareText(shareOf(all)), who.join(', ')];
      });
      const name = [String(point.point), ...Object.values(point.values).map(valueText)];
      return { share: shareOf(total(counts.flat())), cells: [...name, ...cells] };
    })
    .toSorted((a, b) => b.share - a.share)
    .map(({ cells }) => cells);
  const columns: Column[] = [
    ...texts('Point', ...names.values()),
    ...kinds.flatMap(({ kind }) => [...numbers(LIMITED[kind], 'Refused'), ...texts('By persona')]),
  ];
  const rest = rows.slice(MOST_POINTS);
  const folded =
    rest.length === 0
      ? ''
      : `<details><summary>${counted(rest.length, 'more point')}</summary>${tableMarkup(columns, rest)}</details>\n`;
  return `<h2>Who hits a daily limit, and how often?</h2>
<p class="quiet">The calls of all runs together, and the share of them that the limit refused: of all, and of each persona's calls. refusedShare in summary.csv is the mean of the runs' shares.</p>
${tableMarkup(columns, rows.slice(0, MOST_POINTS))}${folded}`;
}
