import { coordinate, thinned } from './chart.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { type Interval, intervalOf } from '../interval.js';
import type { StudyPoint } from '../results.js';
import type { SweptValue } from '../schema.js';
import { type Change, completeRunsOf, differencesOf, valuesOf } from './effects.js';
import { type Bounds, boundsOf } from './plots.js';
import type { ReportInput } from './report-input.js';
import { fullName } from './sections.js';
import { grouped } from './study-series.js';
import { figureText, pointText } from './texts.js';

const [WIDTH, HEIGHT] = [400, 210];
const [LEFT, RIGHT, TOP, BASE] = [60, 392, 24, 164];
/** Distance of the outermost values from the ends of the horizontal axis. */
const INSET = 40;
const LETTER_WIDTH = 5;
const MOST_LETTERS = 16;
/** Maximum plots of an effect: one for each combination of the other options. */
const MOST_PLOTS = 12;
const STEPS = 6;
const DIGITS = 12;

interface Dot extends Interval {
  /** The bounds of its interval; its mean without one. */
  readonly least: number;
  readonly most: number;
  readonly x: number;
  readonly name: string;
}

/** Shares of the horizontal axis, by value: in proportion for numbers, otherwise at equal distances. */
function sharesOf(values: readonly SweptValue[]): ReadonlyMap<SweptValue, number> {
  const isNumeric = values.every((value) => typeof value === 'number');
  const at = values.map((value, index) => (isNumeric ? Number(value) : index));
  const [least, most] = [Math.min(...at), Math.max(...at)];
  return new Map(
    values.map((value, index) => [value, ((at[index] as number) - least) / (most - least || 1)]),
  );
}

/** Round numbers between bounds. */
function stepsOf({ lowest, highest }: Bounds): number[] {
  const rough = (highest - lowest) / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10);
  const [first, last] = [Math.ceil(lowest / step), Math.floor(highest / step)];
  return Array.from({ length: last - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(DIGITS)),
  );
}

function textMarkup(text: string, x: number, y: number, anchor = 'middle'): string {
  return `<text${attributes({ x: coordinate(x), y: coordinate(y), 'text-anchor': anchor })}>${escapedText(text)}</text>`;
}

/** The names of values below the axis, in two rows. Long names are cut; those without a place are left out. */
function namesMarkup(dots: readonly Dot[]): string {
  const ends = [0, 0];
  return dots
    .map(({ x, name }) => {
      const text = name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
      const half = ((text.length + 1) * LETTER_WIDTH) / 2;
      const row = ends.findIndex((end) => x - half >= end);
      if (row === -1) return '';
      ends[row] = x + half;
      return textMarkup(text, x, BASE + 13 + row * 11);
    })
    .join('');
}

/** A plot of means and intervals. It contains its own labels, so that it can be saved alone. */
function plotMarkup(
  dots: readonly Dot[],
  {
    title,
    axis,
    option,
    bounds,
    isLine,
  }: { title: string; axis: string; option: string; bounds: Bounds; isLine: boolean },
): string {
  const { lowest, highest } = bounds;
  const y = (value: number) => coordinate(BASE - ((value - lowest) / (highest - lowest)) * (BASE - TOP));
  const steps = stepsOf(bounds);
  const grid = steps.map((value) => `M${LEFT} ${y(value)}H${RIGHT}`).join('');
  const figures = steps.map((value) => textMarkup(figureText(value), LEFT - 5, Number(y(value)) + 3, 'end'));
  const at = ({ x, mean }: Dot) => `${coordinate(x)} ${y(mean)}`;
  const line = isLine ? `M${dots.map(at).join('L')}` : '';
  const spans = dots.map(({ x, least, most }) => `M${coordinate(x)} ${y(least)}V${y(most)}`).join('');
  const circles = dots.map(({ x, name, n, mean, low, high }) => {
    const interval = n > 1 ? `, ${figureText(low)} to ${figureText(high)}` : '';
    const text = escapedText(`${name}: ${figureText(mean)}${interval}`);
    return `<circle${attributes({ cx: coordinate(x), cy: y(mean), r: 3 })}><title>${text}</title></circle>`;
  });
  return `<figure><svg${attributes({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title} by ${option}` })}>
