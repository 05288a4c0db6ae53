import type * as Hyparquet from 'hyparquet-writer';
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { csvRows, csvText } from '../../core/csv.js';
import { isoOf } from '../../core/domain/calendar.js';
import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';
import type { StudyPlan } from './plan.js';
import type { RunResult } from './play/play-run.js';
import type { ResultFolder } from './result-folder.js';
import type { MetricRow } from './results.js';
import type { SweptValue } from './schema.js';

/** The rows of a run by tick; within a tick, metrics and keys are in the order of first appearance. */
export function rowsOf(
  { startMs, tickMs, points, study }: StudyPlan,
  { run, point, repetition, series }: RunResult,
): MetricRow[] {
  const values = points[point - 1]?.values ?? {};
  const parameters = Object.keys(study.sweep).map((path) => values[path] as SweptValue);
  const rows: MetricRow[] = [];
  for (let index = 0; index < series.rows.length; index += 3) {
    const [tick = 0, number = 0, value = 0] = series.rows.slice(index, index + 3);
    const [metric, key] = series.keys[number] as readonly [string, string];
    const at = isoOf(startMs + tick * tickMs);
    rows.push({ point, parameters, repetition, run, tick, at, metric, key, value });
  }
  return rows;
}

/** The columns of `metrics.csv` and `metrics.parquet`. The swept options follow the point. */
const TYPES = {
  point: 'INT32',
  repetition: 'INT32',
  run: 'INT32',
  tick: 'INT32',
  at: 'TIMESTAMP',
  metric: 'STRING',
  key: 'STRING',
  value: 'DOUBLE',
} as const satisfies Record<keyof Omit<MetricRow, 'parameters'>, string>;
const NAMES = Object.keys(TYPES) as (keyof typeof TYPES)[];

interface Column {
  readonly name: string;
  readonly type: (typeof TYPES)[keyof typeof TYPES];
  readonly of: (row: MetricRow) => SweptValue;
}

/** The columns of a study. A swept option is a column of numbers if all its values are numbers. */
function columnsOf({ study, points }: Pick<StudyPlan, 'study' | 'points'>): Column[] {
  const parameters = Object.keys(study.sweep).map((name, at): Column => {
    const isNumber = points.every(({ values }) => typeof values[name] === 'number');
    return isNumber
      ? { name, type: 'DOUBLE', of: ({ parameters: values }) => values[at] as number }
      : { name, type: 'STRING', of: ({ parameters: values }) => String(values[at]) };
  });
  const own = NAMES.map((name): Column => ({ name, type: TYPES[name], of: (row) => row[name] }));
  return [...own.slice(0, 1), ...parameters, ...own.slice(1)];
}

/** Writes `metrics.csv` and `metrics.parquet` run by run, so that memory holds one run. */
export class MetricsWriter {
  readonly #folder: ResultFolder;
  readonly #columns: readonly Column[];
  /** Its name ends in `.new` until it is complete. */
  readonly #csv: string;
  readonly #file: number;
  readonly #bytes: Hyparquet.ByteWriter;
  readonly #parquet: Hyparquet.ParquetWriter;

  private constructor(
    { ByteWriter, ParquetWriter, schemaFromColumnData }: typeof Hyparquet,
    folder: ResultFolder,
    plan: StudyPlan,
  ) {
    this.#folder = folder;
    this.#columns = columnsOf(plan);
    this.#bytes = new ByteWriter();
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: this.#sources([]) }),
    });
    this.#csv = join(folder.path, 'metrics.csv');
    this.#file = openSync(`${this.#csv}.new`, 'w');
    writeSync(this.#file, csvText([this.#columns.map(({ name }) => name)]));
  }

  static async begin(folder: ResultFolder, plan: StudyPlan): Promise<MetricsWriter> {
    return new MetricsWriter(await import('hyparquet-writer'), folder, plan);
  }

  #sources(rows: readonly MetricRow[]): Hyparquet.ColumnSource[] {
    return this.#columns.map(({ name, type, of }) => {
      const values = rows.map(of);
      return { name, type, data: type === 'TIMESTAMP' ? values.map((at) => new Date(at as string)) : values };
    });
  }

  async write(rows: readonly MetricRow[]): Promise<void> {
    if (rows.length === 0) return;
    writeSync(this.#file, csvText(rows.map((row) => this.#columns.map(({ of }) => of(row)))));
    await this.#parquet.write({ columnData: this.#sources(rows), rowGroupSize: rows.length });
  }

  async finish(): Promise<void> {
    closeSync(this.#file);
    await this.#parquet.finish();
    this.#folder.write('metrics.parquet', this.#bytes.getBytes());
    renameSync(`${this.#csv}.new`, this.#csv);
  }
}

function sweptValue(text: string): SweptValue {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Reads `metrics.csv`. Parses swept values that look like numbers as numbers. */
export function readMetrics(path: string): {
  readonly parameters: readonly string[];
  readonly rows: MetricRow[];
} {
  const [columns = [], ...records] = csvRows(readUserText(path, MAX_LOG_BYTES).trimEnd());
  const parameters = columns.slice(1, columns.indexOf('repetition', 1));
  const rows = records.map(([point = '', ...rest]) => {
    const cells = [point, ...rest.splice(parameters.length)];
    const members = NAMES.map((name, at) => {
      const text = cells[at];
      return [name, ['INT32', 'DOUBLE'].includes(TYPES[name]) ? Number(text ?? Number.NaN) : (text ?? '')];
    });
    return { parameters: rest.map(sweptValue), ...Object.fromEntries(members) } as MetricRow;
  });
  return { parameters, rows };
}
