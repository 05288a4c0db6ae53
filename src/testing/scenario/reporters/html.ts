import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';
import { htmlPage } from './html-page.js';
import type { Reporter, Sink } from './reporter.js';

/** Writes one HTML page when the run ends. */
export class HtmlReporter implements Reporter {
  constructor(private readonly sink: Sink) {}

  begin(_plan: SuitePlan): void {
    // The page starts with the totals, so nothing is written before the end.
  }

  ended(_result: ScenarioResult): void {
    // Written at the end.
  }

  end(suite: SuiteResult): void {
    this.sink.write(htmlPage(suite));
  }
}
