#!/usr/bin/env node
import { hideBin } from 'yargs/helpers';
import { EXIT } from './usage.js';
import { sim } from './sim.js';

const code = await sim(hideBin(process.argv));
// Not while all is well: a command may have set another one.
if (code !== EXIT.ok) process.exitCode = code;
