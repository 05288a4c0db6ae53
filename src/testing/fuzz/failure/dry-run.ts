import type { Deviation } from '../model/difference.js';
import type { ValueSource } from '../play/memory.js';
import { ModelRunner, type Overlapped } from '../play/model-runner.js';
import { brokenBy } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import type { CheckSuite } from '../play/replay.js';

/** A value that a step produced for later ones. */
export interface Kept extends ValueSource {
  /** Such as `s3.signature`. */
  readonly name: string;
  readonly value: string;
}

export interface DryRunStep {
  readonly step: Step;
  /** The model's outcome: `ok`, a code, `lost`, `refused`, `failed`; null when the step could not be played. */
  readonly outcome: string | null;
  /** How the step's result deviates from the model; null if it does not. */
  readonly deviation: Deviation | null;
  /** The name of the token that each agent used before the step (`s1.token`), and whether it was valid. */
  readonly tokens: ReadonlyMap<string, { readonly name: string; readonly isGood: boolean }>;
  readonly kept: readonly Kept[];
  readonly overlapped: Overlapped | null;
  readonly nowMs: number;
}

export interface DryRun {
  readonly steps: readonly DryRunStep[];
  readonly runner: ModelRunner;
  /** The rule that the last step breaks: a rule of the model, a custom rule, or that the books match the chain. Null for none. */
  readonly broken: Deviation | null;
}

function tokensOf(runner: ModelRunner): DryRunStep['tokens'] {
  const names = new Map([...runner.memory.values].map(([name, value]) => [value, name]));
  const tokens = new Map<string, { name: string; isGood: boolean }>();
  for (const [agent, { text }] of runner.memory.tokens) {
    const name = names.get(text);
    if (name !== undefined) tokens.set(agent, { name, isGood: runner.isSignedIn(agent) });
  }
  return tokens;
}

/** Plays steps in a fresh world, and returns for each the model's outcome and the values it produced. */
export async function dryRun(
  steps: readonly Step[],
  at: { target: FuzzTarget; world: WorldOptions; agents: number; checkSuite: CheckSuite },
): Promise<DryRun> {
  const { commands, rules, makeModel } = at.checkSuite;
  const world = await at.target.open(at.world);
  try {
    const runner = new ModelRunner(world, makeModel(world.modelConfig), at.agents);
    const played: DryRunStep[] = [];
    let broken: Deviation | null = null;
    for (const step of steps) {
      const { values, sources } = runner.memory;
      const known = sources.size;
      const tokens = tokensOf(runner);
      const command = commands.find(({ name }) => name === step.do);
      // A step that can no longer be played has no outcome.
      const result = await command?.play(step, runner).catch(() => undefined);
      if (step === steps.at(-1) && result !== undefined)
        broken = (await brokenBy(step, result, { runner, rules, isProved: true }))?.deviation ?? null;
      played.push({
        step,
        outcome: result?.outcome ?? null,
        deviation: result?.deviation ?? null,
        tokens,
        kept: [...sources].slice(known).map(([name, source]) => ({
          name,
          value: values.get(name) ?? '',
          ...source,
        })),
        overlapped: result?.overlapped ?? null,
        nowMs: runner.world.nowMs(),
      });
    }
    return { steps: played, runner, broken };
  } finally {
    await world.close();
  }
}
