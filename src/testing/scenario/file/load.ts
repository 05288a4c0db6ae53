import { resolve } from 'node:path';
import { UnreadableFile, readUserText } from '../../../core/user-file.js';
import { type Scenario, unreadable } from '../scenario.js';
import { readTypescript } from './typescript.js';
import { readYaml } from './yaml.js';

/** Loads the scenarios of a file. Rejects with BrokenFile. */
export async function loadFile(file: string, folder: string): Promise<Scenario[]> {
  const path = resolve(folder, file);
  if (/\.[cm]?[jt]s$/.test(file)) return readTypescript(path, file);
  let text: string;
  try {
    text = readUserText(path);
  } catch (error) {
    throw error instanceof UnreadableFile ? unreadable(file, error) : error;
  }
  return readYaml(text, file, path);
}
