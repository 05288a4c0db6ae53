import { attributes, escapedText } from '../../../api/html/markup.js';
import type { SweptValue } from '../schema.js';
import { type Change, completeRunsOf, differencesOf, shareOf, valuesOf } from './effects.js';
import { plotsMarkup } from './plots.js';
import type { ReportInput } from './report-input.js';
import { type KeySeries, median, spreadOf } from './study-series.js';
import { numbers, tableMarkup, texts } from './table.js';
import { differenceText, figureText, pointText, shareText, valueText } from './texts.js';

/** Each point, and each value of each swept option over all values of the others. */
function groupsOf({ manifest, names }: ReportInput) {
  const { points, parameters } = manifest;
  const each = points.map((point) => ({ name: pointText(point, names), points: [point.point] }));
  if (parameters.length < 2) return each;
  const values = parameters.flatMap((parameter) =>
    valuesOf(manifest, parameter).map((value) => ({
      name: `all with ${names.get(parameter) ?? parameter} ${valueText(value)}`,
      points: points.filter(({ values: own }) => own[parameter] === value).map(({ point }) => point),
    })),
  );
  return [...each, ...values];
}

/** The results of a key, folded away: its heading has the range of the medians of all points. */
function resultsMarkup(series: KeySeries, input: ReportInput): string {
  const { manifest, all } = input;
  const groups = groupsOf(input).flatMap(({ name, points }) => {
    const spread = spreadOf(all.results(series, completeRunsOf(manifest, points)));
    return spread === null ? [] : [{ name, spread }];
  });
  const medians = groups.map(({ spread }) => median(spread));
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  const range =
    least === most
      ? `a median of ${figureText(least)}`
      : `medians from ${figureText(least)} to ${figureText(most)}`;
  const rows = groups.map(({ name, spread }) => {
    const [, quarter = 0, middle = 0, threeQuarters = 0] = spread.quantiles;
    const half = `${figureText(quarter)} to ${figureText(threeQuarters)}`;
    return [name, figureText(middle), half, String(spread.runs)];
  });
  const columns = [...texts('Point'), ...numbers('Median', 'Middle half', 'Runs')];
  const what = series.facts.of === 'tick' ? 'Mean per tick' : 'At the end';
  return `<details><summary>${what}: ${medians.length === 0 ? 'no run was completed' : range}</summary><div class="inside">
${tableMarkup(columns, rows)}</div></details>
`;
}

export function keyMarkup(series: KeySeries, title: string, input: ReportInput): string {
  return `<section${attributes({ class: 'key', 'data-name': `${series.metric} ${series.key}`.toLowerCase() })}>
<h3>${escapedText(title)}</h3>
${plotsMarkup(series, input)}${resultsMarkup(series, input)}</section>
`;
}

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
${keys.length === 0 ? `<p class="quiet">${manifest.metrics[metric]?.hasGaps === true ? 'No values.' : 'Always 0.'}</p>\n` : own.map((series) => keyMarkup(series, series.key || metric, input)).join('')}`;
}

/** The metrics that the sweep changes, each with the two points that differ most. */
export function changesMarkup(changes: readonly Change[], { names }: ReportInput): string {
  const rows = changes.map((change) => {
    const { series, option, from, to, before, after } = change;
    const options = differencesOf(from, to).map((path) => {
      const [value, other] = [from.values[path], to.values[path]] as [SweptValue, SweptValue];
      return `${names.get(path) ?? path} ${valueText(value)} → ${valueText(other)}`;
    });
    const others = Object.entries(from.values).filter(([path]) => path !== option);
    const at =
      option === null ? [] : others.map(([path, value]) => `${names.get(path) ?? path} ${valueText(value)}`);
    const figures = [figureText(before), figureText(after), differenceText(after - before)];
    const compared = [options.join(', '), ...at].join('; ');
    return [fullName(series), compared, ...figures, shareText(shareOf(change))];
  });
  const columns = [
    ...texts('Metric', 'Compared points'),
    ...numbers('Median at the first', 'at the second', 'Difference', 'Share'),
  ];
  return tableMarkup(columns, rows);
}
