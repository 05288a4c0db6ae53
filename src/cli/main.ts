#!/usr/bin/env node
import { hideBin } from 'yargs/helpers';
import { EXIT } from './usage.js';
import { sim } from './sim.js';

// Who reads what a command prints may stop reading, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
const code = await sim(hideBin(process.argv));
// Not while all is well: a command may have set another one.
if (code !== EXIT.ok) process.exitCode = code;
