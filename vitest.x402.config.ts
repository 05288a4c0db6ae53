import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.js';

export default defineConfig({
  test: {
    ...common,
    include: ['test/x402-clients/*.test.ts'],
    setupFiles: ['test/support/one-seed.ts', 'test/x402-clients/setup.ts'],
    globalSetup: ['test/support/build.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
  },
});
