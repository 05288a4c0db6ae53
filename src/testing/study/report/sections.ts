import { attributes, escapedText } from '../../../api/html/markup.js';
import type { StudyManifest, StudyPoint } from '../results.js';
import type { SweptValue } from '../schema.js';
import { type Change, type Effect, completeRunsOf, differencesOf, effectsOn, shareOf } from './effects.js';
import { type Mark, marksOf } from './marks.js';
import { type Panel, boundsOf, columnsOf, distributionMarkup, panelMarkup, panelsOf } from './plots.js';
import { type KeySeries, type Spread, type StudySeries, median, spreadOf } from './study-series.js';
import { differenceText, figureText, pointText, shortNames, valueText } from './texts.js';

export interface ReportInput {
  readonly manifest: StudyManifest;
  readonly all: StudySeries;
  readonly names: ReadonlyMap<string, string>;
  /** By point. */
  readonly marks: ReadonlyMap<number, Mark[]>;
}

/** Maximum panels of a key. Further points appear only in the tables. */
const MOST_PANELS = 24;

export function reportInput(manifest: StudyManifest, all: StudySeries): ReportInput {
  const marks = manifest.points.map(({ point }): [number, Mark[]] => {
    const runs = manifest.runs.filter((run) => run.point === point).map(({ run }) => run);
    return [point, marksOf(manifest, all, runs)];
  });
  return { manifest, all, names: shortNames(manifest), marks: new Map(marks) };
}

function head(...names: readonly string[]): string {
  return `<thead><tr>${names.map((name) => `<th scope="col">${escapedText(name)}</th>`).join('')}</tr></thead>`;
}

function spreadCells(spread: Spread): string {
  const [, quarter, middle, threeQuarters] = spread.quantiles as [number, number, number, number];
  return [figureText(middle), `${figureText(quarter)} to ${figureText(threeQuarters)}`, String(spread.runs)]
    .map((text) => `<td class="number">${text}</td>`)
    .join('');
}

