import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** What the source notes of itself where all mutants are built in. */
interface Noted {
  readonly __stryker__?: { readonly mutantCoverage?: { readonly static: Readonly<Record<string, number>> } };
}

afterAll(() => {
  const reached = (globalThis as Noted).__stryker__?.mutantCoverage?.static ?? {};
  const line = { test: expect.getState().testPath, reached: Object.keys(reached) };
  appendFileSync(new URL('../reached.jsonl', import.meta.url), `${JSON.stringify(line)}\n`);
});
