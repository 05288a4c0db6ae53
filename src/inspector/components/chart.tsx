import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { instantText, amountText } from '../text/format.js';
import { useMedia } from './media.js';
import { Empty, ReadPanel } from './panel.js';

export interface ChartLine {
  readonly name: string;
  readonly values: readonly number[];
  readonly isBars?: boolean;
  readonly isBad?: boolean;
}

interface ChartProps {
  readonly label: string;
  readonly at: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
}

const HEIGHT = 180;
const COLORS = 6;
const AXIS_FONT = '11px system-ui, sans-serif';

function colorsOf(element: Element) {
  const style = getComputedStyle(element);
  const named = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: (at: number) => named(`--chart-${(at % COLORS) + 1}`),
    bad: named('--bad'),
    quiet: named('--quiet'),
    grid: named('--line'),
  };
}

const DAY_S = 86_400;

/** Labels of the horizontal axis: days, or hours and minutes when the marks are closer. */
function timeText(seconds: number, stepS: number): string {
  const iso = new Date(seconds * 1_000).toISOString();
  return stepS >= DAY_S ? iso.slice(5, 10) : iso.slice(11, stepS >= 60 ? 16 : 19);
}

/** Formats a value of the legend: the last one, while the cursor points at none. */
const legendText =
  (format: (value: number) => string) =>
  (plot: uPlot, value: number | null, series: number): string =>
    format(value ?? plot.data[series]?.at(-1) ?? 0);

const minuteText = (seconds: number) => instantText(new Date(seconds * 1_000).toISOString()).slice(0, 16);

function optionsOf(element: HTMLElement, { lines, format }: ChartProps): uPlot.Options {
  const { line, bad, quiet, grid } = colorsOf(element);
  const axis = { stroke: quiet, font: AXIS_FONT, ticks: { show: false }, grid: { stroke: grid, width: 1 } };
  // Balances and rates hold until they change.
  const { stepped, bars } = uPlot.paths as Required<typeof uPlot.paths>;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    // The world's time is shown in UTC, as everywhere.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false, points: { size: 7 } },
    series: [
      { label: 'Time', value: legendText(minuteText) },
      ...lines.map(({ name, isBars = false, isBad = false }, at) => {
        const color = isBad ? bad : line(at);
        return {
          label: name,
          stroke: color,
          width: 1.6,
          points: { show: false },
          value: legendText(format),
          ...(isBars ? { fill: color } : {}),
          paths: isBars ? bars({ size: [0.8, 24] }) : stepped({ align: 1 }),
        };
      }),
    ],
    axes: [
      {
        ...axis,
        size: 30,
        space: 64,
        values: (_, splits, __, ___, stepS) => splits.map((seconds) => timeText(seconds, stepS)),
      },
      { ...axis, size: 76, values: (_, ticks) => ticks.map(format) },
    ],
  };
}

export function Chart(props: ChartProps) {
  const { label, at, lines, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const plot = useRef<uPlot | null>(null);
  const names = lines.map(({ name }) => name).join('|');
  const isEmpty = at.length < 2 || lines.length === 0;
  const data = [at.map((each) => Date.parse(each) / 1_000), ...lines.map(({ values }) => [...values])];
  useEffect(() => {
    const { current } = box;
    if (current === null || isEmpty) return undefined;
    const made = new uPlot(optionsOf(current, props), data as uPlot.AlignedData, current);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }));
    observer.observe(current);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [names, isDark, isEmpty]);
  const last = at.at(-1);
  const changed = `${at.length} ${last ?? ''} ${lines.map(({ values }) => values.at(-1)).join(' ')}`;
  useEffect(() => plot.current?.setData(data as uPlot.AlignedData), [changed]);
  if (isEmpty) return <Empty>Nothing has changed yet, so there is nothing to draw.</Empty>;
  const values = lines.map(({ name, values: all }) => `${name} ${format(all.at(-1) ?? 0)}`);
  return (
    <div>
      <div ref={box} role="img" aria-label={`${label}: ${values.join(', ')}`} />
    </div>
  );
}

/** The drawn accounts. Debts grow beyond the principal on the books. */
const DRAWN: Readonly<Record<string, string>> = {
  checking: 'checking',
  savings: 'savings',
  collateral_loan: 'collateral loan, principal',
  credit_line: 'credit line, principal',
  pending: 'pending',
};

/** Balances in USDC over time, of one agent or of all. */
export function BalanceChart({ wallet }: { readonly wallet?: string }) {
  const query = { token: 'USDC', ...(wallet === undefined ? {} : { wallet }) } as const;
  return (
    <ReadPanel title="Balances over time" note="USDC" command="balanceSeries" ask={{ query }}>
      {({ at, series }) => (
        <Chart
          label="Balances over time"
          at={at}
          lines={series.flatMap(({ account, values }) => {
            const name = DRAWN[account];
            return name === undefined ? [] : [{ name, values }];
          })}
          format={(value) => amountText(value, 'USDC')}
        />
      )}
    </ReadPanel>
  );
}
