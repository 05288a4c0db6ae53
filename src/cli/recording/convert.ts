import type { ConvertedRecording } from '../../api/control/world.js';

/** Converts the text of a recording to a scenario. Loads modules on first use. Throws RangeError. */
export async function scenarioOf(text: string, name: string): Promise<ConvertedRecording> {
  const { readRecording } = await import('../../recording/replay/read-recording.js');
  const { toScenario } = await import('../../recording/scenario/to-scenario.js');
  const made = await toScenario(readRecording(text, 'recording'), { name, all: false });
  return { scenario: made.text, steps: made.steps, leftOut: made.leftOut };
}
