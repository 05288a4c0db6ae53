import { createHash } from 'node:crypto';
import { createDeflateRaw } from 'node:zlib';
import { expect, it } from 'vitest';
import { readState } from '../../../src/persistence/state-file/file.js';
import { world } from '../../support/world.js';

const MIB = 1_024 * 1_024;
const WORLD_MIB = 512;

/** A state with a right checksum whose world is half a gigabyte of zeros, in half a megabyte. */
async function bomb(): Promise<Buffer> {
  const good = Buffer.from(await (await world()).exportState());
  const lineEnd = good.indexOf(0x0a);
  const header = JSON.parse(good.subarray(lineEnd, good.indexOf(0x0a, lineEnd + 1)).toString()) as object;
  const text = JSON.stringify({ ...header, worldBytes: WORLD_MIB * MIB });
  const deflate = createDeflateRaw({ level: 9 });
  const parts: Buffer[] = [good.subarray(0, lineEnd + 1), Buffer.from(`${text}\n`)];
  deflate.on('data', (part: Buffer) => parts.push(part));
  const zeros = Buffer.alloc(MIB);
  for (let at = 0; at < WORLD_MIB; at += 1)
    await new Promise<void>((resolve) => void deflate.write(zeros, () => resolve()));
  await new Promise<void>((resolve) => void deflate.end(() => resolve()).resume());
  const whole = Buffer.concat(parts);
  return Buffer.concat([whole, createHash('sha256').update(whole).digest()]);
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
