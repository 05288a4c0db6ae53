import type { ValueSource } from '../play/memory.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { AfterStep, StepResult } from '../play/sequence.js';
import type { Step } from '../step.js';

/** A value that a step produced for later ones. */
export interface Kept extends ValueSource {
  /** Such as `s3.signature`. */
  readonly name: string;
  readonly value: string;
}

/** A step of a counterexample as it was played, with what a scenario needs to know about its world. */
export interface PlayedStep extends Pick<StepResult, 'played' | 'broken'> {
  readonly step: Step;
  /** The name of the token that each agent used before the step (`s1.token`), and whether it was valid. */
  readonly tokens: ReadonlyMap<string, { readonly name: string; readonly isGood: boolean }>;
  readonly kept: readonly Kept[];
}

function tokensOf(runner: ModelRunner): PlayedStep['tokens'] {
  const names = new Map([...runner.memory.values].map(([name, value]) => [value, name]));
  const tokens = new Map<string, { name: string; isGood: boolean }>();
  for (const [agent, { text }] of runner.memory.tokens) {
    const name = names.get(text);
    if (name !== undefined) tokens.set(agent, { name, isGood: runner.isSignedIn(agent) });
  }
  return tokens;
}

/** Adds each step to a list as it is played. */
export function recordedIn(steps: PlayedStep[], runner: ModelRunner): AfterStep {
  let [tokens, known] = [tokensOf(runner), runner.memory.sources.size];
  return (step, { played, broken }) => {
    const { values, sources } = runner.memory;
    const fresh = [...sources].slice(known);
    const kept = fresh.map(([name, source]) => ({ name, value: values.get(name) ?? '', ...source }));
    steps.push({ step, played, broken, tokens, kept });
    [tokens, known] = [tokensOf(runner), sources.size];
  };
}
