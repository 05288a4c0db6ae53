import { statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { glob } from 'tinyglobby';
import { type Scenario, textOf } from '../scenario.js';
import { readTypescript } from './typescript.js';
import { readYaml } from './yaml.js';

const PATTERNS = ['**/*.yaml', '**/*.yml', '**/*.scenario.{ts,mts,js,mjs}'];

/** A path without scenarios; the message names it. */
export class NothingFound extends Error {
  override readonly name = 'NothingFound';
}

function kindOf(path: string): 'folder' | 'file' | 'none' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'none';
  }
}

/**
 * Finds scenario files by paths and globs relative to the working directory, in alphabetical order without duplicates. In folders:
 * *.yaml, *.yml and *.scenario.ts (or .mts, .js, .mjs). Rejects with NothingFound for a path without any.
 */
export async function findFiles(paths: readonly string[], folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const kind = kindOf(path);
    const patterns =
      kind === 'folder' ? PATTERNS.map((pattern) => `${path.replace(/[/\\]$/, '')}/${pattern}`) : [path];
    const files =
      kind === 'file'
        ? [path]
        : await glob(patterns, { cwd: folder, absolute: true, ignore: ['**/node_modules/**'] });
    if (files.length === 0) throw new NothingFound(`${path}: no scenario file found`);
    for (const file of files) found.add(relative(folder, file).split(sep).join('/'));
  }
  return [...found].toSorted();
}

/** Loads the scenarios of a file. Rejects with BrokenFile. */
export async function loadFile(file: string, folder: string): Promise<Scenario[]> {
  const path = resolve(folder, file);
  if (/\.[cm]?[jt]s$/.test(file)) return readTypescript(path, file);
  return readYaml(textOf(path, file), file, path);
}
