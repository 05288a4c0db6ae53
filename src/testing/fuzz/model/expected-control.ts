import type { Books } from './books.js';
import { SOME_TEXT, WithOptional } from './checks.js';
import { type Tree, differenceOf } from './compare.js';
import type { Difference } from './difference.js';
import type { Answer, Expectation } from './types.js';

/** A refusal whose text must contain these parts. */
interface Named {
  readonly code: string;
  readonly error: Tree;
}

/** The result of a command: the content of its response when it was carried out, or a refusal, mostly by code alone. */
export type Outcome = (() => Tree) | string | Named;

/** The expected response to a command of the control interface. */
export class ExpectedControl implements Expectation {
  readonly status: number;
  readonly code: string | null;
  readonly #books: Books;
  readonly #body: () => Tree;

  constructor(books: Books, outcome: Outcome) {
    this.#books = books;
    if (typeof outcome === 'function') {
      [this.code, this.status, this.#body] = [null, 200, outcome];
      return;
    }
    const { code, error } = typeof outcome === 'string' ? { code: outcome, error: SOME_TEXT } : outcome;
    this.code = code;
    this.status = code.endsWith('not_found') ? 404 : 400;
    this.#body = () => new WithOptional({ error, code }, { requestId: SOME_TEXT });
  }

  judge(response: Answer | null): Difference | null {
    if (response === null) return null;
    if (response.status === this.status) return differenceOf(this.#body(), response.body, this.#books);
    return { kind: 'status', expected: { status: this.status, code: this.code }, actual: response };
  }
}
