import type { FailureFile } from '../failure/failure-file.js';
import { type Failure, plainKind } from '../play/sequence.js';
import type { CampaignValue } from './campaign-value.js';
import { type Summary, findsOf, shapeOf } from './summary.js';

/** Maximum findings of one kind to shrink, since different bugs may break the same rule. */
const MOST_OF_A_KIND = 3;

/** Whether a kind is to ignore. Entries are full names or prefixes. */
function isIgnored(kind: string, ignored: readonly string[]): boolean {
  return ignored.some((each) => kind.startsWith(each) || plainKind(kind).startsWith(each));
}

export interface Beginnings {
  /** The campaign to continue; the result includes it. */
  readonly earlier: Summary | null;
  /** Known counterexamples, which are not searched for again. */
  readonly known: readonly FailureFile[];
}

/** The counterexamples of a campaign: one for each rule and shape, without ignored kinds and known files. */
export class Finds {
  readonly files: FailureFile[] = [];
  readonly #ignored: readonly string[];
  readonly #shapes: Set<string>;
  readonly #shrunk = new Map<string, number>();
  /** Number of failures that were ignored or already known. */
  repeats = 0;

  constructor({ ignored, known, earlier }: Beginnings & Pick<CampaignValue, 'ignored'>) {
    this.#ignored = ignored;
    if (earlier !== null) {
      this.files.push(...findsOf(earlier));
      this.repeats = earlier.repeats;
    }
    this.#shapes = new Set([...known, ...this.files].map(shapeOf));
    for (const { failure } of known) this.#count(plainKind(failure.kind));
    for (const [kind, times] of Object.entries(earlier?.shrunk ?? {})) this.#shrunk.set(kind, times);
  }

  /** Number of findings of each kind that were shrunk or known. */
  get shrunk(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#shrunk].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  isWanted({ kind }: Failure): boolean {
    const isWanted =
      !isIgnored(kind, this.#ignored) && (this.#shrunk.get(plainKind(kind)) ?? 0) < MOST_OF_A_KIND;
    if (isWanted) this.#count(plainKind(kind));
    else this.repeats += 1;
    return isWanted;
  }

  /** Adds a counterexample; returns whether it is new. */
  add(file: FailureFile): boolean {
    const shape = shapeOf(file);
    const isNew = !this.#shapes.has(shape) && !isIgnored(file.failure.kind, this.#ignored);
    this.#shapes.add(shape);
    if (isNew) this.files.push(file);
    else this.repeats += 1;
    return isNew;
  }

  #count(kind: string): void {
    this.#shrunk.set(kind, (this.#shrunk.get(kind) ?? 0) + 1);
  }
}
