import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DataError } from '../../../src/persistence/durable/data-error.js';
import { openFolder } from '../../../src/persistence/durable/folder.js';
import { readFrames } from '../../../src/persistence/durable/frames.js';
import { createSimulator } from '../../../src/index.js';
import { RandomPlay } from '../../support/random-play.js';
import { seeded } from '../../support/seeded.js';
import { dataOf, folderOf } from './support.js';

/** A file of a data folder, to be damaged at random places. */
export class DamagedFile {
  readonly whole: Buffer;
  /** Where each frame ends. */
  readonly ends: readonly number[];

  private constructor(whole: Buffer) {
    this.whole = whole;
    const { frames, head } = readFrames(whole);
    let at = head.bytes.length;
    this.ends = frames.map(({ payload }) => (at += 31 + payload.length));
  }

  /** The file of a world in which much has happened. */
  static async make(): Promise<DamagedFile> {
    const dir = mkdtempSync(join(tmpdir(), 'sim-data-'));
    const sim = await createSimulator({ dataDir: dir, engine: 'litesvm', time: 'frozen' });
    await new RandomPlay(sim, 'damage', { hasFaults: true }).play(80);
    await sim.close();
    const whole = dataOf(dir);
    rmSync(dir, { recursive: true });
    return new DamagedFile(whole);
  }

  /** The number of frames that a start loads from a file, or the code of its error, after which the file is unchanged. */
  loaded(bytes: Buffer): number | string {
    const dir = folderOf(bytes);
    try {
      const opened = openFolder(dir);
      expect(opened.world).not.toBeNull();
      opened.open().close();
      opened.release();
      return this.ends.indexOf(dataOf(dir).length) + 1;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      expect(error.message.length).toBeGreaterThan(30);
      expect(dataOf(dir).equals(bytes)).toBe(true);
      expect(readdirSync(dir)).toEqual(['world.data']);
      return error.code;
    } finally {
      rmSync(dir, { recursive: true });
    }
  }

  /** Fails unless a file that ends too early loads every frame that is complete. */
  cut(places: number): void {
    const random = seeded('cuts');
    for (let round = 0; round < places; round += 1) {
      const at = random.below(this.whole.length);
      // Half of them have room for later frames at their end, which restores zeros that were cut off.
      const room = Buffer.alloc(round % 2 === 0 ? 0 : 5_000);
      let end = at;
      while (room.length > 0 && this.whole[end] === 0) end += 1;
      const frames = this.ends.filter((each) => each <= end).length;
      const found = this.loaded(Buffer.concat([this.whole.subarray(0, at), room]));
      if (frames > 0) expect(found, `cut at ${at}`).toBe(frames);
      else expect(['data_damaged', 'not_a_data_folder'], `cut at ${at}`).toContain(found);
    }
  }

  /** Fails unless a file with one wrong bit is rejected, or loads all but its last frame when the bit is in that. */
  flip(places: number): void {
    const random = seeded('flips');
    const lastAt = this.ends.at(-2) as number;
    const rejected = ['data_damaged', 'not_a_data_folder', 'data_of_another_version'];
    for (let round = 0; round < places; round += 1) {
      const at = random.below(this.whole.length);
      const bytes = Buffer.from(this.whole);
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      const found = this.loaded(bytes);
      if (at >= lastAt) expect(found, `flip at ${at}`).toBe(this.ends.length - 1);
      else expect(rejected, `flip at ${at}`).toContain(found);
    }
  }
}
