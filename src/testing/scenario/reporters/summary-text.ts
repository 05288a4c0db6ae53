import { type RuleResult, type ScenarioResult, type SuiteResult, tally } from '../results.js';
import { failureText } from './failure-text.js';
import type { Style } from './paint.js';
import { counted, durationText, oneLine, wrapped } from './text.js';

/** How a rule can fare, the worst first. */
export const OUTCOMES = ['broken', 'held', 'not testable here', 'not covered'] as const;

/** More rules of one kind are only counted. */
const MOST_TOLD = 12;

/** Counts of rules by how they fared. */
export function ruleCounts(rules: readonly RuleResult[]): Record<RuleResult['outcome'], number> {
  const counts = { broken: 0, held: 0, 'not testable here': 0, 'not covered': 0 };
  for (const { outcome } of rules) counts[outcome] += 1;
  return counts;
}

/** All failures in full, in the order of their files. */
export function failuresText(results: readonly ScenarioResult[], style: Style): string {
  return results
    .filter(({ verdict }) => verdict === 'failed')
    .map((result) => `${failureText(result, style)}\n`)
    .join('');
}

function ruleLines({ rule, sentence, outcome, scenarios }: RuleResult, { columns, paint }: Style): string[] {
  const where = outcome === 'broken' && scenarios.length > 0 ? ` [${scenarios.join(', ')}]` : '';
  const [head = '', ...more] = wrapped(`${oneLine(rule)}  ${oneLine(sentence + where)}`, columns - 6);
  const lines = [`    ${head}`, ...more.map((line) => `      ${line}`)];
  return outcome === 'broken' ? lines.map((line) => paint.red(line)) : lines;
}

/** How the published rules fared: counts, then those that did not hold. Empty when none are known. */
export function rulesText(rules: readonly RuleResult[], style: Style): string {
  if (rules.every(({ outcome }) => outcome === 'not covered')) return '';
  const counts = ruleCounts(rules);
  const told = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${counts[outcome]} ${outcome}`,
  );
  const lines = wrapped(`${counted(rules.length, 'published rule')}: ${told.join(', ')}`, style.columns);
  for (const outcome of OUTCOMES) {
    // A few of many files cover few rules: which those are not is no news.
    if (outcome === 'held' || counts[outcome] === 0 || counts[outcome] > MOST_TOLD) continue;
    lines.push(`  ${style.paint.bold(outcome)}`);
    lines.push(...rules.filter((rule) => rule.outcome === outcome).flatMap((rule) => ruleLines(rule, style)));
  }
  return `${lines.join('\n')}\n`;
}

/** What came of all of it in one line. */
export function tallyLine({ scenarios, results, durationMs, shard }: SuiteResult, { paint }: Style): string {
  const { passed, failed, skipped } = tally(results);
  const parts = [
    passed > 0 ? paint.green(`${passed} passed`) : `${passed} passed`,
    failed > 0 ? paint.red(`${failed} failed`) : `${failed} failed`,
    skipped > 0 ? paint.yellow(`${skipped} skipped`) : `${skipped} skipped`,
  ];
  const left = scenarios - results.length;
  if (left > 0) parts.push(paint.yellow(`${left} not begun`));
  const part = shard === null ? '' : `, shard ${shard}`;
  return `${counted(results.length, 'scenario')}: ${parts.join(', ')} in ${durationText(durationMs)}${part}\n`;
}

/** The end of a report for people: failures in full, the rules, the tally. */
export function summaryText(suite: SuiteResult, style: Style): string {
  const rules = rulesText(suite.rules, style);
  return `${failuresText(suite.results, style)}${rules}${rules === '' ? '' : '\n'}${tallyLine(suite, style)}`;
}
