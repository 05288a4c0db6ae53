import { defineConfig } from 'vitest/config';

/** Tests whose files leave nothing behind that others could meet: they share processes, which load the sources once. */
export const SHARED = [
  'test/{api,bank,chain,contract,core,inspector,mcp,persistence/state-file,runtime,sdk,simulator,testing,world,worlds}/**/*.test.ts',
];
/** Tests with packages or servers of their own, which `npm run test:x402`, `test:browser` and `test:queue` run, and long ones. */
const ELSEWHERE = ['test/soak/**', 'test/x402-clients/**', 'test/browser/**', 'test/queue/**'];

export const common = {
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Vitest sends what tests print to its main process, and fails a run whose process ends before the answer.
  disableConsoleIntercept: true,
} as const;
/** What runs before each test file. */
export const setupFiles = ['test/support/quiet-console.ts'];
export const resolve = {
  alias: { 'fast-check': new URL('test/support/fast-check.ts', import.meta.url).pathname },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', 'test/support/left-out.ts'],
    maxWorkers: 2,
    projects: [
      { resolve, test: { ...common, name: 'shared', setupFiles, include: SHARED, isolate: false } },
      // A process for each file: what they start, lock or measure is its own.
      {
        resolve,
        test: {
          ...common,
          name: 'own',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED, ...ELSEWHERE],
        },
      },
    ],
  },
});
