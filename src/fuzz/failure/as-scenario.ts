import type { FailureFile } from './failure-file.js';

/** A counterexample as the text of a scenario file. */
export async function scenarioOf(file: FailureFile): Promise<string> {
  return `name: ${JSON.stringify(file.failure.kind)}\n`;
}
