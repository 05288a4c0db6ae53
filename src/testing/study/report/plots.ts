import { type Scale, chartMarkup, coordinate, thinned } from '../../../api/html/chart.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { isoOf } from '../../../core/domain/calendar.js';
import type { StudyManifest, StudyPoint } from '../results.js';
import { completeRunsOf, runsOf, valuesOf } from './effects.js';
import type { Mark } from './marks.js';
import {
  type KeySeries,
  SHARES,
  type Spread,
  type SpreadAt,
  type StudySeries,
  median,
} from './study-series.js';
import { figureText, pointText } from './texts.js';

/** The total width of the panels in a row. */
const ROW_WIDTH = 1_240;
const MOST_COLUMNS = 4;
const HEIGHT = 130;
/** Maximum plotted ticks: a panel is narrow, and a page has hundreds of panels. */
const POINTS = 100;
const BAR = 240;
const BAR_HEIGHT = 14;
const SECOND_PLACE = 10;

/** The bounds of the vertical axis of all panels of a key. */
export interface Bounds {
  readonly lowest: number;
  readonly highest: number;
}

/** A point with the measurements of its runs. */
export interface Panel {
  readonly point: StudyPoint;
  readonly spreads: readonly SpreadAt[];
  readonly results: readonly number[];
  readonly marks: readonly Mark[];
}

/** Panels in a row: the number of values of the last option, if it is small. */
export function columnsOf(manifest: StudyManifest): number {
  const { points, parameters, study } = manifest;
  const last = parameters.at(-1);
  const values = last === undefined || study.design !== 'grid' ? points : valuesOf(manifest, last);
  return Math.min(MOST_COLUMNS, values.length);
}

/** The bounds of values, starting at 0 unless that would hide their differences. */
export function boundsOf(spreads: readonly Spread[]): Bounds {
  const least = Math.min(...spreads.map((spread) => spread.least));
  const most = Math.max(...spreads.map((spread) => spread.most));
  const lowest = least < 0 || least > most / 2 ? least : 0;
  return { lowest, highest: most === lowest ? lowest + 1 : most };
}

export function panelsOf(
  series: KeySeries,
  { manifest, all, marks }: { manifest: StudyManifest; all: StudySeries; marks: ReadonlyMap<number, Mark[]> },
): Panel[] {
  return manifest.points.map((point) => {
    const runs = runsOf(manifest, [point.point]);
    return {
      point,
      spreads: all.over(series, runs, thinned(all.ticksOf(runs), undefined, POINTS)),
      results: all.results(series, completeRunsOf(manifest, [point.point])),
      marks: marks.get(point.point) ?? [],
    };
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
export function panelMarkup(
  { point, spreads, marks }: Panel,
  {
    series,
    bounds,
    manifest,
    names,
  }: { series: KeySeries; bounds: Bounds; manifest: StudyManifest; names: ReadonlyMap<string, string> },
): string {
  const last = spreads.at(-1);
  if (last === undefined) return '';
  const caption = pointText(point, names);
  const { ticks } = manifest;
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

/** The distribution of results as a bar: range, middle half, median, and a dot for each run. */
export function distributionMarkup(spread: Spread, results: readonly number[], bounds: Bounds): string {
  const x = (value: number) =>
    coordinate(4 + ((BAR - 8) * (value - bounds.lowest)) / (bounds.highest - bounds.lowest));
  const [, quarter, middle, threeQuarters] = spread.quantiles as [number, number, number, number, number];
  const half = BAR_HEIGHT / 2;
  const width = coordinate(Math.max(1, Number(x(threeQuarters)) - Number(x(quarter))));
  const dots = results.map((value) => `<circle cx="${x(value)}" cy="${half}" r="1.6"/>`).join('');
  const label = `from ${figureText(spread.least)} to ${figureText(spread.most)}, median ${figureText(middle)}`;
  return `<svg${attributes({ class: 'spread', viewBox: `0 0 ${BAR} ${BAR_HEIGHT}`, role: 'img', 'aria-label': label })}><title>${escapedText(label)}</title><path class="axis" d="M${x(spread.least)} ${half}H${x(spread.most)}"/><rect class="inner" x="${x(quarter)}" y="2" width="${width}" height="${BAR_HEIGHT - 4}"/><path class="median" d="M${x(middle)} 1V${BAR_HEIGHT - 1}"/>${dots}</svg>`;
}
