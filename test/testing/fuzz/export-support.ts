import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parseAllDocuments, parseDocument } from 'yaml';
import {
  COMMANDS,
  type FailureFile,
  Model,
  type ModelConfig,
  type Step,
} from '../../../src/testing/fuzz-library.js';
import { scenarioOf } from '../../../src/testing/fuzz/failure/as-scenario.js';
import type { CheckSuite } from '../../../src/testing/fuzz/play/replay.js';
import type { ScenarioResult } from '../../../src/testing/scenario/results.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { played, troubles } from '../scenario/played.js';
import { failureByHand } from './by-hand.js';

export const CHECK_SUITE: CheckSuite = {
  commands: COMMANDS,
  rules: [],
  makeModel: (modelConfig: ModelConfig) => new Model(modelConfig),
};

/** The steps by which ann and ben sign in, bring money and save some: s1 to s10. */
export const OPENING: readonly Step[] = ['ann', 'ben'].flatMap((by, at) => {
  const id = 5 * at + 1;
  const step = (more: number, name: string, args: Step['with']) => ({
    id: id + more,
    do: name,
    by,
    with: args,
  });
  return [
    step(0, 'signIn', {}),
    step(1, 'send', {
      transfers: [
        { to: '${treasury}', token: 'USDC', amount: 5_000 },
        { to: '${treasury}', token: 'SOL', amount: 30 },
      ],
    }),
    ...(['USDC', 'SOL'] as const).map((token, place) =>
      step(2 + place, 'deposit', {
        body: { amount: token === 'USDC' ? 5_000 : 30, token, tx_signature: `\${s${id + 1}.signature}` },
      }),
    ),
    step(4, 'savingsDeposit', { body: { amount: 2_000, token: 'USDC' } }),
  ];
});
export const NEXT = OPENING.length + 1;

/** Steps numbered from the end of the opening on, after it. */
export function afterOpening(...steps: readonly Omit<Step, 'id'>[]): Step[] {
  return [...OPENING, ...steps.map((step, at) => ({ id: NEXT + at, ...step }))];
}

/** A counterexample written by hand that both engines confirm. */
export function failureWith(steps: readonly Step[], more: Partial<FailureFile> = {}): FailureFile {
  const failure = { at: steps.length - 1, kind: 'account: checking.usdc', text: 'something does not hold' };
  return { ...failureByHand(steps, 3), failure, confirmed: { engine: 'bankrun', failure }, ...more };
}

export async function exported(file: FailureFile, checkSuite: Partial<CheckSuite> = {}): Promise<string> {
  return (
    (await scenarioOf(file, { target: inProcessFuzz, checkSuite: { ...CHECK_SUITE, ...checkSuite } })) ?? ''
  );
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
  const result: ScenarioResult = await played(text, { isDetailed: false, ...options });
  return troubles(result);
}
