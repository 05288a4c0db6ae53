import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATA_FORMAT, frameBytes, newHead, readFrames } from '../../../src/persistence/durable/frames.js';
import { DATA_LAYOUT, openFolder } from '../../../src/persistence/durable/folder.js';
import { DataError } from '../../../src/persistence/durable/data-error.js';
import { createSimulator } from '../../../src/index.js';
import { seeded } from '../../support/seeded.js';
import { RandomPlay } from '../../support/random-play.js';
import { dataOf, folder, folderOf, kept } from './support.js';

/** Where a file is cut, and where a bit of it is flipped. */
const PLACES = 2_000;

let whole: Buffer;
/** Where each frame ends. */
let ends: number[];

beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sim-data-'));
  const sim = await createSimulator({ dataDir: dir, engine: 'litesvm', time: 'frozen' });
  await new RandomPlay(sim, 'damage', { hasFaults: true }).play(80);
  await sim.close();
  whole = dataOf(dir);
  rmSync(dir, { recursive: true });
  const { frames, head } = readFrames(whole);
  ends = [];
  let at = head.bytes.length;
  for (const { payload } of frames) ends.push((at += 31 + payload.length));
});

/** The number of frames that a start loads from a file, or the code of its error, after which the file is unchanged. */
function loaded(bytes: Buffer): number | string {
  const dir = folderOf(bytes);
  try {
    const opened = openFolder(dir);
    expect(opened.world).not.toBeNull();
    opened.open().close();
    opened.release();
    return ends.indexOf(dataOf(dir).length) + 1;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    expect(error.message.length).toBeGreaterThan(30);
    expect(dataOf(dir).equals(bytes)).toBe(true);
    expect(readdirSync(dir)).toEqual(['world.data']);
    return error.code;
  }
}

/** How many frames are whole before a place. */
function framesBefore(at: number): number {
  return ends.filter((end) => end <= at).length;
}

describe('truncated data file', () => {
  it(`loads every complete frame, at ${PLACES} places`, () => {
    const random = seeded('cuts');
    for (let round = 0; round < PLACES; round += 1) {
      const at = random.below(whole.length);
      // Half of them have room for later frames at their end, which restores zeros that were cut off.
      const room = Buffer.alloc(round % 2 === 0 ? 0 : 5_000);
      let end = at;
      while (room.length > 0 && whole[end] === 0) end += 1;
      const frames = framesBefore(end);
      const found = loaded(Buffer.concat([whole.subarray(0, at), room]));
      if (frames > 0) expect(found, `cut at ${at}`).toBe(frames);
      else expect(['data_damaged', 'not_a_data_folder'], `cut at ${at}`).toContain(found);
    }
  });
});

describe('corrupted data file', () => {
  it(`is rejected, or loads all but a damaged last frame, at ${PLACES} places`, () => {
    const random = seeded('flips');
    const lastAt = ends.at(-2) as number;
    for (let round = 0; round < PLACES; round += 1) {
      const at = random.below(whole.length);
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      const found = loaded(bytes);
      if (at >= lastAt) expect(found, `flip at ${at}`).toBe(ends.length - 1);
      else
        expect(['data_damaged', 'not_a_data_folder', 'data_of_another_version'], `flip at ${at}`).toContain(
          found,
        );
    }
  });

  it('is rejected when a middle frame is missing, repeated or foreign', () => {
    const [, second, third, fourth] = ends as [number, number, number, number];
    const parts = [whole.subarray(0, second), whole.subarray(second, third), whole.subarray(third, fourth)];
    const [a, b, c] = parts as [Buffer, Buffer, Buffer];
    expect(loaded(Buffer.concat([a, c]))).toBe('data_damaged');
    expect(loaded(Buffer.concat([a, b, b]))).toBe('data_damaged');
    expect(loaded(Buffer.concat([a, c, b]))).toBe('data_damaged');
    const other = newHead('{}');
    const foreign = frameBytes(other, { kind: 'changes', number: 3, payload: new Uint8Array(9) });
    expect(loaded(Buffer.concat([a, foreign]))).toBe(2);
    expect(loaded(Buffer.concat([a, foreign, c]))).toBe('data_damaged');
  });
});