<path class="axis" d="${grid}"/><path class="interval" d="${line}${spans}"/>${circles.join('')}
${textMarkup(axis, 2, 10, 'start')}${figures.join('')}${namesMarkup(dots)}${textMarkup(option, (LEFT + RIGHT) / 2, HEIGHT - 6)}
</svg><figcaption><a${attributes({ href: '#', download: `${title}.svg` })}>Save as SVG</a></figcaption></figure>
`;
}

/** The points that differ in one option only, by what they have in common; all points of a Latin hypercube. */
function facetsOf(option: string, { manifest, names }: ReportInput): [string, StudyPoint[]][] {
  const isGrid = manifest.study.design === 'grid';
  const othersOf = ({ values: { [option]: _swept, ...others } }: StudyPoint) => (isGrid ? others : {});
  // By content: a long value is cut in its name.
  const facets = grouped(manifest.points, (point) => JSON.stringify(othersOf(point)));
  return [...facets.values()].map((points) => {
    const values = othersOf(points[0] as StudyPoint);
    const name = Object.keys(values).length === 0 ? '' : `, ${pointText({ values }, names)}`;
    return [name, points];
  });
}

/** The option of a change; where its points differ in several, the one whose values differ most in their mean. */
function optionOf({ series, option: only, from, to }: Change, { manifest, all }: ReportInput): string {
  if (only !== null) return only;
  const rangeOf = (option: string) => {
    const means = valuesOf(manifest, option).flatMap((value) => {
      const points = manifest.points.filter(({ values }) => values[option] === value);
      const runs = completeRunsOf(
        manifest,
        points.map(({ point }) => point),
      );
      const { n, mean } = intervalOf(all.results(series, runs));
      return n === 0 ? [] : [mean];
    });
    return Math.max(...means) - Math.min(...means);
  };
  return differencesOf(from, to).reduce((best, option) => (rangeOf(option) > rangeOf(best) ? option : best));
}

function effectMarkup(change: Change, input: ReportInput): string {
  const { manifest, all, names } = input;
  const option = optionOf(change, input);
  const values = valuesOf(manifest, option);
  const shares = sharesOf(values);
  const dotOf = ({ point, values: own }: StudyPoint): Dot => {
    const value = own[option] as SweptValue;
    const interval = intervalOf(all.results(change.series, completeRunsOf(manifest, [point])));
    const { n, mean, low, high } = interval;
    return {
      ...interval,
      x: LEFT + INSET + (shares.get(value) as number) * (RIGHT - LEFT - 2 * INSET),
      name: typeof value === 'number' ? figureText(value) : String(value),
      least: n > 1 ? low : mean,
      most: n > 1 ? high : mean,
    };
  };
  const plots = thinned(facetsOf(option, input), MOST_PLOTS).map(([name, points]) => ({
    title: fullName(change.series) + name,
    dots: points
      .map(dotOf)
      .filter(({ n }) => n > 0)
      .toSorted((a, b) => a.x - b.x),
  }));
  const bounds = boundsOf(plots.flatMap(({ dots }) => dots));
  const { unit = '' } = change.series.facts;
  const isLine = manifest.study.design === 'grid' && values.every((value) => typeof value === 'number');
  return plots
    .map(({ title, dots }) =>
      plotMarkup(dots, {
        title,
        axis: unit === '' ? title : `${title}, ${unit}`,
        option: names.get(option) ?? option,
        bounds,
        isLine,
      }),
    )
    .join('');
}

/** The effects of the sweep: the mean of each point's runs and its 95 % t-interval. */
export function intervalsMarkup(changes: readonly Change[], input: ReportInput): string {
  const drawn = changes.filter(({ from, to }) => differencesOf(from, to).length > 0);
  return `<p class="quiet">The mean of each point's completed runs, with its 95 % t-interval; the numbers are in <code>summary.csv</code>.</p>
<div class="intervals">
${drawn.map((change) => effectMarkup(change, input)).join('')}</div>
`;
}
