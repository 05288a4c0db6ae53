import { createDeflateRaw } from 'node:zlib';
import { expect, it } from 'vitest';
import { readState } from '../../../src/persistence/state-file/file.js';
import { world } from '../../support/world.js';
import { openly, sealed } from './support.js';

const MIB = 1_024 * 1_024;
const WORLD_MIB = 512;

/** A state with a right checksum whose world is half a gigabyte of zeros, in half a megabyte. */
async function bomb(): Promise<Buffer> {
  const { head } = openly(await (await world()).exportState());
  const deflate = createDeflateRaw({ level: 9 });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  const zeros = Buffer.alloc(MIB);
  for (let at = 0; at < WORLD_MIB; at += 1)
    await new Promise<void>((resolve) => void deflate.write(zeros, () => resolve()));
  await new Promise<void>((resolve) => void deflate.end(() => resolve()).resume());
  return sealed(head.replace(/"worldBytes":\d+/, `"worldBytes":${WORLD_MIB * MIB}`), Buffer.concat(parts));
}

it(
  'a small state file that declares a huge world is rejected without allocating its size',
  { tags: ['slow'] },
  async () => {
    const state = await bomb();
    expect(state.length).toBeLessThan(MIB);
    const beforeKib = process.resourceUsage().maxRSS;
    expect(() => readState(state)).toThrow(/damaged/);
    expect((process.resourceUsage().maxRSS - beforeKib) / 1_024).toBeLessThan(WORLD_MIB / 2);
  },
);
