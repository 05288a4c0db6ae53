import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.js';

export default defineConfig({
  test: {
    ...common,
    include: ['test/browser/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Two files at once. Figures of frames are times of the processor, and paints are compared with those of a plain page.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 300_000,
  },
});
