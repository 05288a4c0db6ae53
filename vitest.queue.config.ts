import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/queue/*.test.ts'],
    setupFiles: ['test/queue/setup.ts'],
    globalSetup: ['test/support/build.ts', 'test/queue/redis.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
