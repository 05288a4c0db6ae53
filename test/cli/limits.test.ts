import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startOptions } from '../../src/cli/start-options.js';
import { resolveConfig } from '../../src/runtime/config.js';
import { DEFAULT_LIMITS } from '../../src/core/limits.js';
import { world } from '../support/world.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const SHOWN = { inspector: true, paywall: false, json: true, keys: false, quiet: true };
const CLI = { port: 0, host: '127.0.0.1', rpc: true, variant: [], ...SHOWN };

it('--limit overrides the configuration file, and other limits keep their defaults', () => {
  const folder = temporaryFolder();
  const config = join(folder, 'config.json');
  writeFileSync(config, '{"limits": {"eventLogBytes": 2000000, "rpcBatchCalls": 7}}');
  const options = startOptions({ ...CLI, config, limit: ['rpcBatchCalls=8'] });
  expect(resolveConfig(options).limits).toEqual({
    ...DEFAULT_LIMITS,
    eventLogBytes: 2_000_000,
    rpcBatchCalls: 8,
  });
});

it('--limit suggests a limit of a similar name', () => {
  const text = '--limit rpcBatchCall: unknown option; did you mean rpcBatchCalls?';
  expect(() => startOptions({ ...CLI, limit: ['rpcBatchCall=5'] })).toThrow(text);
});

it('limits of a loaded state can be changed', async () => {
  const first = await world({ limits: { rpcBatchCalls: 5 } });
  const second = await world({ state: await first.exportState(), limits: { rpcBatchCalls: 6 } });
  expect([first, second].map(({ config }) => config.limits.rpcBatchCalls)).toEqual([5, 6]);
});
