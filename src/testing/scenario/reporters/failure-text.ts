import { counted } from '../../../core/counted.js';
import {
  everyStep,
  type Exchange,
  type Mismatch,
  type PropertyResult,
  type ScenarioResult,
  type StepResult,
} from '../results.js';
import { type BalanceRow, balanceRows, rowAmount, rowChange } from './balance-rows.js';
import type { Style } from './reporter.js';
import {
  aligned,
  clipped,
  durationText,
  oneLine,
  padded,
  printable,
  shorten,
  valueText,
  wrapped,
} from './text.js';

const MARGIN = 4;
const GUTTER = 10;
/** Maximum characters shown of a body or of arguments. */
const BODY_LIMIT = 1200;
/** Maximum exchanges shown per step: the last ones, which led to the failure. */
const EXCHANGES = 3;

/** The failed steps, innermost where known: a repetition is omitted in favour of the failed round. */
export function failedSteps(steps: readonly StepResult[]): StepResult[] {
  return everyStep(steps).filter(
    ({ verdict, mismatches, problem, steps: within }) =>
      verdict === 'failed' &&
      (mismatches.length > 0 || problem !== null || !within.some((inner) => inner.verdict === 'failed')),
  );
}

/** Location of a step, or of the scenario if unknown: `file:line`. */
export function placeOf({ file, line }: ScenarioResult, step: StepResult | undefined): string {
  return `${file}:${step?.line ?? line}`;
}

/** A label with wrapped text beside it; no lines for an empty text. */
function labelled(label: string, text: string, { columns, paint }: Style): string[] {
  if (text === '') return [];
  const lines = wrapped(printable(text), columns - MARGIN - GUTTER);
  return lines.map((line, at) =>
    `${' '.repeat(MARGIN)}${paint('dim', padded(at === 0 ? label : '', GUTTER))}${line}`.trimEnd(),
  );
}

function responseOf({ status, problem, ms }: Exchange): string {
  return status === null
    ? `no response in ${durationText(ms)}: ${problem ?? 'unknown reason'}`
    : `${status} in ${durationText(ms)}`;
}

function exchangeLines(exchange: Exchange, style: Style): string[] {
  const { to, method, path, requestBody, responseBody, status, problem } = exchange;
  const lines = labelled(to, `${method} ${path}`, style);
  lines.push(...labelled('', shorten(valueText(requestBody), BODY_LIMIT), style));
  lines.push(...labelled('response', responseOf(exchange), style));
  lines.push(...labelled('', shorten(valueText(responseBody), BODY_LIMIT), style));
  if (status !== null && problem !== null) lines.push(...labelled('', problem, style));
  return lines;
}

function isSignIn({ to, path, status }: Exchange): boolean {
  return to === 'bank' && status === 200 && /\/agent\/auth\/(?:challenge|verify)$/.test(path);
}

/** The last requests of a step, without implicit sign-ins. */
function lastExchanges(all: readonly Exchange[], style: Style): string[] {
  const others = all.filter((exchange) => !isSignIn(exchange));
  const exchanges = others.length === 0 ? all : others;
  const earlier = exchanges.length - EXCHANGES;
  const leftOut = [
    ...(exchanges.length < all.length ? ['sign-in of the agent'] : []),
    ...(earlier > 0 ? [counted(earlier, 'earlier request')] : []),
  ];
  const omitted = leftOut.length > 0 ? labelled('requests', `${leftOut.join(', ')} left out`, style) : [];
  return [...omitted, ...exchanges.slice(-EXCHANGES).flatMap((exchange) => exchangeLines(exchange, style))];
}

/** Expected and actual values side by side, below their path. */
function mismatchLines(mismatches: readonly Mismatch[], { columns, paint }: Style): string[] {
  if (mismatches.length === 0) return [];
  const margin = ' '.repeat(MARGIN);
  const width = Math.floor((columns - MARGIN - 5) / 2);
  const lines = [`${margin}  ${paint('dim', padded('expected', width))} │ ${paint('dim', 'actual')}`];
  for (const { path, expected, actual } of mismatches) {
    if (path !== '') lines.push(...wrapped(printable(path), columns - MARGIN).map((line) => margin + line));
    const left = wrapped(printable(shorten(expected, BODY_LIMIT)), width);
    const right = wrapped(printable(shorten(actual, BODY_LIMIT)), width);
    for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
      const before = paint('green', padded(left[at] ?? '', width));
      lines.push(`${margin}  ${before} │ ${paint('red', right[at] ?? '')}`.trimEnd());
    }
  }
  return lines;
}

