import { defineConfig } from 'vitest/config';
import { SHARED, common, resolve, setupFiles } from '../vitest.config.js';

/** The tests that run in one process, a process for each file: then each loads all that it reaches. */
export default defineConfig({
  resolve,
  test: { ...common, include: SHARED, setupFiles: [...setupFiles, 'mutants/note-reach.ts'], maxWorkers: 2 },
});
