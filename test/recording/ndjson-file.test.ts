import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NdjsonFile } from '../../src/core/ndjson-file.js';
import { memorySink } from '../../src/recording/recorder/session.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { forAllAsync } from '../support/for-all.js';

function place(): string {
  return join(temporaryFolder(), 'lines');
}

/** Lets writes in progress continue. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('file of recorded lines', () => {
  it('holds the lines in order, for any sizes and flushes', async () => {
    const path = place();
    const sizes = fc.constantFrom(0, 1, 300, 20_000, 30_000, 65_535, 65_536, 200_000);
    const step = fc.oneof(
      fc.record({ size: sizes, letter: fc.constantFrom('a', 'é', '€', '𝄞') }),
      fc.constantFrom('flush' as const, 'turn' as const),
    );
    await forAllAsync(60, fc.array(step, { maxLength: 14 }), fc.boolean(), async (steps, isExit) => {
      const sink = new NdjsonFile(path, 'w', 0o600);
      const lines: string[] = [];
      for (const [at, each] of steps.entries()) {
        if (each === 'flush') sink.flush();
        else if (each === 'turn') await turn();
        else {
          const text = `${at} ${each.letter.repeat(each.size)}`;
          lines.push(`${text}\n`);
          sink.line(text);
        }
      }
      if (isExit) {
        sink.flush();
        expect(readFileSync(path, 'utf8') === lines.join('')).toBe(true);
      }
      sink.close();
      sink.close();
      expect(readFileSync(path, 'utf8') === lines.join('')).toBe(true);
    });
  });

  it('is readable by its owner only', () => {
    const path = place();
    new NdjsonFile(path, 'w', 0o600).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['', '1\n', '1\n{"to'])('is continued on a new line after %j', (before) => {
    const path = place();
    writeFileSync(path, before);
    const sink = new NdjsonFile(path, 'a');
    sink.line('2');
    sink.close();
    expect(readFileSync(path, 'utf8')).toBe(before.endsWith('to') ? `${before}\n2\n` : `${before}2\n`);
  });

  it('can be a pipe', async () => {
    const path = place();
    execFileSync('bash', ['-c', 'mkfifo "$0"', path]);
    const reader = spawn('cat', [path]);
    const parts: Buffer[] = [];
    reader.stdout.on('data', (part: Buffer) => parts.push(part));
    const sink = new NdjsonFile(path, 'w', 0o600);
    for (let at = 0; at < 3; at += 1) {
      sink.line(`line ${at}`);
      sink.flush();
      await turn();
    }
    sink.close();
    await new Promise((resolve) => reader.on('close', resolve));
    expect(Buffer.concat(parts).toString()).toBe('line 0\nline 1\nline 2\n');
  });

  it('reports a failed write where the size of files is limited', { tags: ['slow'] }, () => {
    const path = place();
    const program = fileURLToPath(new URL('./full-disk.ts', import.meta.url));
    const script = 'ulimit -f 128; exec "$@"';
    const args = ['-c', script, 'bash', process.execPath, '--import', 'tsx', program, path];
    const said = execFileSync('bash', args, { encoding: 'utf8' }).trimEnd().split('\n');
    expect(said.map((line) => JSON.parse(line) as unknown)).toEqual([
      { lines: expect.any(Number) as number, code: 'EFBIG' },
      { closing: 'EFBIG' },
    ]);
    expect(statSync(path).size).toBe(128 * 1_024);
  });

  it.skipIf(!existsSync('/dev/full'))('reports a failed write to every later call', () => {
    const sink = new NdjsonFile('/dev/full', 'w');
    sink.line('a line');
    expect(() => sink.flush()).toThrow('ENOSPC');
    expect(() => sink.line('another')).toThrow('ENOSPC');
    expect(() => sink.close()).toThrow('ENOSPC');
    expect(() => sink.flush()).toThrow('ENOSPC');
  });
});

it('the size of recorded lines in memory is limited', () => {
  const sink = memorySink(10);
  sink.line('12345');
  sink.line('67890');
  expect(() => sink.line('x')).toThrow('longer than 10 characters');
  expect(sink.text()).toBe('12345\n67890\n');
});
