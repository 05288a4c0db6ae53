import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';

/**
 * Tests that change a module, or look at signals or the memory of their process, have a process for each file, and run first. So does the longest. The
 * files of all others leave nothing behind that others could meet. They share processes, which load the sources once.
 */
const OWN = [
  'test/cli/{command-table,sigpipe}.test.ts',
  'test/docs/blocks.test.ts',
  'test/persistence/durable/system-calls.test.ts',
  'test/persistence/state-file/bomb.test.ts',
];
/** Tests with packages or servers of their own, which `npm run test:x402`, `test:browser` and `test:queue` run, and long ones. */
const ELSEWHERE = ['test/soak/**', 'test/x402-clients/**', 'test/browser/**', 'test/queue/**'];

export const common = {
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Vitest sends what tests print to its main process, and fails a run whose process ends before the answer.
  disableConsoleIntercept: true,
  // Compiling the sources takes as long as many tests. A run takes unchanged modules from the one before.
  experimental: { fsModuleCache: true },
} as const;
const setupFiles = ['test/support/one-seed.ts', 'test/support/quiet-console.ts'];

/** Files in which no test is of this speed: loading them takes as long as many tests. */
function filesWithout(speed: 'fast' | 'slow'): string[] {
  return globSync('test/**/*.test.ts', { ignore: ['**/node_modules/**'] }).filter((path) => {
    const text = readFileSync(path, 'utf8');
    const isSlow = text.includes('@module-tag slow');
    return speed === 'fast' ? isSlow : !isSlow && !/tags:.*'slow'/.test(text);
  });
}

/** The files with tests of one speed. The scripts of package.json choose the tests by their tag, which no configuration can. */
export function testsOf(speed: 'fast' | 'slow') {
  const exclude = [...ELSEWHERE, ...filesWithout(speed)];
  return defineConfig({
    test: {
      globalSetup: ['test/support/build.ts', 'test/support/left-out.ts'],
      maxWorkers: 2,
      experimental: common.experimental,
      tags: [{ name: 'slow', description: 'Takes seconds: processes, campaigns, kills, other engines.' }],
      // A line a file.
      slowTestThreshold: 60_000,
      // Vitest runs projects in the order of their names.
      projects: [
        {
          test: {
            ...common,
            name: 'shared',
            setupFiles,
            include: ['test/**/*.test.ts'],
            exclude: [...OWN, ...exclude],
            isolate: false,
          },
        },
        { test: { ...common, name: 'own', setupFiles, include: OWN, exclude } },
      ],
    },
  });
}

export default testsOf('fast');
