import type { ConvertedRecording } from '../../api/control/world.js';

/** Converts the text of a recording to a scenario, with the modules for it loaded on first use. Throws RangeError. */
export async function scenarioOf(text: string, name: string): Promise<ConvertedRecording> {
  const { readRecording } = await import('../../testing/replay/read-recording.js');
  const { toScenario } = await import('../../testing/replay/scenario/to-scenario.js');
  const { UnreadableRecording } = await import('../../testing/replay/recording-error.js');
  try {
    const {
      text: scenario,
      steps,
      leftOut,
    } = await toScenario(readRecording(text, 'recording'), {
      name,
      all: false,
    });
    return { scenario, steps, leftOut };
  } catch (error) {
    throw error instanceof UnreadableRecording ? new RangeError(error.message) : error;
  }
}
