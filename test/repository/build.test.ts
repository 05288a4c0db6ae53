// @module-tag slow
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);

describe('npm run build', () => {
  const copy = suiteFolder();
  const inCopy = (...path: string[]) => join(copy, ...path);
  const build = (env: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['scripts/build.js', '--no-types'], { cwd: copy, env: { ...process.env, ...env } });
  const chunks = () => readdirSync(inCopy('dist/chunks')).toSorted();
  const changeSources = (text: string) =>
    writeFileSync(inCopy('src/core/domain/note.ts'), `export const NOTE = ${JSON.stringify(text)};\n`);

  beforeAll(async () => {
    for (const path of ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'])
      cpSync(path, inCopy(path), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), inCopy('node_modules'));
    changeSources('first');
    writeFileSync(
      inCopy('src/cli/main.ts'),
      `if (process.argv[2] === 'note') console.log((await import('../core/domain/note.js')).NOTE);\n`,
      { flag: 'a' },
    );
    await build();
  });

  it('does nothing when dist was built from the same files', async () => {
    const before = statSync(inCopy('dist/cli/main.js')).mtimeMs;
    expect((await build()).stderr).toBe('');
    expect(statSync(inCopy('dist/cli/main.js')).mtimeMs).toBe(before);
  });

  it('leaves commands usable while it works, and the chunks that a running one may still load', async () => {
    const before = chunks();
    changeSources('second');
    const progress = { isDone: false };
    const done = build().finally(() => {
      progress.isDone = true;
    });
    let starts = 0;
    while (!progress.isDone) {
      expect(execFileSync(inCopy('dist/cli/main.js'), ['--version'], { encoding: 'utf8' })).toMatch(/^\d/);
      starts += 1;
      await new Promise(setImmediate);
    }
    expect((await done).stderr).toMatch(
      /^build: commands and library … [\d.]+ s\nbuild: inspector … [\d.]+ s\n$/,
    );
    expect(starts).toBeGreaterThan(3);
    expect(chunks()).not.toEqual(before);
    expect(chunks()).toEqual(expect.arrayContaining(before));
    expect(readdirSync(inCopy('dist')).filter((name) => name.startsWith('.'))).toEqual(['.build.json']);
  });

  it('packs no file of an earlier build', async () => {
    const all = chunks();
    await build({ npm_command: 'pack' });
    expect(chunks().length).toBeLessThan(all.length);
    expect(all).toEqual(expect.arrayContaining(chunks()));
    expect(existsSync(inCopy('dist/inspector/index.html'))).toBe(true);
  });
});
