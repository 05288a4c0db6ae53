import { attributes, escapedText } from '../../../api/html/markup.js';

const EDGE = 8;
const TOP = 14;
const BOTTOM = 14;
/** The default maximum of points of a line: more would be indistinguishable. */
const POINTS = 400;

/** A coordinate, in tenths. */
export function coordinate(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Reduces points to equal distances, keeping the first and the last. */
export function thinned<T>(points: readonly T[], most = POINTS): readonly T[] {
  if (points.length <= most) return points;
  const every = (points.length - 1) / (most - 1);
  const kept = new Set(Array.from({ length: most }, (_, at) => Math.round(at * every)));
  return points.filter((_, at) => kept.has(at));
}

/** Maps shares of the width and of the height, from 0 to 1, to coordinates of a chart. */
export interface Scale {
  readonly x: (share: number) => string;
  readonly y: (share: number) => string;
  /** A line from the top of the chart to its axis. */
  readonly upright: (share: number) => string;
}

/** A chart as SVG. All members are texts except `lines`, which is markup. */
export interface LineChart {
  readonly width: number;
  readonly height: number;
  readonly caption: string;
  /** A description for screen readers. */
  readonly label: string;
  /** Labels at the top of the vertical axis, and at both ends of the horizontal axis. */
  readonly highest: string;
  /** A label above the horizontal axis, when the axis is not at 0. */
  readonly lowest?: string | undefined;
  readonly start: string;
  readonly end: string;
  readonly lines: (scale: Scale) => string;
}

/** A figure with lines over a horizontal axis. */
export function chartMarkup(chart: LineChart): string {
  const { width, height, caption, label, highest, lowest, start, end, lines } = chart;
  const base = height - BOTTOM;
  const right = width - EDGE;
  const x = (share: number) => coordinate(EDGE + share * (right - EDGE));
  const y = (share: number) => coordinate(base - share * (base - TOP));
  const low = lowest === undefined ? '' : `<text x="${EDGE}" y="${base - 3}">${escapedText(lowest)}</text>`;
  const upright = (share: number) => `M${x(share)} ${TOP}V${base}`;
  return `<figure><figcaption>${escapedText(caption)}</figcaption>
<svg${attributes({ viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label })}>
<path class="axis" d="M${EDGE} ${base}H${right}M${EDGE} ${TOP}H${right}"/>${lines({ x, y, upright })}
${low}<text x="${EDGE}" y="${TOP - 4}">${escapedText(highest)}</text><text x="${EDGE}" y="${height - 3}">${escapedText(start)}</text>
<text x="${right}" y="${height - 3}" text-anchor="end">${escapedText(end)}</text>
</svg></figure>
`;
}
