// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { Command } from './process.js';

/** Removes the native part of bigint-buffer, as an installation without build scripts does: the package then warns on the console. */
const WITHOUT_BINDING = `const { _extensions } = require('node:module');
const load = _extensions['.node'];
_extensions['.node'] = (module, file) => {
  if (file.includes('bigint_buffer')) throw new Error('there is no native part');
  return load(module, file);
};
`;

/** A command line that runs one scenario. */
function oneScenario(at: string): string[] {
  const file = join(at, 'a.yaml');
  writeFileSync(
    file,
    'name: alice looks\nagents: { alice: { checking: { usdc: 5 } } }\nsteps: [alice.account]\n',
  );
  return ['run', file];
}

it.each([
  ['demo', () => ['demo']],
  ['run', oneScenario],
])('sim %s prints no bigint-buffer warning', async (_command, argsIn) => {
  const at = temporaryFolder();
  const preload = join(at, 'preload.cjs');
  writeFileSync(preload, WITHOUT_BINDING);
  const command = new Command(argsIn(at), { NODE_OPTIONS: `--require ${preload}` });
  expect(await command.ended()).toBe(0);
  expect(command.stdout + command.stderr).not.toMatch(/bigint|Failed to load bindings/);
});
