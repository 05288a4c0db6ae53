import { counted } from '../../../core/counted.js';
import { type RuleResult, type ScenarioResult, type SuiteResult, tally } from '../results.js';
import { failureText } from './failure-text.js';
import type { Style } from './paint.js';
import { durationText, oneLine, wrapped } from './text.js';

/** Possible outcomes of a rule, the worst first. */
export const OUTCOMES = ['broken', 'held', 'not testable here', 'not covered'] as const;

/** Rules of an outcome are listed up to this number, and only counted beyond it. */
const MOST_TOLD = 12;

/** Number of rules by outcome. */
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

/** Outcomes of the published rules: counts, then those that did not hold. Empty if none are known. */
export function rulesText(rules: readonly RuleResult[], style: Style): string {
  if (rules.every(({ outcome }) => outcome === 'not covered')) return '';
  const counts = ruleCounts(rules);
  const told = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${counts[outcome]} ${outcome}`,
  );
  const lines = wrapped(`${counted(rules.length, 'published rule')}: ${told.join(', ')}`, style.columns);
  for (const outcome of OUTCOMES) {
    // A run of a few files covers few rules; listing all others would be noise.
    if (outcome === 'held' || counts[outcome] === 0 || counts[outcome] > MOST_TOLD) continue;
    lines.push(`  ${style.paint.bold(outcome)}`);
    lines.push(...rules.filter((rule) => rule.outcome === outcome).flatMap((rule) => ruleLines(rule, style)));
  }
  return `${lines.join('\n')}\n`;
}

/** The totals in one line. */
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

/** The end of a report for people: failures in full, rules, totals. */
export function summaryText(suite: SuiteResult, style: Style): string {
  const rules = rulesText(suite.rules, style);
  return `${failuresText(suite.results, style)}${rules}${rules === '' ? '' : '\n'}${tallyLine(suite, style)}`;
}
