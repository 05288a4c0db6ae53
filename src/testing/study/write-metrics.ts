import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isoOf } from '../../core/domain/calendar.js';
import type { StudyPlan } from './plan.js';
import type { RunResult } from './play/play-run.js';
import type { ResultFolder } from './result-folder.js';
import { type MetricRow, metricColumns } from './results.js';
import type { SweptValue } from './schema.js';

/** The rows of a run, in order of ticks, and within a tick of metrics and keys as they first appeared. */
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

/** A field of CSV by RFC 4180. */
function field(value: SweptValue): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(fields: readonly SweptValue[]): string {
  return `${fields.map(field).join(',')}\n`;
}

/** A column of Parquet for the values of a swept option. */
function parameterColumn(name: string, values: readonly SweptValue[], isNumber: boolean) {
  return isNumber
    ? { name, data: values as number[], type: 'DOUBLE' as const }
    : { name, data: values.map(String), type: 'STRING' as const };
}

/** Writes `metrics.csv` and `metrics.parquet` of all runs that `folder` has the results of: a run after the other, so that memory is that of one. */
export async function writeMetrics(
  folder: ResultFolder,
  plan: StudyPlan,
  runs: readonly number[],
): Promise<void> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const names = Object.keys(plan.study.sweep);
  const isNumber = names.map((name) => plan.points.every(({ values }) => typeof values[name] === 'number'));
  const columnsOf = (rows: readonly MetricRow[]) => [
    { name: 'point', data: rows.map(({ point }) => point), type: 'INT32' as const },
    ...names.map((name, at) =>
      parameterColumn(
        name,
        rows.map(({ parameters }) => parameters[at] as SweptValue),
        isNumber[at] === true,
      ),
    ),
    { name: 'repetition', data: rows.map(({ repetition }) => repetition), type: 'INT32' as const },
    { name: 'run', data: rows.map(({ run }) => run), type: 'INT32' as const },
    { name: 'tick', data: rows.map(({ tick }) => tick), type: 'INT32' as const },
    { name: 'at', data: rows.map(({ at }) => new Date(at)), type: 'TIMESTAMP' as const },
    { name: 'metric', data: rows.map(({ metric }) => metric), type: 'STRING' as const },
    { name: 'key', data: rows.map(({ key }) => key), type: 'STRING' as const },
    { name: 'value', data: rows.map(({ value }) => value), type: 'DOUBLE' as const },
  ];
  const schema = schemaFromColumnData({ columnData: columnsOf([]) });
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema });
  const csv = folder.partial('metrics.csv');
  const file = openSync(csv.path, 'w');
  try {
    writeSync(file, csvLine(metricColumns(names)));
    for (const run of runs) {
      const rows = rowsOf(plan, folder.result(run));
      if (rows.length === 0) continue;
      const lines = rows.map(({ point, parameters, repetition, tick, at, metric, key, value }) =>
        csvLine([point, ...parameters, repetition, run, tick, at, metric, key, value]),
      );
      writeSync(file, lines.join(''));
      await parquet.write({ columnData: columnsOf(rows), rowGroupSize: rows.length });
    }
  } finally {
    closeSync(file);
  }
  await parquet.finish();
  folder.write('metrics.parquet', writer.getBytes());
  csv.finish();
}

/** The records of a CSV text by RFC 4180. */
function* recordsOf(text: string): Generator<string[]> {
  let fields: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/g)) {
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== '\n') continue;
    yield fields;
    fields = [];
  }
}

function sweptValue(text: string): SweptValue {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Reads `metrics.csv`. Swept values that look like numbers are read as such. */
export function readMetrics(path: string): {
  readonly parameters: readonly string[];
  readonly rows: MetricRow[];
} {
  const records = recordsOf(readFileSync(path, 'utf8'));
  const columns = records.next().value ?? [];
  const parameters = columns.slice(1, columns.indexOf('repetition', 1));
  const rows = [...records].map(([point, ...rest]): MetricRow => {
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
