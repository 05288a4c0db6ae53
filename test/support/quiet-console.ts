import { format } from 'node:util';
import { afterAll, expect } from 'vitest';

// Fails a test file in whose time an error or a warning is written to the console: by the simulator, or by what an earlier file
// left running in this process, such as a client that looks for its server for ever.
const written: string[] = [];
const { error, warn } = console;
console.error = console.warn = (...words: unknown[]) => {
  written.push(format(...words));
};

afterAll(() => {
  Object.assign(console, { error, warn });
  expect(written, 'written to the console').toEqual([]);
});
