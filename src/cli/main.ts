#!/usr/bin/env node
import { packageVersion } from '../core/package-root.js';
import { isBuilt } from '../chain/engines/native.js';
import { endWithReader, endDespiteOpenHandles } from './interrupts.js';
import { OLDEST_NODE, isOldNode } from './node-version.js';
import { EXIT, openFilesSentence } from './usage.js';

/** Options that select, or may select, another engine. */
const OTHER_ENGINE = / --(state|data-dir|config|help)\b| --engine[ =](?!bankrun)/;

/** Commands that run code of the user's in this process. */
const RUN_USER_CODE: ReadonlySet<string> = new Set(['run', 'study']);

/** Whether `sim start` will run on bankrun, judging only by its command line. */
function startsOnBankrun([command, ...options]: readonly string[]): boolean {
  return command === 'start' && isBuilt('bankrun') && !OTHER_ENGINE.test(` ${options.join(' ')}`);
}

// Handled before any other import: `--version` must be fast, and an old Node cannot load the other modules.
const argv = process.argv.slice(2);
endWithReader();
if (isOldNode(process.versions.node)) {
  process.stderr.write(
    `sim: Node ${process.versions.node} is too old; agent-bank-sim needs Node ${OLDEST_NODE} or later.\n`,
  );
  process.exitCode = 1;
} else if (argv.length === 1 && argv[0] === '--version') {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  if (startsOnBankrun(argv)) {
    const { contexts } = await import('../chain/engines/bankrun-contexts.js');
    contexts.prepare();
  }
  try {
    const { sim } = await import('./sim.js');
    const code = await sim(argv);
    // Do not overwrite an exit code that a command has set.
    if (code !== EXIT.ok) process.exitCode = code;
    if (RUN_USER_CODE.has(argv[0] ?? '')) await endDespiteOpenHandles();
  } catch (error) {
    // Commands report their own failures; this one is about loading them.
    const sentence = openFilesSentence(error);
    if (sentence === null) throw error;
    process.stderr.write(`sim: ${sentence}\n`);
    process.exitCode = EXIT.failed;
  }
}
