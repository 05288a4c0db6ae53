import type { FailureFile } from '../failure/failure-file.js';
import { type Failure, plainKind } from '../play/sequence.js';

/** Findings of one kind that are shrunk, since different bugs may break the same rule. */
const MOST_OF_A_KIND = 3;

/** The rule that a counterexample breaks and the commands that it takes: equal for what is most likely one bug. */
export function shapeOf({ failure, steps }: FailureFile): string {
  return [plainKind(failure.kind), ...steps.map((step) => step.do)].join(' | ');
}

/** Whether a kind is among those to ignore, each given in full or by its beginning. */
export function isIgnored(kind: string, ignored: readonly string[]): boolean {
  return ignored.some((each) => kind.startsWith(each) || plainKind(kind).startsWith(each));
}

/** The counterexamples of a campaign: one for each rule and shape, without the ignored kinds and known files. */
export class Finds {
  readonly files: FailureFile[] = [];
  readonly #ignored: readonly string[];
  readonly #shapes: Set<string>;
  readonly #shrunk = new Map<string, number>();
  #repeats = 0;

  constructor({ ignored, known }: { ignored: readonly string[]; known: readonly FailureFile[] }) {
    this.#ignored = ignored;
    this.#shapes = new Set(known.map(shapeOf));
    for (const { failure } of known) this.#count(plainKind(failure.kind));
  }

  /** Number of failures that were not kept: ignored, or found before. */
  get repeats(): number {
    return this.#repeats;
  }

  /** Whether a failure is to be shrunk. */
  isWanted({ kind }: Failure): boolean {
    const isWanted =
      !isIgnored(kind, this.#ignored) && (this.#shrunk.get(plainKind(kind)) ?? 0) < MOST_OF_A_KIND;
    if (isWanted) this.#count(plainKind(kind));
    else this.#repeats += 1;
    return isWanted;
  }

  /** Adds a counterexample; returns whether it is new. */
  add(file: FailureFile): boolean {
    const shape = shapeOf(file);
    const isNew = !this.#shapes.has(shape) && !isIgnored(file.failure.kind, this.#ignored);
    this.#shapes.add(shape);
    if (isNew) this.files.push(file);
    else this.#repeats += 1;
    return isNew;
  }

  #count(kind: string): void {
    this.#shrunk.set(kind, (this.#shrunk.get(kind) ?? 0) + 1);
  }
}
