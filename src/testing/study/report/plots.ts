import { type Scale, chartMarkup, thinned } from './chart.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { isoOf } from '../../../core/domain/calendar.js';
import type { StudyManifest, StudyPoint } from '../results.js';
import { valuesOf } from './effects.js';
import type { Mark, ReportInput } from './report-input.js';
import { type KeySeries, SHARES, type SpreadAt, median } from './study-series.js';
import { figureText, pointText } from './texts.js';

/** The total width of the panels in a row. */
const ROW_WIDTH = 1_240;
const MOST_COLUMNS = 4;
const HEIGHT = 130;
/** Maximum plotted ticks: a panel is narrow, and a page has hundreds of panels. */
const POINTS = 100;
/** Maximum panels of a key. Further points appear only in the tables. */
const MOST_PANELS = 24;
const SECOND_PLACE = 10;

/** The bounds of the vertical axis of all panels of a key. */
export interface Bounds {
  readonly lowest: number;
  readonly highest: number;
}

/** A point with the measurements of its runs. */
interface Panel {
  readonly point: StudyPoint;
  readonly spreads: readonly SpreadAt[];
  readonly marks: readonly Mark[];
}

/** Panels in a row: the number of values of the last option, if it is small. */
function columnsOf(manifest: StudyManifest): number {
  const { points, parameters, study } = manifest;
  const last = parameters.at(-1);
  const values = last === undefined || study.design !== 'grid' ? points : valuesOf(manifest, last);
  return Math.min(MOST_COLUMNS, values.length);
}

/** The bounds of values, starting at 0 unless that would hide their differences. */
export function boundsOf(spreads: readonly Pick<SpreadAt, 'least' | 'most'>[]): Bounds {
  const least = Math.min(...spreads.map((spread) => spread.least));
  const most = Math.max(...spreads.map((spread) => spread.most));
  const lowest = least < 0 || least > most / 2 ? least : 0;
  return { lowest, highest: most === lowest ? lowest + 1 : most };
}

/** At most MOST_PANELS panels, spread evenly over the points. */
function panelsOf(series: KeySeries, { manifest, all, marks }: ReportInput): Panel[] {
  return thinned(manifest.points, MOST_PANELS).map((point) => {
    const runs = manifest.runs.filter((run) => run.point === point.point).map(({ run }) => run);
    const spreads = thinned(all.over(series, runs), POINTS);
    return { point, spreads, marks: marks.get(point.point) ?? [] };
  });
}

function dateOf({ startTime, tickMs }: StudyManifest, tick: number): string {
  return isoOf(Date.parse(startTime) + tick * tickMs).slice(0, SECOND_PLACE);
}

type Place = (at: SpreadAt, of: number) => string;

function band(spreads: readonly SpreadAt[], place: Place, [low, high]: readonly [number, number]): string {
  const upper = spreads.map((at) => place(at, at.quantiles[high] as number));
  const lower = spreads.toReversed().map((at) => place(at, at.quantiles[low] as number));
  return `M${[...upper, ...lower].join('L')}Z`;
}

function markLines(marks: readonly Mark[], ticks: number, { upright }: Scale): string {
  return marks
    .map(
      ({ tick, kind, text }) =>
        `<path${attributes({ class: kind, d: upright(Math.min(1, tick / ticks)) })}><title>${escapedText(`tick ${figureText(tick)}: ${text}`)}</title></path>`,
    )
    .join('');
}

/** The plot of a panel: the median of the runs, the band of their middle half, and the band from the 10th to the 90th percentile. */
function panelMarkup(
  { point, spreads, marks }: Panel,
  { series, bounds, input }: { series: KeySeries; bounds: Bounds; input: ReportInput },
): string {
  const last = spreads.at(-1);
  if (last === undefined) return '';
  const { manifest, names } = input;
  const { ticks } = manifest;
  const caption = pointText(point, names);
  const share = (value: number) => (value - bounds.lowest) / (bounds.highest - bounds.lowest);
  return chartMarkup({
    width: Math.round(ROW_WIDTH / columnsOf(manifest)),
    height: HEIGHT,
    caption,
    label: `${series.metric} ${series.key}, ${caption}: the median is ${figureText(median(last))} at tick ${last.tick}`,
    highest: figureText(bounds.highest),
    lowest: bounds.lowest === 0 ? undefined : figureText(bounds.lowest),
    start: dateOf(manifest, 0),
    end: dateOf(manifest, ticks),
    lines: (scale) => {
      const place: Place = ({ tick }, value) => `${scale.x(tick / ticks)} ${scale.y(share(value))}`;
      const middle = spreads.map((at) => place(at, median(at))).join('L');
      return `<path class="outer" d="${band(spreads, place, [0, SHARES.length - 1])}"/><path class="inner" d="${band(spreads, place, [1, SHARES.length - 2])}"/>${markLines(marks, ticks, scale)}<path class="median" d="M${middle}h0"/>`;
    },
  });
}

/** The plots of a key on one scale, a panel for each point, in rows as wide as the page. */
export function plotsMarkup(series: KeySeries, input: ReportInput): string {
  const { manifest } = input;
  const panels = panelsOf(series, input);
  const bounds = boundsOf(panels.flatMap(({ spreads }) => spreads));
  const plots = panels.map((panel) => panelMarkup(panel, { series, bounds, input }));
  const points = manifest.points.length;
  const note =
    plots.length < points
      ? `<p class="quiet">${plots.length} of ${points} points; the table shows all points.</p>\n`
      : '';
  return `<div class="plots of-${columnsOf(manifest)}">
${plots.join('')}</div>
${note}`;
}
