import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';
import { type Environment, type Style, styleOf } from './paint.js';
import type { Reporter, Sink } from './reporter.js';
import { summaryText } from './summary-text.js';

const MARKS = { passed: '.', failed: 'F', skipped: 's' } as const;

/** Prints a character per scenario (`.` passed, `F` failed, `s` skipped), and all failures in full at the end. */
export class DotReporter implements Reporter {
  private readonly style: Style;
  private inLine = 0;

  constructor(
    private readonly sink: Sink,
    environment: Environment,
  ) {
    this.style = styleOf(sink, environment);
  }

  begin(_plan: SuitePlan): void {
    this.inLine = 0;
  }

  ended({ verdict }: ScenarioResult): void {
    const { paint, columns } = this.style;
    const colour = { passed: paint.green, failed: paint.red, skipped: paint.yellow }[verdict];
    if (this.inLine === columns) this.sink.write('\n');
    this.inLine = this.inLine === columns ? 1 : this.inLine + 1;
    this.sink.write(colour(MARKS[verdict]));
  }

  end(suite: SuiteResult): void {
    this.sink.write(`\n\n${summaryText(suite, this.style)}`);
  }
}
