import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.js';

export default defineConfig({
  test: {
    ...common,
    include: ['test/browser/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Figures of frames and paints are measured in a browser that has a core for itself.
    maxWorkers: 1,
    testTimeout: 300_000,
  },
});
