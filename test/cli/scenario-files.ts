import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.js';

const SCRIPT = fileURLToPath(new URL('../../src/testing/scenario/script.js', import.meta.url));

/** The first line of a scenario in TypeScript. */
export const IMPORT = `import { property, scenario } from ${JSON.stringify(SCRIPT)};`;

export const LOOKS = `name: alice looks
tags: [quick, reading]
agents: { alice: {} }
steps: [alice.account]
`;
export const BROKE = `name: alice is broke
tags: [slow]
agents: { alice: {} }
steps: [{ alice.withdraw: { amount: 1, token: USDC } }]
`;

/** A new folder with the given files. */
export function filesWith(files: Readonly<Record<string, string>>): string {
  const at = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  return at;
}
