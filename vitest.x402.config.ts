import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/x402-clients/*.test.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
