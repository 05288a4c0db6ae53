import { counted } from '../../../core/counted.js';
import { appendFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { type ScenarioResult, type SuiteResult, tallyText, tally } from '../results.js';
import { failedSteps, failureLine, failureText } from './failure-text.js';
import { type Environment, PLAIN, type Reporter, type Sink } from './reporter.js';
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

/** A file relative to the workspace, from which annotations find it, unless it is outside. */
function inWorkspace(file: string, workspace: string | undefined): string {
  const path = workspace === undefined ? file : relative(workspace, resolve(file));
  return path.startsWith('..') ? file : path;
}

/** The annotation of a failed scenario, at the line of the failed step, or of one that passed after a retry; else empty. */
function annotation(result: ScenarioResult, workspace: string | undefined): string {
  const { verdict, reason, firstFailure } = result;
  const isFailed = verdict === 'failed';
  if (!isFailed && firstFailure === null) return '';
  const line = failedSteps(result.steps)[0]?.line ?? result.line;
  const text = isFailed
    ? failureText(result, { columns: 100, paint: PLAIN })
    : `${reason}\n\n${firstFailure}`;
  const about = `file=${commandProperty(inWorkspace(result.file, workspace))},line=${line},title=${commandProperty(oneLine(result.name))}`;
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
  const { results, target, engine } = suite;
  const verdicts = (['passed', 'failed', 'skipped'] as const).map((verdict) => tallyText(results, verdict));
  const counts = `${verdicts.join(', ')} in ${durationText(suite.durationMs)}`;
  const where = [target, engine].filter((name) => name !== null).map(cell);
  const shard = suite.shard === null ? '' : `, shard ${cell(suite.shard)}`;
  const what = `${counted(results.length, 'scenario')} on ${where.join(', ')}${shard}`;
  return `## ${tally(results).failed > 0 ? '❌' : '✅'} ${what}\n\n${counts}.\n${failuresTable(results)}\n`;
}

/** For GitHub Actions: an annotation for each failure and each pass after a retry and, if the environment names its file, a job summary. */
export function githubReporter(sink: Sink, environment: Environment): Reporter {
  const { GITHUB_WORKSPACE: workspace, GITHUB_STEP_SUMMARY: summaryFile } = environment;
  return {
    ended: (result) => {
      sink.write(annotation(result, workspace));
    },
    end: (suite) => {
      if (summaryFile !== undefined) appendFileSync(summaryFile, markdownSummary(suite));
    },
  };
}
