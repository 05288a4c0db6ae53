import type { Argv } from 'yargs';
import { COMMANDS, type Command, type CommandId } from '../../api/control/commands.js';
import { hasId } from '../../contract/match-path.js';
import { optionName } from '../arguments.js';
import { ACCOUNT } from './account.js';
import { EXPORT } from './export.js';
import { FAULT } from './fault.js';
import { EXPLAIN, INSPECT } from './inspect.js';
import { LOG } from './log.js';
import { DEPOSIT, FAUCET } from './money.js';
import { ORACLE } from './oracle.js';
import { RECORD } from './record.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { REVIEW } from './review.js';
import { SERIES } from './series.js';
import { COMPARE, FORK, HISTORY, REVERT, SNAPSHOT } from './snapshot.js';
import { STATE } from './state.js';
import { TIME } from './time.js';
import { VERIFY } from './verify.js';

/** Every command of the control interface under its own name, except commands that read or write files. */
const CONTROL = commandGroup('control', 'call any command of the control interface of a running simulator', [
  NO_DEFAULT,
  ...(Object.entries(COMMANDS) as [CommandId, Command][])
    .filter(([, { takes, gives }]) => takes === undefined && gives === undefined)
    .map(([id, { path }]) =>
      remoteCommand(id, {
        command: `${optionName(id)}${hasId(path) ? ' <id>' : ''}`,
        // The books do not match the chain.
        isFailure: (answer: object) => 'violations' in answer && String(answer.violations) !== '',
      }),
    ),
]);

const REMOTE_COMMANDS = [
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
  CONTROL,
];

export function remoteCommands<T>(y: Argv<T>): Argv<T> {
  for (const add of REMOTE_COMMANDS) add(y);
  return y;
}
