import { counted } from '../../../core/counted.js';
import { type ScenarioResult, type SuitePlan, type SuiteResult, tally } from '../results.js';
import { failureText } from './failure-text.js';
import { type Environment, type Style, styleOf } from './paint.js';
import type { Reporter, Sink } from './reporter.js';
import { clipped, durationText, oneLine, wrapped } from './text.js';

const CLEAR_LINE = '\r\u001b[2K';

const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const;

const WHERE = {
  'in-process': 'in this process',
  http: 'over HTTP',
  deployed: 'at a deployed service',
} as const;

function tallyLine({ scenarios, results, durationMs, shard }: SuiteResult, { paint }: Style): string {
  const { passed, failed, skipped } = tally(results);
  const parts = [
    passed > 0 ? paint.green(`${passed} passed`) : `${passed} passed`,
    failed > 0 ? paint.red(`${failed} failed`) : `${failed} failed`,
    skipped > 0 ? paint.yellow(`${skipped} skipped`) : `${skipped} skipped`,
  ];
  const left = scenarios - results.length;
  if (left > 0) parts.push(paint.yellow(`${left} not finished`));
  const part = shard === null ? '' : `, shard ${shard}`;
  return `${counted(results.length, 'scenario')}: ${parts.join(', ')} in ${durationText(durationMs)}${part}\n`;
}

/** The end of a text report: failures in full, in the order of their files, and totals. */
function summaryText(suite: SuiteResult, style: Style): string {
  const failed = suite.results.filter(({ verdict }) => verdict === 'failed');
  const failures = failed.map((result) => `${failureText(result, style)}\n`).join('');
  return failures + tallyLine(suite, style);
}

/**
 * For terminals and logs: a live status line below the failed scenarios on a terminal, otherwise a line per scenario. Ends with all failures in full and the totals.
 */
export class PrettyReporter implements Reporter {
  private readonly style: Style;
  private total = 0;
  private done = 0;
  private failed = 0;
  private beganMs = 0;

  constructor(
    private readonly sink: Sink,
    environment: Environment,
    /** Monotonic real milliseconds since an arbitrary origin. */
    private readonly nowMs: () => number,
  ) {
    this.style = styleOf(sink, environment);
  }

  begin({ scenarios, target, engine, workers, shard }: SuitePlan): void {
    this.total = scenarios;
    this.beganMs = this.nowMs();
    const what = `${counted(scenarios, 'scenario')} ${WHERE[target]}, ${oneLine(engine)}, ${counted(workers, 'worker')}`;
    const line = shard === null ? what : `${what}, shard ${shard}`;
    this.sink.write(`${wrapped(line, this.style.columns).join('\n')}\n`);
    this.writeStatus();
  }

  ended(result: ScenarioResult): void {
    this.done += 1;
    if (result.verdict === 'failed') this.failed += 1;
    if (!this.sink.isTerminal) this.sink.write(`${this.lineOf(result)}\n`);
    else if (result.verdict === 'failed') this.sink.write(`${CLEAR_LINE}${this.lineOf(result)}\n`);
    this.writeStatus();
  }

  end(suite: SuiteResult): void {
    this.sink.write(`${this.sink.isTerminal ? CLEAR_LINE : ''}\n${summaryText(suite, this.style)}`);
  }

  private lineOf({ verdict, name, ms, reason }: ScenarioResult): string {
    const { paint } = this.style;
    const colour = { passed: paint.green, failed: paint.red, skipped: paint.yellow }[verdict];
    const why = reason === null ? '' : `: ${oneLine(reason)}`;
    const took = verdict === 'skipped' ? '' : ` ${paint.dim(`(${durationText(ms)})`)}`;
    return `${colour(MARKS[verdict])} ${oneLine(name)}${took}${why}`;
  }

  /** Scenarios per second so far, and the remaining time at this rate. */
  private rate(): string {
    if (this.done === 0) return '';
    const ms = this.nowMs() - this.beganMs;
    if (ms === 0) return '';
    const rate = (this.done / ms) * 1000;
    const leftMs = ((this.total - this.done) / rate) * 1000;
    return `, ${rate.toFixed(1)}/s, ${durationText(leftMs)} left`;
  }

  private writeStatus(): void {
    if (!this.sink.isTerminal) return;
    const line = `${this.done}/${this.total}, ${this.failed} failed${this.rate()}`;
    // A line as wide as the terminal would wrap and could not be rewritten.
    const fitting = clipped(line, Math.max(10, this.sink.columns - 1));
    this.sink.write(`${CLEAR_LINE}${this.failed > 0 ? this.style.paint.red(fitting) : fitting}`);
  }
}
