// @module-tag slow
import { afterEach, expect, it, vi } from 'vitest';
import { WriteAheadFile } from '../../../src/persistence/durable/write-ahead-file.js';
import { createSimulator } from '../../../src/index.js';
import { kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('tokens of fresh secrets stay valid although the disk was full when they were drawn', async () => {
  const dir = temporaryFolder();
  await (await kept(dir)).close();
  const quiet = { onTrouble: () => undefined };
  const spy = vi.spyOn(WriteAheadFile.prototype, 'replace').mockRejectedValue(new Error('ENOSPC'));
  const fresh = await createSimulator({ dataDir: dir, freshSecrets: true }, quiet);
  spy.mockRestore();
  const { token } = await fresh.agent(0).signIn();
  await fresh.close();
  const again = await kept(dir);
  const authorization = `Bearer ${token}`;
  const answer = await again.fetch('/api/v1/agent/account', { headers: { authorization } });
  expect(answer.status).toBe(200);
});

it('many worlds in one process cause no warning', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  for (let at = 0; at < 12; at += 1) await kept(temporaryFolder());
  await new Promise(setImmediate);
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});
