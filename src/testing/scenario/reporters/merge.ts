import type { RuleResult, ScenarioResult, SuiteResult } from '../results.js';
import type { BeginLine, EndLine, ReportLine } from './json.js';
import { REPORT_LINE } from './report-schema.js';

/** Why reports cannot be merged. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

/** A parsed JSON report. */
interface Report {
  /** Number of the report in messages, from 1. */
  readonly number: number;
  readonly begin: BeginLine;
  readonly results: readonly ScenarioResult[];
  readonly end: EndLine;
}

function lineOf(text: string, report: number, number: number): ReportLine {
  const where = `report ${report}, line ${number}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MergeError(`${where} is no JSON: this is no report of \`sim run --reporter json\``);
  }
  const parsed = REPORT_LINE.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const what =
    issue === undefined ? '' : ` (${issue.path.map(String).join('.') || 'the line'}: ${issue.message})`;
  throw new MergeError(`${where} is no line of a report${what}`);
}

function reportOf(text: string, number: number): Report {
  const lines = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [lineOf(line, number, at + 1)]));
  const [begin, ...rest] = lines;
  const end = rest.pop();
  if (begin?.kind !== 'begin') throw new MergeError(`report ${number} has no beginning: it is no report`);
  if (end?.kind !== 'end') throw new MergeError(`report ${number} has no end: its run did not finish`);
  const results = rest.map((line) => {
    if (line.kind === 'scenario') {
      const { kind: _kind, ...result } = line;
      return result;
    }
    throw new MergeError(`report ${number} begins or ends twice: it is two reports in one text`);
  });
  const told = end.tally.passed + end.tally.failed + end.tally.skipped;
  if (told !== results.length) {
    throw new MergeError(
      `report ${number} tells of ${told} scenarios but holds ${results.length}: lines are missing`,
    );
  }
  return { number, begin, results, end };
}

/** Rejects a scenario that is in two reports: counts would be wrong, and verdicts might differ. */
function refuseTwice(reports: readonly Report[]): void {
  const seen = new Map<string, number>();
  for (const { number, results } of reports) {
    for (const { id } of results) {
      const before = seen.get(id);
      if (before !== undefined) {
        const where = before === number ? `twice in report ${number}` : `in reports ${before} and ${number}`;
        throw new MergeError(`scenario ${id} is ${where}`);
      }
      seen.set(id, number);
    }
  }
}

/** The common value of all reports; rejects reports of different banks, as a combined verdict would be meaningless. */
function common(reports: readonly Report[], name: 'target' | 'engine'): void {
  const values = [...new Set(reports.map(({ begin }) => begin[name]))];
  if (values.length > 1) throw new MergeError(`the reports are of different ${name}s: ${values.join(', ')}`);
}

/** Null when the shards are complete, such as 1/2 and 2/2; their names otherwise. */
function shardOf(reports: readonly Report[]): string | null {
  const shards = reports.map(({ begin }) => begin.shard);
  if (shards.includes(null)) return null;
  const names = shards.filter((shard) => shard !== null);
  const total = Number(names[0]?.split('/')[1]);
  const whole = Array.from({ length: Number.isInteger(total) ? total : 0 }, (_, at) => `${at + 1}/${total}`);
  return whole.length > 0 && whole.every((name) => names.includes(name)) ? null : names.join(', ');
}

const byText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/** By file, then by line. */
function inOrder(left: ScenarioResult, right: ScenarioResult): number {
  return byText(left.file, right.file) || left.line - right.line || byText(left.id, right.id);
}

const WEIGHT: Readonly<Record<RuleResult['outcome'], number>> = {
  broken: 3,
  held: 2,
  'not testable here': 1,
  'not covered': 0,
};

/** Merges rules: broken if any shard broke it, else held if any shard held it. */
function mergedRules(reports: readonly Report[]): RuleResult[] {
  const rules = new Map<string, RuleResult>();
  for (const rule of reports.flatMap(({ end }) => end.rules)) {
    const known = rules.get(rule.rule);
    const worse = known === undefined || WEIGHT[rule.outcome] > WEIGHT[known.outcome] ? rule : known;
    const scenarios = [...new Set([...(known?.scenarios ?? []), ...rule.scenarios])].toSorted(byText);
    rules.set(rule.rule, { ...worse, scenarios });
  }
  return [...rules.values()];
}

/**
 * Merges the JSON reports of several shards, given as texts. Shards run in parallel: the duration is that of the longest, the start the
 * earliest. Throws a `MergeError` for an incomplete report, for a scenario in two reports, and for reports of different targets or
 * engines.
 */
export function mergeReports(texts: readonly string[]): SuiteResult {
  const reports = texts.map((text, at) => reportOf(text, at + 1));
  const [first] = reports;
  if (first === undefined) throw new MergeError('there is no report to merge');
  common(reports, 'target');
  common(reports, 'engine');
  refuseTwice(reports);
  const results = reports.flatMap((report) => report.results).toSorted(inOrder);
  return {
    scenarios: reports.reduce((sum, { begin }) => sum + begin.scenarios, 0),
    target: first.begin.target,
    engine: first.begin.engine,
    workers: reports.reduce((sum, { begin }) => sum + begin.workers, 0),
    shard: shardOf(reports),
    startedAt: reports.map(({ end }) => end.startedAt).toSorted(byText)[0] ?? first.end.startedAt,
    durationMs: Math.max(...reports.map(({ end }) => end.durationMs)),
    results,
    rules: mergedRules(reports),
  };
}
