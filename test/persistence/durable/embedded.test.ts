// @module-tag slow
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readFrames } from '../../../src/persistence/durable/frames.js';
import { agentWith } from '../../support/world.js';
import { QUIET, dataOf, folderOf, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A whole frame of a file, as text that a customer can send. Knowing the options of a world is enough to make a file like it. */
function frameAsText(file: Buffer): string {
  const { head } = readFrames(file);
  const part = Buffer.alloc(11);
  part.writeUInt8(1, 0);
  const digest = createHash('sha256').update(head.seed).update(part).digest().subarray(0, 16);
  return Buffer.concat([Buffer.from('abs\u0001', 'latin1'), part, digest]).toString('latin1');
}

it('a torn last frame is cut although a customer’s memo in it contains a frame', async () => {
  const [dir, like] = [temporaryFolder(), temporaryFolder()];
  const sim = await kept(dir);
  await kept(like);
  const agent = await agentWith(sim, 0, { usdc: 50 });
  await agent.withdraw({ amount: 1, token: 'USDC' });
  const wholeBytes = readFrames(dataOf(dir)).wholeBytes;
  await agent.pay({
    amount: 1,
    token: 'USDC',
    recipient: sim.createWallet().address,
    memo: frameAsText(dataOf(like)),
  });
  const file = dataOf(dir);
  const end = readFrames(file).wholeBytes;
  expect(end).toBeGreaterThan(wholeBytes);
  const torn = await kept(folderOf(file.subarray(0, end - 1)), {}, QUIET);
  expect(torn.books.entries()).toBeGreaterThan(0);
});
