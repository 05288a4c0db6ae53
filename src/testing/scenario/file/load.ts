import { resolve } from 'node:path';
import { type Scenario, textOf } from '../scenario.js';
import { readTypescript } from './typescript.js';
import { readYaml } from './yaml.js';

/** Loads the scenarios of a file. Rejects with BrokenFile. */
export async function loadFile(file: string, folder: string): Promise<Scenario[]> {
  const path = resolve(folder, file);
  if (/\.[cm]?[jt]s$/.test(file)) return readTypescript(path, file);
  return readYaml(textOf(path, file), file, path);
}
