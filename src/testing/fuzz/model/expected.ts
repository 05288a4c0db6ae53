import { SOME_TEXT, withOptional } from './checks.js';
import { type Memory, type Tree, differenceOf } from './compare.js';
import type { Expectation, ModelConfig } from './types.js';
import { type Verdict, statusOf } from './verdict.js';

function expected(memory: Memory, status: number, code: string | null, body: () => Tree): Expectation {
  return {
    status,
    code,
    judge: (response) => {
      if (response === null) return null;
      if (response.status === status) return differenceOf(body(), response.body, memory);
      return { kind: 'status', expected: { status, code }, actual: response };
    },
  };
}

export function expectedAnswer(memory: Memory, { variants }: ModelConfig, verdict: Verdict): Expectation {
  const { code } = verdict;
  if (code === null) return expected(memory, 200, null, () => verdict.body);
  const switched = variants.errorStatus as Readonly<Record<string, number | undefined>>;
  const status = switched[code] ?? statusOf(code);
  const body = { error: SOME_TEXT, code, details: verdict.details, requestId: SOME_TEXT };
  return expected(memory, status, code, () => body);
}

/** The result of an operator's command: the content of its response when it was carried out, or the code of a refusal. */
export type Outcome = (() => Tree) | string;

/** The expected response to a command of the control interface. */
export function expectedControl(memory: Memory, outcome: Outcome): Expectation {
  if (typeof outcome === 'function') return expected(memory, 200, null, outcome);
  const status = outcome.endsWith('not_found') ? 404 : 400;
  const body = withOptional({ error: SOME_TEXT, code: outcome }, { requestId: SOME_TEXT });
  return expected(memory, status, outcome, () => body);
}
