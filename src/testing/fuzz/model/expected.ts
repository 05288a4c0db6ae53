import type { Books } from './books.js';
import { SOME_TEXT } from './checks.js';
import { type Tree, differenceOf } from './compare.js';
import type { Difference } from './difference.js';
import type { Answer, Expectation } from './types.js';
import { type Verdict, statusOf } from './verdict.js';

export class Expected implements Expectation {
  readonly status: number;
  readonly code: string | null;
  readonly #body: Tree;
  readonly #books: Books;

  constructor(books: Books, verdict: Verdict) {
    this.#books = books;
    this.code = verdict.code;
    if (verdict.code === null) {
      this.status = 200;
      this.#body = verdict.body;
      return;
    }
    const switched = books.modelConfig.variants.errorStatus as Readonly<Record<string, number | undefined>>;
    this.status = switched[verdict.code] ?? statusOf(verdict.code);
    this.#body = { error: SOME_TEXT, code: verdict.code, details: verdict.details, requestId: SOME_TEXT };
  }

  judge(response: Answer | null): Difference | null {
    if (response === null) return null;
    if (response.status === this.status) return differenceOf(this.#body, response.body, this.#books);
    return { kind: 'status', expected: { status: this.status, code: this.code }, actual: response };
  }
}
