/** One line of the report. Numbers are in `unit`; a row without target is informational. */
export interface Row {
  readonly name: string;
  readonly unit: 'ms' | 'µs' | '1/s' | 'bytes';
  readonly measured: number;
  /** The best that the same machine can do, measured in the same run; null for a fixed target. */
  readonly ceiling: number | null;
  readonly target: Target | null;
}

/** A limit for the ratio of measured to ceiling, or for the measured number when there is no ceiling. */
export interface Target {
  readonly kind: 'at most' | 'at least';
  readonly value: number;
}

/** One group of rows. */
export interface Benchmark {
  readonly name: string;
  readonly run: () => Promise<readonly Row[]>;
}

const WIDTHS = [60, 14, 14, 8, 18, 7] as const;

function line([name = '', ...others]: readonly string[]): string {
  const columns = others.map((cell, at) => cell.padStart(WIDTHS[at + 1] ?? 0));
  return `${[name.padEnd(WIDTHS[0]), ...columns].join('  ').trimEnd()}\n`;
}

/** The names of the columns. */
export const HEAD = line(['name', 'measured', 'ceiling', 'ratio', 'target', 'verdict']);

function number(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

function verdict({ measured, ceiling, target }: Row): string {
  if (target === null) return 'informs';
  const value = ceiling === null ? measured : measured / ceiling;
  const met = target.kind === 'at most' ? value <= target.value : value >= target.value;
  return met ? 'met' : 'MISSED';
}

function cells(row: Row): string[] {
  const { name, unit, measured, ceiling, target } = row;
  const wanted =
    target === null
      ? '-'
      : `${target.kind} ${target.value.toLocaleString('en-US')}${ceiling === null ? ` ${unit}` : 'x'}`;
  return [
    name,
    `${number(measured)} ${unit}`,
    ceiling === null ? '-' : `${number(ceiling)} ${unit}`,
    ceiling === null ? '-' : `${(measured / ceiling).toFixed(2)}x`,
    wanted,
    verdict(row),
  ];
}

/** A row as a line of the table. */
export function lineOf(row: Row): string {
  return line(cells(row));
}
