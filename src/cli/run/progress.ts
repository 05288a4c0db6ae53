import type { Reporter } from '../../testing/scenario/reporters/reporter.js';
import { type ScenarioResult, everyStep } from '../../testing/scenario/results.js';
import { type ProgressReport, ProgressView } from '../progress.js';

/** Adds up the results of scenarios as they arrive. */
export function progressOf(total: number) {
  const ended = { scenarios: 0, steps: 0, failed: 0 };
  return {
    add: ({ verdict, steps }: ScenarioResult) => {
      ended.scenarios += 1;
      ended.steps += everyStep(steps).length;
      ended.failed += verdict === 'failed' ? 1 : 0;
    },
    report: (): ProgressReport => ({
      unit: 'scenarios',
      done: ended.scenarios,
      total,
      work: { unit: 'steps', done: ended.steps },
      found: ended.failed,
      foundAs: 'failed',
    }),
  };
}

/** Shows progress on stderr. Wraps the reporters, whose stdout can be the same terminal. */
export function withProgress(
  reporters: readonly Reporter[],
  { report, isJson }: { readonly report: () => ProgressReport; readonly isJson: boolean },
): readonly Reporter[] {
  const view = new ProgressView({ isJson });
  const clearing: Reporter = {
    begin: () => view.update(report),
    ended: ({ verdict }) => (verdict === 'passed' ? undefined : view.clear()),
    end: () => view.clear(),
  };
  return [clearing, ...reporters, { ended: () => view.update(report) }];
}
