import { readFileSync } from 'node:fs';

// Both src and dist lie beside package.json.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this package, from its own package.json. */
export const VERSION = version;
