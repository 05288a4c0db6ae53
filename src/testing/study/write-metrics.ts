import type * as Hyparquet from 'hyparquet-writer';
import { closeSync, openSync, writeSync } from 'node:fs';
import { csvRows, csvText } from '../../core/csv.js';
import { isoOf } from '../../core/domain/calendar.js';
import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';
import type { StudyPlan } from './plan.js';
import type { RunResult } from './play/play-run.js';
import type { ResultFolder } from './result-folder.js';
import { type MetricRow, metricColumns } from './results.js';
import type { SweptValue } from './schema.js';

/** The rows of a run by tick; within a tick, metrics and keys are in the order of first appearance. */
export function rowsOf(
  { startMs, tickMs, points, study }: StudyPlan,
  { run, point, repetition, series }: RunResult,
): MetricRow[] {
  const values = points[point - 1]?.values ?? {};
  const parameters = Object.keys(study.sweep).map((path) => values[path] as SweptValue);
  const rows: MetricRow[] = [];
  for (let at = 0; at < series.rows.length; at += 3) {
    const [tick = 0, number = 0, value = 0] = series.rows.slice(at, at + 3);
    const [metric, key] = series.keys[number] as readonly [string, string];
    rows.push({
      point,
      parameters,
      repetition,
      run,
      tick,
      at: isoOf(startMs + tick * tickMs),
      metric,
      key,
      value,
    });
  }
  return rows;
}

/** A column of Parquet for the values of a swept option. */
function parameterColumn(
  name: string,
  values: readonly SweptValue[],
  isNumber: boolean,
): Hyparquet.ColumnSource {
  return isNumber
    ? { name, data: values as number[], type: 'DOUBLE' }
    : { name, data: values.map(String), type: 'STRING' };
}

/** Writes `metrics.csv` and `metrics.parquet` run by run, so that memory holds one run. */
export class MetricsWriter {
  readonly #folder: ResultFolder;
  readonly #csv: ReturnType<ResultFolder['partial']>;
  readonly #file: number;
  readonly #bytes: Hyparquet.ByteWriter;
  readonly #parquet: Hyparquet.ParquetWriter;
  readonly #columnsOf: (rows: readonly MetricRow[]) => Hyparquet.ColumnSource[];

  private constructor(
    { ByteWriter, ParquetWriter, schemaFromColumnData }: typeof Hyparquet,
    folder: ResultFolder,
    { study, points }: StudyPlan,
  ) {
    const names = Object.keys(study.sweep);
    const isNumber = names.map((name) => points.every(({ values }) => typeof values[name] === 'number'));
    this.#folder = folder;
    this.#columnsOf = (rows) => [
      { name: 'point', data: rows.map(({ point }) => point), type: 'INT32' },
      ...names.map((name, at) =>
        parameterColumn(
          name,
          rows.map(({ parameters }) => parameters[at] as SweptValue),
          isNumber[at] === true,
        ),
      ),
      { name: 'repetition', data: rows.map(({ repetition }) => repetition), type: 'INT32' },
      { name: 'run', data: rows.map(({ run }) => run), type: 'INT32' },
      { name: 'tick', data: rows.map(({ tick }) => tick), type: 'INT32' },
      { name: 'at', data: rows.map(({ at }) => new Date(at)), type: 'TIMESTAMP' },
      { name: 'metric', data: rows.map(({ metric }) => metric), type: 'STRING' },
      { name: 'key', data: rows.map(({ key }) => key), type: 'STRING' },
      { name: 'value', data: rows.map(({ value }) => value), type: 'DOUBLE' },
    ];
    this.#bytes = new ByteWriter();
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: this.#columnsOf([]) }),
    });
    this.#csv = folder.partial('metrics.csv');
    this.#file = openSync(this.#csv.path, 'w');
    writeSync(this.#file, csvText([metricColumns(names)]));
  }

  static async begin(folder: ResultFolder, plan: StudyPlan): Promise<MetricsWriter> {
    return new MetricsWriter(await import('hyparquet-writer'), folder, plan);
  }

  async write(rows: readonly MetricRow[]): Promise<void> {
    if (rows.length === 0) return;
    const lines = rows.map(({ point, parameters, repetition, run, tick, at, metric, key, value }) => [
      point,
      ...parameters,
      repetition,
      run,
      tick,
      at,
      metric,
      key,
      value,
    ]);
    writeSync(this.#file, csvText(lines));
    await this.#parquet.write({ columnData: this.#columnsOf(rows), rowGroupSize: rows.length });
  }

  async finish(): Promise<void> {
    closeSync(this.#file);
    await this.#parquet.finish();
    this.#folder.write('metrics.parquet', this.#bytes.getBytes());
    this.#csv.finish();
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
  const rows = records.map(([point, ...rest]): MetricRow => {
    const [repetition, run, tick, at = '', metric = '', key = '', value] = rest.slice(parameters.length);
    return {
      point: Number(point),
      parameters: rest.slice(0, parameters.length).map(sweptValue),
      repetition: Number(repetition),
      run: Number(run),
      tick: Number(tick),
      at,
      metric,
      key,
      value: Number(value),
    };
  });
  return { parameters, rows };
}
