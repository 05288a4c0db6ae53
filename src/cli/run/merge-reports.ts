import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';
import { MergeError, mergeReports } from '../../testing/scenario/reporters/merge.js';
import { type SuiteResult, tally } from '../../testing/scenario/results.js';
import { EXIT, UsageError } from '../usage.js';
import { openReports } from './sinks.js';

function merged(paths: readonly string[]): SuiteResult {
  try {
    return mergeReports(paths.map((path) => readUserText(path, MAX_LOG_BYTES)));
  } catch (error) {
    throw error instanceof MergeError ? new UsageError(error.message) : error;
  }
}

/** Merges reports of shards. Sets exit code 1 when a scenario failed. */
export function mergeReportFiles(args: {
  readonly reports: readonly string[];
  readonly reporter: readonly string[];
}): void {
  const suite = merged(args.reports);
  const { reporters, close } = openReports(args.reporter.length === 0 ? ['pretty'] : args.reporter);
  for (const reporter of reporters) {
    reporter.begin(suite);
    for (const result of suite.results) reporter.ended(result);
    reporter.end(suite);
  }
  close();
  if (suite.shard !== null) process.stderr.write(`sim: shards are missing; found only ${suite.shard}\n`);
  if (suite.shard !== null || tally(suite.results).failed > 0) process.exitCode = EXIT.failed;
}