describe('a data folder is rejected', () => {
  const codeOf = async (dir: string) =>
    createSimulator({ dataDir: dir }).then(
      () => 'taken',
      (error: unknown) => (error as DataError).code,
    );

  it('when its file is foreign, of a newer version or of another layout', async () => {
    expect(await codeOf(folderOf(Buffer.from('a text of somebody else')))).toBe('not_a_data_folder');
    expect(await codeOf(folderOf(Buffer.alloc(0)))).toBe('not_a_data_folder');
    const newer = Buffer.from(whole.toString('latin1').replace('data 1\n', 'data 2\n'), 'latin1');
    expect(await codeOf(folderOf(newer))).toBe('data_of_another_version');
    const head = newHead(JSON.stringify({ begun: {}, layout: '0123456789abcdef' }));
    const frame = frameBytes(head, { kind: 'world', number: 1, payload: new Uint8Array(9) });
    expect(await codeOf(folderOf(Buffer.concat([head.bytes, frame])))).toBe('data_of_another_version');
    const right = newHead(JSON.stringify({ begun: {}, layout: DATA_LAYOUT }));
    const nothing = frameBytes(right, { kind: 'world', number: 1, payload: new Uint8Array(9) });
    expect(await codeOf(folderOf(Buffer.concat([right.bytes, nothing])))).toBe('data_damaged');
    for (const json of [
      'null',
      '{',
      '[]',
      '{"begun":null}',
      JSON.stringify({ begun: 5, layout: DATA_LAYOUT }),
    ]) {
      const hostile = newHead(json);
      const first = frameBytes(hostile, { kind: 'world', number: 1, payload: new Uint8Array(9) });
      expect(await codeOf(folderOf(Buffer.concat([hostile.bytes, first]))), json).toBe('data_damaged');
    }
  });

  it('when it contains foreign files or is not a folder', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    expect(await codeOf(dir)).toBe('not_a_data_folder');
    expect(readdirSync(dir)).toEqual(['notes.txt']);
    expect(await codeOf(join(dir, 'notes.txt'))).toBe('data_unreachable');
    const pipe = folder();
    execFileSync('bash', ['-c', 'mkfifo "$0"', join(pipe, 'world.data')]);
    expect(await codeOf(pipe)).toBe('not_a_data_folder');
    mkdirSync(join(dir, 'new'));
    expect(await codeOf(join(dir, 'new', 'deep', 'down'))).toBe('taken');
  });

  it('while another world uses it', async () => {
    const dir = folder();
    const first = await kept(dir);
    expect(await codeOf(dir)).toBe('data_in_use');
    await first.agent(0).signIn();
    await first.close();
    await (await kept(dir)).close();
    expect(readdirSync(dir)).toEqual(['world.data']);
  });
});

describe('lock of a data folder', () => {
  it('is replaced when its process has ended, its PID was reused or its content is incomplete', async () => {
    const dir = folder();
    await (await kept(dir)).close();
    const lock = (pid: number, text: string) =>
      writeFileSync(join(dir, `lock-${pid}-${'0'.repeat(16)}`), text);
    const { hostname } = await import('node:os');
    const gone = 2 ** 22 - 3;
    lock(gone, JSON.stringify({ pid: gone, host: hostname(), began: 'boot/1' }));
    await (await kept(dir)).close();
    lock(process.ppid, JSON.stringify({ pid: process.ppid, host: hostname(), began: 'another-boot/1' }));
    await (await kept(dir)).close();
    lock(gone, '{"pid":');
    await (await kept(dir)).close();
    expect(readdirSync(dir)).toEqual(['world.data']);
  });

  it('of another host is respected, and the error names the file to remove', async () => {
    const dir = folder();
    writeFileSync(
      join(dir, `lock-1-${'0'.repeat(16)}`),
      JSON.stringify({ pid: 1, host: 'elsewhere', began: null }),
    );
    await expect(createSimulator({ dataDir: dir })).rejects.toThrow(
      /in use by process 1 on elsewhere.*remove/,
    );
  });
});

it('a change of the data file’s layout requires a new format number, unless files of the one before can be read', () => {
  expect({ format: DATA_FORMAT, layout: DATA_LAYOUT }).toEqual({ format: 1, layout: '0c9795bf31645f51' });
});
