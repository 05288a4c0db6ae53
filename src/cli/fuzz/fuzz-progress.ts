import type { Progress, Summary } from '../../testing/fuzz-library.js';
import { type ProgressReport, ProgressView } from '../progress.js';
import type { FindFolder } from './find-folder.js';
import type { FuzzArguments } from './flags.js';
import type { FuzzPlan } from './options.js';
import { approachTexts } from './summary-text.js';

/** Number of runs of all campaigns of a plan; null for no limit. */
export function totalOf({ campaigns }: Pick<FuzzPlan, 'campaigns'>): number | null {
  return campaigns.reduce<number | null>(
    (sum, { runs }) => (sum === null || runs === undefined ? null : sum + runs),
    0,
  );
}

/** Results of the campaigns that have ended; null for a campaign that has not begun. */
type Ended = readonly (Pick<Summary, 'runs' | 'steps'> | null)[];

/** Shows the progress of a command at intervals. */
export class FuzzProgress {
  readonly #view: ProgressView;
  readonly #plan: FuzzPlan;
  readonly #finds: FindFolder;

  constructor({ json }: FuzzArguments, plan: FuzzPlan, finds: FindFolder) {
    this.#view = new ProgressView({ budgetMs: plan.timeBudgetMs, isJson: json });
    this.#plan = plan;
    this.#finds = finds;
  }

  /** Shows the progress of the campaign of a property; `before` has the results of earlier campaigns. */
  update(property: string, progress: Progress, before: Ended): void {
    this.#view.update(() => this.#report(property, progress, before));
  }

  /** Clears the line, before anything else is printed. */
  clear(): void {
    this.#view.clear();
  }

  #report(property: string, { runs, steps, pairs, goals }: Progress, before: Ended): ProgressReport {
    const counts = Object.values(goals.counts());
    const reached = counts.filter((times) => times > 0).length;
    return {
      title: this.#plan.campaigns.length === 1 ? null : property,
      unit: 'runs',
      done: before.reduce((sum, each) => sum + (each?.runs ?? 0), runs),
      total: totalOf(this.#plan),
      work: { unit: 'steps', done: before.reduce((sum, each) => sum + (each?.steps ?? 0), steps) },
      found: this.#finds.kept.size,
      coverage: { unit: 'pairs', count: pairs },
      more: [`goals ${reached}/${counts.length}`, ...approachTexts(goals.approaches())],
    };
  }
}
