import { expect, it } from 'vitest';
import { startOptions } from '../../src/cli/start-options.js';
import { resolveConfig } from '../../src/runtime/config.js';
import { DEFAULT_LIMITS } from '../../src/core/limits.js';
import { temporaryFile } from '../support/temporary-folder.js';

const SHOWN = { inspector: true, paywall: false, json: true, keys: false, quiet: true };
const CLI = { port: 0, host: '127.0.0.1', rpc: true, variant: [], ...SHOWN };

it('--limit overrides the configuration file, and other limits keep their defaults', () => {
  const config = temporaryFile('{"limits": {"eventLogBytes": 2000000, "rpcBatchCalls": 7}}');
  const options = startOptions({ ...CLI, config, limit: ['rpcBatchCalls=8'] });
  expect(resolveConfig(options).limits).toEqual({
    ...DEFAULT_LIMITS,
    eventLogBytes: 2_000_000,
    rpcBatchCalls: 8,
  });
});
