import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    // Figures of frames and paints are measured in a browser that has a core for itself.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
