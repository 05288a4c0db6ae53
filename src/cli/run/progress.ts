import type { Reporter } from '../../testing/scenario/reporters/reporter.js';
import { type ProgressReport, ProgressView } from '../progress.js';

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
