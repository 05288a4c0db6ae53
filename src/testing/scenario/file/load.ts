import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BrokenFile, type Scenario } from '../scenario.js';
import { readTypescript } from './typescript.js';
import { readYaml } from './yaml.js';

/** Loads the scenarios of a file. Rejects with BrokenFile. */
export async function loadFile(file: string, folder: string): Promise<Scenario[]> {
  const path = resolve(folder, file);
  if (/\.[cm]?[jt]s$/.test(file)) return readTypescript(path, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BrokenFile(
      file,
      1,
      1,
      `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
  return readYaml(text, file, path);
}
