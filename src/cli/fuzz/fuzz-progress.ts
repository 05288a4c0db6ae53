import type { Summary } from '../../testing/fuzz-library.js';
import { type ProgressReport, ProgressView } from '../progress.js';
import type { FindFolder } from './find-folder.js';
import type { FuzzArguments, FuzzPlan } from './options.js';
import { type Shown, approachTexts } from './progress.js';

/** Number of runs of all campaigns of a plan; null for no end. */
export function totalOf({ campaigns }: Pick<FuzzPlan, 'campaigns'>): number | null {
  return campaigns.reduce<number | null>(
    (sum, { runs }) => (sum === null || runs === undefined ? null : sum + runs),
    0,
  );
}

/** Results of campaigns that have ended; null for one that has not begun. */
type Ended = readonly (Pick<Summary, 'runs' | 'steps'> | null)[];

/** Shows the progress of a command as it is due, and logs it. */
export class FuzzProgress {
  readonly #view: ProgressView;
  readonly #plan: FuzzPlan;
  readonly #finds: FindFolder;

  constructor({ json }: FuzzArguments, plan: FuzzPlan, finds: FindFolder) {
    this.#view = new ProgressView({ budgetMs: plan.timeBudgetMs, isJson: json });
    this.#plan = plan;
    this.#finds = finds;
  }

  /** `before`: the campaigns before the one that is shown. */
  update(shown: () => Shown, before: Ended): void {
    this.#view.update(() => this.#report(shown(), before));
  }

  /** Clears the line, before anything else is printed. */
  clear(): void {
    this.#view.clear();
  }

  end(): void {
    this.#view.clear();
  }

  #report({ property, runs, steps, pairs, goals, approaches }: Shown, before: Ended): ProgressReport {
    return {
      title: this.#plan.campaigns.length === 1 ? null : property,
      unit: 'runs',
      done: before.reduce((sum, each) => sum + (each?.runs ?? 0), runs),
      total: totalOf(this.#plan),
      work: { unit: 'steps', done: before.reduce((sum, each) => sum + (each?.steps ?? 0), steps) },
      found: this.#finds.size,
      coverage: { unit: 'pairs', count: pairs },
      more: [`goals ${goals[0]}/${goals[1]}`, ...approachTexts(approaches)],
    };
  }
}
