import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.js';

export default defineConfig({
  test: {
    ...common,
    include: ['test/soak/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    maxWorkers: 2,
    testTimeout: 3_600_000,
  },
});
