import type { Progress } from '../../testing/fuzz-library.js';
import type { ProgressReport } from '../progress.js';
import type { FindFolder } from './find-folder.js';
import type { CampaignParts, FuzzPlan } from './options.js';
import { approachTexts } from './summary-text.js';

/** Number of runs of all campaigns of a plan; null for no limit. */
export function totalOf({ campaigns }: Pick<FuzzPlan, 'campaigns'>): number | null {
  return campaigns.reduce<number | null>(
    (sum, { runs }) => (sum === null || runs === undefined ? null : sum + runs),
    0,
  );
}

/** The progress of a plan; `before` has the results of the campaigns that have ended. */
export function progressReport(
  plan: FuzzPlan,
  { runs, steps, reached: { coverage, goals, approaches } }: Progress,
  { before, finds }: { before: CampaignParts; finds: FindFolder },
): ProgressReport {
  const counts = Object.values(goals);
  const reached = counts.filter((times) => times > 0).length;
  return {
    title: plan.campaigns.length === 1 ? undefined : plan.campaigns[before.length]?.property,
    unit: 'runs',
    done: before.reduce((sum, each) => sum + (each?.runs ?? 0), runs),
    total: totalOf(plan),
    work: { unit: 'steps', done: before.reduce((sum, each) => sum + (each?.steps ?? 0), steps) },
    found: finds.kept.size,
    coverage: { unit: 'pairs', count: coverage.length },
    more: [`goals ${reached}/${counts.length}`, ...approachTexts(approaches)],
  };
}
