import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';
import { htmlPage } from './html-page.js';
import type { Reporter, Sink } from './reporter.js';

/** For reading at leisure and for keeping: one HTML page, written at the end. */
export class HtmlReporter implements Reporter {
  constructor(private readonly sink: Sink) {}

  begin(_plan: SuitePlan): void {
    // The page begins with the tally.
  }

  ended(_result: ScenarioResult): void {
    // As above.
  }

  end(suite: SuiteResult): void {
    this.sink.write(htmlPage(suite));
  }
}
