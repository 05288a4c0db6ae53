import { type ScenarioResult, type SuitePlan, type SuiteResult, tally } from '../results.js';
import type { Reporter, Sink } from './reporter.js';
import { jsonLine } from './text.js';

interface BeginLine extends SuitePlan {
  readonly kind: 'begin';
}

/** A line per scenario, in the order in which they end. */
interface ScenarioLine extends ScenarioResult {
  readonly kind: 'scenario';
}

/** The last line of a report. */
interface EndLine {
  readonly kind: 'end';
  readonly startedAt: string;
  /** Real milliseconds. */
  readonly durationMs: number;
  readonly tally: Readonly<Record<ScenarioResult['verdict'], number>>;
}

type ReportLine = BeginLine | ScenarioLine | EndLine;

/** For programs: one JSON object per line, with all details. */
export class JsonReporter implements Reporter {
  constructor(private readonly sink: Sink) {}

  begin({ scenarios, target, engine, workers, shard }: SuitePlan): void {
    this.line({ kind: 'begin', scenarios, target, engine, workers, shard });
  }

  ended(result: ScenarioResult): void {
    this.line({ kind: 'scenario', ...result });
  }

  end({ results, startedAt, durationMs }: SuiteResult): void {
    this.line({ kind: 'end', startedAt, durationMs, tally: tally(results) });
  }

  private line(line: ReportLine): void {
    this.sink.write(`${jsonLine(line)}\n`);
  }
}
