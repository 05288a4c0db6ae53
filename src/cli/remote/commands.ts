import type { Argv } from 'yargs';
import { ACCOUNT } from './account.js';
import { EXPORT } from './export.js';
import { EXPLAIN } from './explain.js';
import { FAULT } from './fault.js';
import { INSPECT } from './inspect.js';
import { LOG } from './log.js';
import { DEPOSIT, FAUCET } from './money.js';
import { ORACLE } from './oracle.js';
import { RECORD } from './record.js';
import { REVIEW } from './review.js';
import { SERIES } from './series.js';
import { COMPARE, FORK, HISTORY, REVERT, SNAPSHOT } from './snapshot.js';
import { STATE } from './state.js';
import { TIME } from './time.js';
import { VERIFY } from './verify.js';

const COMMANDS = [
  TIME,
  FAUCET,
  DEPOSIT,
  ACCOUNT,
  ORACLE,
  REVIEW,
  SNAPSHOT,
  REVERT,
  HISTORY,
  COMPARE,
  FAULT,
  FORK,
  STATE,
  EXPLAIN,
  RECORD,
  LOG,
  ...INSPECT,
  SERIES,
  EXPORT,
  VERIFY,
];

/** Adds the commands for a running simulator. */
export function remoteCommands<T>(y: Argv<T>): Argv<T> {
  for (const add of COMMANDS) add(y);
  return y;
}
