import type { Argv } from 'yargs';
import { depositCommand } from './deposit.js';
import { explainCommand } from './explain.js';
import { faucetCommand } from './faucet.js';
import { faultCommand } from './fault.js';
import { forkCommand } from './fork.js';
import { oracleCommand } from './oracle.js';
import { logCommand } from './log.js';
import { recordCommand } from './record.js';
import { reviewCommand } from './review.js';
import { snapshotCommands } from './snapshot.js';
import { stateCommand } from './state.js';
import { timeCommand } from './time.js';

/** Adds the commands for a running simulator. */
export function remoteCommands<T>(y: Argv<T>): Argv<T> {
  const world = snapshotCommands(reviewCommand(oracleCommand(depositCommand(faucetCommand(timeCommand(y))))));
  return logCommand(recordCommand(explainCommand(stateCommand(forkCommand(faultCommand(world))))));
}
