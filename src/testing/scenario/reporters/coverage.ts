import { coverage } from '../coverage.js';
import type { SuiteResult } from '../results.js';
import type { Reporter, Sink } from './reporter.js';

/** Lists operations, codes, limits, variants and loan transitions that no scenario covers. */
export class CoverageReporter implements Reporter {
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  begin(): void {
    // Reported at the end.
  }

  ended(): void {
    // Reported at the end.
  }

  end({ results }: SuiteResult): void {
    for (const { kind, all, missing } of coverage(results)) {
      this.#sink.write(`${kind}: ${all - missing.length} of ${all}\n`);
      for (const each of missing) this.#sink.write(`  missing: ${each}\n`);
    }
  }
}
