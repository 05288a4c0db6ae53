import { readYaml } from '../../../../src/testing/scenario/file/yaml.js';
import { BrokenFile } from '../../../../src/testing/scenario/scenario.js';

/** How a text is refused as a scenario file. */
export function brokenYaml(text: string): BrokenFile {
  try {
    readYaml(text, 'a.yaml', '/nowhere/a.yaml');
  } catch (error) {
    if (error instanceof BrokenFile) return error;
    throw error;
  }
  throw new Error(`nothing is wrong with ${text}`);
}
