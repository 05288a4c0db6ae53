import { format } from 'node:util';
import { afterAll, expect } from 'vitest';

// Fails a test file in whose time an error or a warning is written to the console: by the simulator, or by what an earlier file
// left running in this process, such as a client that looks for its server for ever.
const written: string[] = [];
const { error, warn } = console;
// Of bigint-buffer, which @solana/spl-token uses, where its install script did not run: it computes all the same.
const WITHOUT_BINDINGS = 'bigint: Failed to load bindings';
console.error = console.warn = (...words: unknown[]) => {
  const line = format(...words);
  if (!line.startsWith(WITHOUT_BINDINGS)) written.push(line);
};

afterAll(() => {
  Object.assign(console, { error, warn });
  expect(written, 'written to the console').toEqual([]);
});
