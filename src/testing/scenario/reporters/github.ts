import { counted } from '../../../core/counted.js';
import { appendFileSync } from 'node:fs';
import { type ScenarioResult, type SuiteResult, tally } from '../results.js';
import { failedSteps, failureLine, failureText } from './failure-text.js';
import { PLAIN } from './paint.js';
import type { Reporter, Sink } from './reporter.js';
import { durationText, oneLine, shorten } from './text.js';

/** Maximum characters of an annotation's message. The runner drops much longer messages. */
const MESSAGE_LIMIT = 8000;
/** Maximum failures in the summary's table; GitHub limits a summary to one MiB. */
const ROWS = 200;
const CELL_LIMIT = 500;

/** Escapes the message of a workflow command: line ends in the encoding that the runner decodes. */
function commandText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command, which a colon or comma would end. */
function commandProperty(value: string): string {
  return commandText(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The annotation of a failed scenario, at the line of the failed step, or of one that passed after a retry; else empty. */
function annotation(result: ScenarioResult): string {
  const isFailed = result.verdict === 'failed';
  if (!isFailed && (result.verdict === 'skipped' || result.reason === null)) return '';
  const line = failedSteps(result.steps)[0]?.line ?? result.line;
  const text = isFailed ? failureText(result, { columns: 100, paint: PLAIN }) : (result.reason ?? '');
  const about = `file=${commandProperty(result.file)},line=${line},title=${commandProperty(oneLine(result.name))}`;
  const message = commandText(shorten(text, MESSAGE_LIMIT).trimEnd());
  return `::${isFailed ? 'error' : 'warning'} ${about}::${message}\n`;
}

/** Escapes text for a cell of a Markdown table. */
function cell(text: string): string {
  return shorten(oneLine(text), CELL_LIMIT)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#!|~@:]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function failuresTable(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ verdict }) => verdict === 'failed');
  if (failed.length === 0) return '';
  const rows = failed
    .slice(0, ROWS)
    .map((result) => [result.name, `${result.file}:${result.line}`, failureLine(result), result.rerun])
    .map((cells) => row(cells.map(cell)));
  const leftOut = failed.length - rows.length;
  const rest = leftOut > 0 ? `\n${counted(leftOut, 'failure')} more.\n` : '';
  const head = row(['Scenario', 'Where', 'What', 'Alone']) + row(['---', '---', '---', '---']);
  return `\n### Failures\n\n${head}${rows.join('')}${rest}`;
}

/** The suite in Markdown: totals and a table of failures. */
export function markdownSummary(suite: SuiteResult): string {
  const { passed, failed, skipped } = tally(suite.results);
  const shard = suite.shard === null ? '' : `, shard ${cell(suite.shard)}`;
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped in ${durationText(suite.durationMs)}`;
  const what = `${counted(suite.results.length, 'scenario')} on ${cell(suite.target)}, ${cell(suite.engine)}${shard}`;
  return `## ${failed > 0 ? '❌' : '✅'} ${what}\n\n${counts}.\n${failuresTable(suite.results)}\n`;
}

/** For GitHub Actions: an annotation for each failure and each pass after a retry and, if a file is given, a job summary that is appended to it. */
export function githubReporter(sink: Sink, summaryFile: string | null): Reporter {
  return {
    ended: (result) => {
      sink.write(annotation(result));
    },
    end: (suite) => {
      if (summaryFile !== null) appendFileSync(summaryFile, markdownSummary(suite));
    },
  };
}
