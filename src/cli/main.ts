#!/usr/bin/env node
import { packageVersion } from '../core/package-root.js';
import { isBuilt } from '../chain/engines/native.js';
import { OLDEST_NODE, isOldNode } from './node-version.js';
import { openFilesSentence } from './open-files.js';
import { EXIT } from './usage.js';

/** Options that choose another engine, or may. */
const OTHER_ENGINE = / --(state|data-dir|config|help)\b| --engine[ =](?!bankrun)/;

/** Whether `sim start` will run on bankrun, as far as its command line alone tells. */
function startsOnBankrun([command, ...options]: readonly string[]): boolean {
  return command === 'start' && isBuilt('bankrun') && !OTHER_ENGINE.test(` ${options.join(' ')}`);
}

// Nothing else is imported before these are answered: a version is to be told at once, and an old Node cannot load the rest.
const argv = process.argv.slice(2);
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
  // Who reads what a command prints may stop reading, as head does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const { sim } = await import('./sim.js');
    const code = await sim(argv);
    // Not while all is well: a command may have set another one.
    if (code !== EXIT.ok) process.exitCode = code;
  } catch (error) {
    // The command tells its own failures; this is one of loading it.
    const sentence = openFilesSentence(error);
    if (sentence === null) throw error;
    process.stderr.write(`sim: ${sentence}\n`);
    process.exitCode = EXIT.failed;
  }
}
