import { counted } from '../../../core/counted.js';
import { type ScenarioResult, type SuiteResult, tally } from '../results.js';
import { failureText } from './failure-text.js';
import type { Style } from './paint.js';
import { durationText } from './text.js';

/** All failures in full, in the order of their files. */
export function failuresText(results: readonly ScenarioResult[], style: Style): string {
  return results
    .filter(({ verdict }) => verdict === 'failed')
    .map((result) => `${failureText(result, style)}\n`)
    .join('');
}

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

/** The end of a text report: failures in full and totals. */
export function summaryText(suite: SuiteResult, style: Style): string {
  return `${failuresText(suite.results, style)}${tallyLine(suite, style)}`;
}
