import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type FailureFile,
  UnreadableFailure,
  readFailure,
  replay,
  writeFailure,
} from '../../../src/testing/fuzz-library.js';

const FOLDER = fileURLToPath(new URL('../../../fixtures/failures/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

function read(name: string): FailureFile {
  return readFailure(readFileSync(FOLDER + name, 'utf8'), name);
}

describe('fixed counterexample', () => {
  for (const name of FILES) {
    it(`${name} does not fail on either engine`, async () => {
      const file = read(name);
      expect(await replay(file)).toEqual({ verdict: 'FIXED', failure: null });
      expect(await replay(file, { engine: 'bankrun' })).toEqual({ verdict: 'FIXED', failure: null });
    });
  }
});

describe('counterexample file', () => {
  const file = read(FILES[0] as string);

  it('is unchanged by reading and writing', () => {
    expect(readFailure(writeFailure(file), 'x')).toEqual(file);
    expect(writeFailure(readFailure(writeFailure(file), 'x'))).toBe(writeFailure(file));
  });

  it('has one step per line', () => {
    const lines = writeFailure(file).split('\n');
    expect(lines.filter((line) => line.startsWith('    {"id":'))).toHaveLength(file.steps.length);
  });

  it.each([
    ['{', /is not JSON/],
    ['[]', /is not a counterexample of sim fuzz/],
    ['{"format":"something else"}', /its format is "something else"/],
    [writeFailure({ ...file, version: 99 }), /has version 99, and this agent-bank-sim reads 3/],
    [writeFailure({ ...file, version: 2 }), /has version 2, .* reads 3: find it again/],
    [writeFailure({ ...file, agents: 0 }), /damaged at agents/],
    [writeFailure({ ...file, steps: [] }), /damaged at steps/],
  ])('is rejected when malformed, with the reason: %#', (text, message) => {
    expect(() => readFailure(text, 'it.json')).toThrow(UnreadableFailure);
    expect(() => readFailure(text, 'it.json')).toThrow(message);
  });
});
