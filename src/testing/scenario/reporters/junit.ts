import { counted } from '../../../core/counted.js';
import { type ScenarioResult, type SuiteResult, type UnfinishedScenario, tally } from '../results.js';
import { failedSteps, failureLine, failureText } from './failure-text.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { PLAIN } from './reporter.js';

/** Columns of a failure's text. */
const COLUMNS = 120;

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** The file as a class name, such as `scenarios.loans`, because readers of JUnit reports group by dots. */
function className(file: string): string {
  return file
    .replace(/\.[^./]+$/, '')
    .replace(/^[./]+/, '')
    .replaceAll('/', '.');
}

/** Whether it failed outside a step, which JUnit calls an error. */
function isError(result: ScenarioResult): boolean {
  return result.verdict === 'failed' && result.property === null && failedSteps(result.steps).length === 0;
}

function outcomeOf(result: ScenarioResult): string {
  if (result.verdict === 'passed') {
    const said = [result.reason, result.firstFailure].filter((text) => text !== null).join('\n\n');
    return said === '' ? '' : `      <system-out>${escapedText(said)}</system-out>\n`;
  }
  if (result.verdict === 'skipped') {
    return `      <skipped${attributes({ message: result.reason ?? 'skipped' })}/>\n`;
  }
  const tag = isError(result) ? 'error' : 'failure';
  const text = escapedText(failureText(result, { columns: COLUMNS, paint: PLAIN }));
  const about = attributes({
    message: failureLine(result),
    type: isError(result) ? 'problem' : 'expectation',
  });
  return `      <${tag}${about}>${text}</${tag}>\n`;
}

function testcase(result: ScenarioResult): string {
  const about = attributes({
    name: result.name,
    classname: className(result.file),
    time: seconds(result.ms),
  });
  const outcome = outcomeOf(result);
  return outcome === '' ? `    <testcase${about}/>\n` : `    <testcase${about}>\n${outcome}    </testcase>\n`;
}

/** Properties with a value: one for a value that all scenarios share, otherwise one per scenario. */
function properties(results: readonly ScenarioResult[]): string {
  const named = (['target', 'engine', 'seed'] as const).flatMap((name) => {
    const values = new Set(results.map((result) => result[name]));
    if (values.size === 1) return [...values].map((value) => ({ name, value }));
    return results.map((result) => ({ name: `${name} of ${result.id}`, value: result[name] }));
  });
  const known = named.filter(({ value }) => value !== null);
  const lines = known.map((property) => `      <property${attributes(property)}/>\n`);
  return `    <properties>\n${lines.join('')}    </properties>\n`;
}

function counts(results: readonly ScenarioResult[], unfinished = 0) {
  const errors = results.filter(isError).length;
  const failures = tally(results).failed - errors;
  return { tests: results.length + unfinished, failures, errors: errors + unfinished };
}

/** A suite with one error that names them, since a server takes a report that lacks scenarios for a complete one. */
function unfinishedSuite(unfinished: readonly UnfinishedScenario[]): string {
  const count = unfinished.length;
  const message = `${counted(count, 'scenario')} ${count === 1 ? 'was' : 'were'} not finished`;
  const names = unfinished
    .map(({ id, name, where }) => `${id}  ${name}${where === null ? '' : `: ${where}`}\n`)
    .join('');
  const ofSuite = attributes({ name: 'not finished', tests: 1, failures: 0, errors: 1, time: seconds(0) });
  const ofCase = attributes({ name: 'not finished', classname: 'sim run', time: seconds(0) });
  const about = attributes({ message, type: 'problem' });
  const error = `      <error${about}>${escapedText(names)}</error>\n`;
  return `  <testsuite${ofSuite}>\n    <testcase${ofCase}>\n${error}    </testcase>\n  </testsuite>\n`;
}

function testsuite(file: string, results: readonly ScenarioResult[], startedAt: string): string {
  const about = attributes({
    name: file,
    ...counts(results),
    skipped: tally(results).skipped,
    time: seconds(results.reduce((sum, { ms }) => sum + ms, 0)),
    // The format that every reader accepts: seconds, without a time zone.
    timestamp: startedAt.slice(0, 19),
  });
  return `  <testsuite${about}>\n${properties(results)}${results.map(testcase).join('')}  </testsuite>\n`;
}

/** The suite as JUnit XML: a test suite per file, a test case per scenario. Times are real seconds. */
export function junitXml({ results, unfinished, durationMs, startedAt }: SuiteResult): string {
  const about = attributes({
    name: 'sim run',
    ...counts(results, unfinished.length > 0 ? 1 : 0),
    time: seconds(durationMs),
  });
  const suites = [...new Set(results.map(({ file }) => file))].map((file) => {
    const own = results.filter((result) => result.file === file);
    return testsuite(file, own, startedAt);
  });
  if (unfinished.length > 0) suites.push(unfinishedSuite(unfinished));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${about}>\n${suites.join('')}</testsuites>\n`;
}
