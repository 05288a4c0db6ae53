import type { Reporter } from '../../testing/scenario/reporters/reporter.js';
import { ProgressView } from '../progress.js';

/** Shows the progress of scenarios on stderr. Wraps the reporters, whose stdout can be the same terminal. */
export function withProgress(
  reporters: readonly Reporter[],
  { total, isJson }: { readonly total: number; readonly isJson: boolean },
): readonly Reporter[] {
  const view = new ProgressView({ isJson });
  let [done, found] = [0, 0];
  const counts = { title: null, unit: 'scenarios', total, foundAs: 'failed', coverage: null } as const;
  const report = () => ({ ...counts, done, found });
  const clearing: Reporter = {
    begin: () => view.update(report),
    ended: () => view.clear(),
    end: () => view.clear(),
  };
  const showing: Reporter = {
    ended: ({ verdict }) => {
      done += 1;
      if (verdict === 'failed') found += 1;
      view.update(report);
    },
  };
  return [clearing, ...reporters, showing];
}
