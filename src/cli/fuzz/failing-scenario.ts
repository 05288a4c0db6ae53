import { defaultEngine } from '../../chain/engines/native.js';
import { IN_PROCESS } from '../../testing/drivers/in-process.js';
import { type FailureFile, scenarioOf } from '../../testing/fuzz-library.js';
import { readYaml } from '../../testing/scenario/file/yaml.js';
import { playScenario } from '../../testing/scenario/play/play.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';

const TIMEOUT_MS = 60_000;

/** Whether a scenario fails at its last step, as the counterexample does. */
function failsAtItsEnd({ verdict, reason, steps }: ScenarioResult): boolean {
  const failed = steps.findIndex((step) => step.verdict === 'failed');
  // Faults are removed after the step that they affect.
  const rest = steps
    .slice(failed + 1)
    .filter(({ title, place }) => title !== 'fault.clear' && place !== 'end');
  return verdict === 'failed' && reason === null && failed >= 0 && rest.length === 0;
}

/**
 * A counterexample as a scenario that fails in `sim run`. Null if it does not fail: a scenario can express neither the order of overlapping calls nor a custom rule.
 */
export async function failingScenario(file: FailureFile): Promise<string | null> {
  const text = await scenarioOf(file);
  if (text === null) return null;
  const path = `${file.name}.yaml`;
  const [scenario] = readYaml(text, path, path);
  if (scenario === undefined) return null;
  const result = await playScenario(scenario, {
    target: IN_PROCESS,
    engine: defaultEngine(),
    seed: null,
    isDetailed: false,
    timeoutMs: TIMEOUT_MS,
    rerun: () => '',
  });
  return failsAtItsEnd(result) ? text : null;
}
