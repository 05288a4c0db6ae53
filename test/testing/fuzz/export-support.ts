import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parseAllDocuments, parseDocument } from 'yaml';
import type { FailureFile, FuzzTarget, Step } from '../../../src/testing/fuzz-library.js';
import { opening, type CheckSuite } from '../../../src/testing/fuzz/play/replay.js';
import { scenarioOf } from '../../../src/testing/fuzz/failure/as-scenario.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { played, troubles } from '../scenario/played.js';
import { CHECK_SUITE, failureByHand } from './by-hand.js';
import { type Unnumbered, numbered } from './steps.js';

/** The steps by which ann and ben sign in, bring money and save some. */
export const OPENING = opening(['ann', 'ben']);
export const NEXT = OPENING.length + 1;

/** Steps numbered from the end of the opening on, after it. */
export function afterOpening(...steps: readonly Unnumbered[]): Step[] {
  return [...OPENING, ...numbered(steps, OPENING.length)];
}

/** A counterexample written by hand that both engines confirm. */
export function failureWith(steps: readonly Step[], more: Partial<FailureFile> = {}): FailureFile {
  const failure = { at: steps.length - 1, kind: 'account: checking.usdc', text: 'something does not hold' };
  return { ...failureByHand(steps, 3), failure, confirmed: { engine: 'bankrun', failure }, ...more };
}

/** A counterexample as the scenario that a world in this process or a broken one gives; empty for none. */
export async function exported(
  file: FailureFile,
  { target = inProcessFuzz, ...more }: Partial<CheckSuite> & { readonly target?: FuzzTarget } = {},
): Promise<string> {
  return (await scenarioOf(file, { target, checkSuite: { ...CHECK_SUITE, ...more } })) ?? '';
}

const validate = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync('schema/scenario.schema.json', 'utf8')) as object,
);

/** What editors find wrong with a scenario file. */
export function faultsOf(text: string): unknown {
  for (const document of parseAllDocuments(text)) if (!validate(document.toJS())) return validate.errors;
  return null;
}

type WrittenStep = Readonly<Record<string, unknown>> | string;

export function stepsOf(text: string): readonly WrittenStep[] {
  return (parseDocument(text).toJS() as { steps: WrittenStep[] }).steps;
}

/** The scenario with another expectation of the last step that is a call. */
export function contradicted(text: string): string {
  const document = parseDocument(text);
  const steps = stepsOf(text);
  const at = steps.findLastIndex((step) => typeof step === 'string' || !('fault.clear' in step));
  const step = steps[at] as WrittenStep;
  const whole = typeof step === 'string' ? { [step]: {} } : step;
  document.setIn(['steps', at], document.createNode({ ...whole, expect: { code: 'nothing_of_the_kind' } }));
  return document.toString();
}

/** What does not hold when a scenario is played; nothing of its details is kept. */
export async function playedTroubles(
  text: string,
  options: Parameters<typeof played>[1] = {},
): Promise<string[]> {
  return troubles(await played(text, { isDetailed: false, ...options }));
}
