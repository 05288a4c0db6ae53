import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function find(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : find(dirname(folder));
}

/** The root folder of this package, found from the running module in `src` or in a bundle of `dist`. */
export const PACKAGE_ROOT = find(dirname(fileURLToPath(import.meta.url)));

/** The file of the `sim` command, compiled or not, for child processes that run part of a command. */
export const COMMAND_FILE = join(
  PACKAGE_ROOT,
  import.meta.url.endsWith('.ts') ? 'src/cli/main.ts' : 'dist/cli/main.js',
);

export function packageVersion(): string {
  const text = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
