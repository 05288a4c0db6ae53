import type { Argv } from 'yargs';
import { faucetCommand } from './faucet.js';
import { oracleCommand } from './oracle.js';
import { reviewCommand } from './review.js';
import { snapshotCommands } from './snapshot.js';
import { timeCommand } from './time.js';

/** Adds the commands that talk to a running simulator. */
export function remoteCommands<T>(y: Argv<T>): Argv<T> {
  return snapshotCommands(reviewCommand(oracleCommand(faucetCommand(timeCommand(y)))));
}