function distributions(panels: readonly Panel[], { names }: ReportInput): string {
  const bounds = boundsOf(panels.flatMap(({ results }) => spreadOf(results) ?? []));
  const rows = panels.flatMap(({ point, results }) => {
    const spread = spreadOf(results);
    if (spread === null) return [];
    return `<tr><th scope="row">${escapedText(pointText(point, names))}</th><td class="wide">${distributionMarkup(spread, results, bounds)}</td>${spreadCells(spread)}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table>${head('Point', 'Distribution', 'Median', 'Middle half', 'Runs')}<tbody>
${rows.join('\n')}
</tbody></table></div>
`;
}

function effectRow(
  { parameter, value, spread, difference }: Effect,
  names: ReadonlyMap<string, string>,
): string {
  const name = `${names.get(parameter) ?? parameter} ${valueText(value)}`;
  const changed = difference === null ? 'compared with' : differenceText(difference);
  return `<tr><th scope="row">${escapedText(name)}</th>${spreadCells(spread)}<td class="number">${changed}</td></tr>`;
}

/** The effects of each value of each swept option, over all values of the other options. */
function effects(series: KeySeries, { manifest, all, names }: ReportInput): string {
  const found = effectsOn(series, manifest, all);
  if (found.length === 0) return '';
  return `<h4>Effects</h4>
<div class="scroll" tabindex="0"><table class="effects">${head('Value of an option', 'Median', 'Middle half', 'Runs', 'Difference')}<tbody>
${found.map((effect) => effectRow(effect, names)).join('\n')}
</tbody></table></div>
`;
}

/** The plotted numbers as CSV. */
function data(panels: readonly Panel[]): string {
  const lines = panels.flatMap(({ point: { point }, spreads }) =>
    spreads.map(({ tick, runs, quantiles }) => [point, tick, runs, ...quantiles].join(',')),
  );
  return `<details><summary>Data</summary><pre class="csv" tabindex="0">point,tick,runs,p10,p25,median,p75,p90
${lines.join('\n')}</pre></details>
`;
}

/** At most MOST_PANELS panels, spread evenly over the points. */
function shown(panels: readonly Panel[]): readonly Panel[] {
  if (panels.length <= MOST_PANELS) return panels;
  return Array.from(
    { length: MOST_PANELS },
    (_, at) => panels[Math.round((at * (panels.length - 1)) / (MOST_PANELS - 1))] as Panel,
  );
}

/** The plots of a key on one scale, and its tables. */
export function keyMarkup(series: KeySeries, title: string, input: ReportInput): string {
  const { manifest, names } = input;
  const panels = panelsOf(series, input);
  const bounds = boundsOf(panels.flatMap(({ spreads }) => spreads));
  const plots = shown(panels).map((panel) => panelMarkup(panel, { series, bounds, manifest, names }));
  const leftOut = panels.length - plots.length;
  const rest =
    leftOut > 0
      ? `<p class="quiet">${plots.length} of ${panels.length} points; the tables show all points.</p>\n`
      : '';
  const what = series.facts.of === 'tick' ? 'Mean per tick' : 'At the end';
  return `<section${attributes({ class: 'key', 'data-name': `${series.metric} ${series.key}`.toLowerCase() })}>
<h3>${escapedText(title)}</h3>
<div class="plots of-${columnsOf(manifest)}">
${plots.join('')}</div>
${rest}<details><summary>${what}: ${escapedText(overall(panels))}</summary><div class="inside">
<h4>Points</h4>
${distributions(panels, input)}${effects(series, input)}${data(panels)}</div></details>
</section>
`;
}

/** The range of the medians of all points. */
function overall(panels: readonly Panel[]): string {
  const medians = panels.flatMap(({ results }) => {
    const spread = spreadOf(results);
    return spread === null ? [] : [median(spread)];
  });
  if (medians.length === 0) return 'no run was completed';
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  return least === most
    ? `a median of ${figureText(least)}`
    : `medians from ${figureText(least)} to ${figureText(most)}`;
}

/** The name of a metric followed by the key. */
export function fullName({ metric, key }: KeySeries): string {
  return `${metric} ${key}`.trim();
}

/** The plots and tables of a metric, without keys that are shown elsewhere. */
export function metricMarkup(metric: string, apart: ReadonlySet<KeySeries>, input: ReportInput): string {
  const { manifest, all } = input;
  const summary = manifest.metrics[metric]?.summary ?? '';
  const keys = all.keysOf(metric);
  const own = keys.filter((series) => !apart.has(series));
  if (own.length === 0 && keys.length > 0) return '';
  return `<h2>${escapedText(metric)}</h2>
<p class="quiet">${escapedText(summary)}</p>
${keys.length === 0 ? '<p class="quiet">Always 0.</p>\n' : own.map((series) => keyMarkup(series, series.key || metric, input)).join('')}`;
}

function changeRow(change: Change, { names }: ReportInput): string {
  const { series, from, to, before, after } = change;
  const options = differencesOf(from, to).map((path) => {
    const [value, other] = [from.values[path], to.values[path]] as [SweptValue, SweptValue];
    return `${names.get(path) ?? path} ${valueText(value)} → ${valueText(other)}`;
  });
  const numbers = [
    figureText(before),
    figureText(after),
    differenceText(after - before),
    `${Math.round(shareOf(change) * 100)} %`,
  ];
  return `<tr><th scope="row">${escapedText(fullName(series))}</th><td>${escapedText(options.join(', '))}</td>${numbers.map((text) => `<td class="number">${text}</td>`).join('')}</tr>`;
}

export function changesMarkup(changes: readonly Change[], input: ReportInput): string {
  return `<div class="scroll" tabindex="0"><table class="changes">${head('Metric', 'Compared points', 'Median at the first', 'at the second', 'Difference', 'Share')}<tbody>
${changes.map((change) => changeRow(change, input)).join('\n')}
</tbody></table></div>
`;
}

/** Who hits a limit, and how often: refused calls by limit and persona. Empty if the study does not measure them. */
export function limitsMarkup({ manifest, all, names }: ReportInput): string {
  if (manifest.metrics['limitHits'] === undefined) return '';
  const rows = all.keysOf('limitHits').flatMap((series) => {
    const medians = manifest.points
      .map(({ point }) => spreadOf(all.results(series, completeRunsOf(manifest, [point]))))
      .flatMap((spread, at) =>
        spread === null ? [] : { value: median(spread), point: manifest.points[at] as StudyPoint },
      )
      .toSorted((a, b) => b.value - a.value);
    const [most, least] = [medians[0], medians.at(-1)];
    return most === undefined || least === undefined ? [] : { key: series.key, most, least };
  });
  const cells = rows
    .toSorted((a, b) => b.most.value - a.most.value)
    .map(({ key, most, least }) =>
      [most, least].reduce(
        (row, { value, point }) =>
          `${row}<td>${figureText(value)}</td><td>${escapedText(pointText(point, names))}</td>`,
        `<th scope="row">${escapedText(key)}</th>`,
      ),
    );
  const table = `<p class="quiet">Refused calls per tick of ${manifest.study.tick}, by limit and persona: the median of the runs at the points with the most and the fewest refusals.</p>
<div class="scroll" tabindex="0"><table>${head('Limit and persona', 'Most', 'Point', 'Fewest', 'Point')}<tbody>
${cells.map((row) => `<tr>${row}</tr>`).join('\n')}
</tbody></table></div>`;
  return `<h2>Who hits a limit, and how often?</h2>
${cells.length === 0 ? '<p>No call was refused because of a daily limit.</p>' : table}
`;
}
