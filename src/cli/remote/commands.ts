import type { Argv } from 'yargs';
import { COMMANDS, type Command, type CommandId } from '../../api/control/commands.js';
import { hasId } from '../../contract/match-path.js';
import { optionName } from '../arguments.js';
import { ACCOUNT } from './account.js';
import { FAULT } from './fault.js';
import { EXPLAIN, INSPECT } from './inspect.js';
import { LOG } from './log.js';
import { MONEY } from './money.js';
import { ORACLE } from './oracle.js';
import { RECORD } from './record.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { REVIEW } from './review.js';
import { FORK, SNAPSHOTS } from './snapshot.js';
import { STATE } from './state.js';
import { TIME } from './time.js';

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
  ...MONEY,
  ACCOUNT,
  ORACLE,
  REVIEW,
  ...SNAPSHOTS,
  FAULT,
  FORK,
  STATE,
  EXPLAIN,
  RECORD,
  LOG,
  ...INSPECT,
  CONTROL,
];

export function remoteCommands<T>(y: Argv<T>): Argv<T> {
  for (const add of REMOTE_COMMANDS) add(y);
  return y;
}
