import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.js';

export default defineConfig({
  test: {
    ...common,
    include: ['test/queue/*.test.ts'],
    setupFiles: ['test/queue/setup.ts'],
    globalSetup: ['test/support/build.ts', 'test/queue/redis.ts'],
    maxWorkers: 2,
    isolate: false,
    testTimeout: 240_000,
  },
});
