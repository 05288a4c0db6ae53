// @module-tag slow
import { expect, it } from 'vitest';
import { temporaryFile } from '../support/temporary-folder.js';
import { Command } from './process.js';

/** Removes the native part of bigint-buffer, as an installation without build scripts does: the package then warns on the console. */
const WITHOUT_BINDING = `const { _extensions } = require('node:module');
const load = _extensions['.node'];
_extensions['.node'] = (module, file) => {
  if (file.includes('bigint_buffer')) throw new Error('there is no native part');
  return load(module, file);
};
`;

const SCENARIO = 'name: alice looks\nagents: { alice: { checking: { usdc: 5 } } }\nsteps: [alice.account]\n';

it.each([
  ['demo', () => ['demo']],
  ['run', () => ['run', temporaryFile(SCENARIO, 'a.yaml')]],
])('sim %s prints no bigint-buffer warning', async (_command, args) => {
  const preload = temporaryFile(WITHOUT_BINDING, 'preload.cjs');
  const command = new Command(args(), { NODE_OPTIONS: `--require ${preload}` });
  expect(await command.ended()).toBe(0);
  expect(command.stdout + command.stderr).not.toMatch(/bigint|Failed to load bindings/);
});