const AGENT_COLUMNS = 16;

function balanceLines(rows: readonly BalanceRow[], { columns, paint }: Style): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    clipped(oneLine(row.agent), AGENT_COLUMNS),
    `${row.place} ${row.token}`,
    rowAmount(row, 'before'),
    rowAmount(row, 'after'),
    rowChange(row),
  ]);
  const lines = aligned([['agent', 'balance', 'before', 'after', 'change'], ...cells], 2);
  const margin = ' '.repeat(MARGIN);
  // Numbers are wrapped, not cut: a truncated number misleads.
  return lines.flatMap((line, at) =>
    wrapped(line, columns - MARGIN).map((part) => margin + (at === 0 ? paint('dim', part) : part)),
  );
}

function stepLines(scenario: ScenarioResult, step: StepResult, style: Style): string[] {
  const { paint, columns } = style;
  const where = step.line === null ? '' : ` (${placeOf(scenario, step)})`;
  const head = wrapped(`step ${step.place}  ${oneLine(step.title)}${oneLine(where)}`, columns - 2);
  return [
    ...head.map((line) => `  ${paint('bold', line)}`),
    ...labelled('note', step.note ?? '', style),
    ...labelled('args', shorten(valueText(step.args), BODY_LIMIT), style),
    ...labelled('problem', step.problem ?? '', style),
    ...mismatchLines(step.mismatches, style),
    ...labelled('why', step.explanation ?? '', style),
    ...lastExchanges(step.exchanges, style),
    ...balanceLines(balanceRows(step), style),
    ...labelled('time', step.at ?? '', style),
  ];
}

function propertyLines(property: PropertyResult, style: Style): string[] {
  const goals = Object.entries(property.goals).map(([goal, count]) => `${goal} ${count}×`);
  const lines = [
    ...labelled(
      'played',
      `${counted(property.runs, 'world')}, ${counted(property.steps, 'step')}, seed ${property.seed}`,
      style,
    ),
    ...labelled('goals', goals.join(', '), style),
  ];
  if (property.counterexample === null) return lines;
  lines.push(`  ${style.paint('bold', 'the shortest failing sequence')}`);
  const text = wrapped(printable(property.counterexample.trimEnd()), style.columns - MARGIN);
  return [...lines, ...text.map((line) => `${' '.repeat(MARGIN)}${line}`.trimEnd())];
}

/** The full report of a failed scenario: its location, each failed step with all details, and the command that reruns it alone. */
export function failureText(scenario: ScenarioResult, style: Style): string {
  const { paint, columns } = style;
  const { seed, target, engine, reason } = scenario;
  const failed = failedSteps(scenario.steps);
  // The reason of a property can be the problem of its last step.
  const isRepeated = failed.some(({ problem }) => problem === reason);
  const lines = [
    ...wrapped(`✗ ${oneLine(scenario.name)}`, columns).map((line) => paint('red', paint('bold', line))),
    ...wrapped(oneLine(placeOf(scenario, undefined)), columns - 2).map((line) => `  ${paint('dim', line)}`),
    ...labelled('reason', isRepeated ? '' : (reason ?? ''), style),
    ...failed.flatMap((step) => stepLines(scenario, step, style)),
    ...(scenario.property === null ? [] : propertyLines(scenario.property, style)),
    ...labelled('seed', seed === null ? '' : `${seed} (${target}, ${engine})`, style),
  ];
  // The command stays on one line whatever its length, so that it can be copied.
  lines.push(`${' '.repeat(MARGIN)}${paint('dim', padded('rerun', GUTTER))}${oneLine(scenario.rerun)}`);
  if (scenario.inspector !== null)
    lines.push(`${' '.repeat(MARGIN)}${paint('dim', padded('inspect', GUTTER))}${scenario.inspector}`);
  return `${lines.join('\n')}\n`;
}

/** One line about a failed scenario: the first failed step and its mismatch, or the reason why it could not be played. */
export function failureLine(scenario: ScenarioResult): string {
  const step = failedSteps(scenario.steps)[0];
  if (step === undefined) return oneLine(scenario.reason ?? 'it failed');
  const mismatch = step.mismatches[0];
  const what =
    mismatch === undefined
      ? (step.problem ?? 'it failed')
      : `${mismatch.path === '' ? '' : `${mismatch.path}: `}expected ${mismatch.expected}, got ${mismatch.actual}`;
  return oneLine(`step ${step.place} ${step.title}: ${what}`);
}
