import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { failing } from './here.js';
import { serving } from './process.js';

describe('sim start --data-dir', () => {
  it(
    'resumes after SIGKILL with every answered write, and reports a truncated torn one',
    { tags: ['slow'] },
    async () => {
      const dir = join(temporaryFolder(), 'made', 'by', 'it');
      const first = await serving('--quiet', '--data-dir', dir, '--seed', 'cli', '--time', 'frozen');
      const request = await first.agent().requestPayment({ amount: 1, description: 'kept' });
      await first.command.endedBy('SIGKILL');
      const data = join(dir, 'world.data');
      writeFileSync(data, Buffer.concat([readFileSync(data), Buffer.from('abs\u0001torn')]));
      const second = await serving('--quiet', '--data-dir', dir, '--fsync', 'always');
      expect(second.ready.seed).toBe('cli');
      expect(second.command.stderr).toMatch(
        /[1-9]\d* bytes at the end were cut off.*The world is in its state when .*20\d\d-.*If the file was damaged since/,
      );
      const next = await second.agent().requestPayment({ amount: 1, description: 'kept' });
      expect(next.payment_request.request_id).not.toBe(request.payment_request.request_id);
      expect(readdirSync(dir).toSorted()).toEqual([expect.stringMatching(/^lock-/), 'world.data']);
      await second.stop();
      expect(readdirSync(dir)).toEqual(['world.data']);
    },
  );

  it('exits with 2 and one line, changing nothing, when the folder is unusable', async () => {
    const dir = temporaryFolder();
    const data = join(dir, 'world.data');
    const tried = async (...more: string[]) => {
      const before = readdirSync(dir);
      const line = await failing(2, 'start', '--port', '0', '--data-dir', dir, ...more);
      expect(readdirSync(dir)).toEqual(before);
      return line;
    };
    writeFileSync(data, 'not ours');
    expect(await tried()).toContain('this is not a data file of agent-bank-sim');
    cpSync('fixtures/data/format-1/world.data', data);
    expect(await tried('--seed', 'other')).toContain('seed: the world in');
    expect(await tried('--state', 'any.sim')).toContain('state: ');
    expect(await tried('--compact-at', '0')).toContain('--compact-at: ');
    expect(
      await tried('--engine', 'cluster', '--cluster-url', 'http://127.0.0.1:1', '--treasury-key', 'none'),
    ).toContain('treasury-key');
    const bytes = readFileSync(data);
    bytes[200] = (bytes[200] as number) ^ 1;
    writeFileSync(data, bytes);
    expect(await tried()).toContain('damaged');
    expect(readFileSync(data).equals(bytes)).toBe(true);
  });
});
