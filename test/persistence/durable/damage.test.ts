import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATA_FORMAT, frameBytes, newHead } from '../../../src/persistence/durable/frames.js';
import { DATA_LAYOUT } from '../../../src/persistence/durable/folder.js';
import type { DataError } from '../../../src/persistence/durable/data-error.js';
import { createSimulator } from '../../../src/index.js';
import { DamagedFile } from './damaged-file.js';
import { folderOf, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Where a file is cut, and where a bit of it is flipped; `npm run soak` takes more. */
const PLACES = 300;

let file: DamagedFile;

beforeAll(async () => {
  file = await DamagedFile.make();
});

describe('truncated data file', () => {
  it(`loads every complete frame, at ${PLACES} places`, { tags: ['slow'] }, () => file.cut(PLACES));
});

describe('corrupted data file', () => {
  it(`is rejected, or loads all but a damaged last frame, at ${PLACES} places`, () => file.flip(PLACES));

  it('is rejected when a middle frame is missing, repeated or foreign', () => {
    const { whole } = file;
    const [, second, third, fourth] = file.ends as unknown as [number, number, number, number];
    const parts = [whole.subarray(0, second), whole.subarray(second, third), whole.subarray(third, fourth)];
    const [a, b, c] = parts as [Buffer, Buffer, Buffer];
    expect(file.loaded(Buffer.concat([a, c]))).toBe('data_damaged');
    expect(file.loaded(Buffer.concat([a, b, b]))).toBe('data_damaged');
    expect(file.loaded(Buffer.concat([a, c, b]))).toBe('data_damaged');
    const other = newHead('{}');
    const foreign = frameBytes(other, { kind: 'changes', number: 3, payload: new Uint8Array(9) });
    expect(file.loaded(Buffer.concat([a, foreign]))).toBe(2);
    expect(file.loaded(Buffer.concat([a, foreign, c]))).toBe('data_damaged');
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
    const newer = Buffer.from(file.whole.toString('latin1').replace('data 1\n', 'data 2\n'), 'latin1');
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
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    expect(await codeOf(dir)).toBe('not_a_data_folder');
    expect(readdirSync(dir)).toEqual(['notes.txt']);
    expect(await codeOf(join(dir, 'notes.txt'))).toBe('data_unreachable');
    const pipe = temporaryFolder();
    execFileSync('bash', ['-c', 'mkfifo "$0"', join(pipe, 'world.data')]);
    expect(await codeOf(pipe)).toBe('not_a_data_folder');
    mkdirSync(join(dir, 'new'));
    expect(await codeOf(join(dir, 'new', 'deep', 'down'))).toBe('taken');
  });

  it('while another world uses it', async () => {
    const dir = temporaryFolder();
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
    const dir = temporaryFolder();
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
    const dir = temporaryFolder();
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
  expect({ format: DATA_FORMAT, layout: DATA_LAYOUT }).toEqual({ format: 1, layout: '0e3d52a1a6e154e0' });
});
