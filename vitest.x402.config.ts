import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/x402-clients/*.test.ts'],
    setupFiles: ['test/x402-clients/setup.ts'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
