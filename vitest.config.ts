import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { 'fast-check': new URL('test/support/fast-check.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.ts'],
    // Tests with packages or servers of their own, which `npm run test:x402`, `test:browser` and `test:queue` run.
    exclude: ['test/soak/**', 'test/x402-clients/**', 'test/browser/**', 'test/queue/**'],
    // A process for each file: bankrun's contexts live as long as their process.
    globalSetup: ['test/support/build.ts', 'test/support/left-out.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
