import type { Argv } from 'yargs';
import { EVENT_LOG_KINDS } from '../../runtime/events/event.js';
import type { Commands } from './remote-command.js';
import { type ArgumentsOf, flag, number, required, text } from '../arguments.js';

/** An option that any of its values may match. */
const repeatable = <T extends object>(option: T) => ({ ...option, array: true, nargs: 1 }) as const;

function logFlags(y: Argv) {
  return y
    .positional('source', required('a file, or a URL such as http://127.0.0.1:4020'))
    .option('follow', flag('keep showing new events until Ctrl-C'))
    .option('wallet', repeatable(text('only calls, entries and transactions of this wallet')))
    .option('request', repeatable(text('only this request, by its X-Request-Id')))
    .option('endpoint', repeatable(text('only calls of an operation (deposit) or path (/account/deposit)')))
    .option('code', repeatable(text('only calls refused with this code')))
    .option('entry', repeatable({ type: 'number', describe: 'only the journal entry with this number' }))
    .option('signature', repeatable(text('only a transaction, and calls and entries that mention it')))
    .option('kind', repeatable({ choices: EVENT_LOG_KINDS }))
    .option('since', text('start, in world time'))
    .option('until', text('end (exclusive), in world time'))
    .option('limit', number('only the newest N events; with --follow, also events after them'))
    .option('control-token', text('control token of the simulator'))
    .option('json', flag('print one JSON object per line'))
    .example('$0 log events.ndjson --code insufficient_balance', 'calls without sufficient funds')
    .example('$0 log http://127.0.0.1:4020 --follow --endpoint withdraw', 'withdrawals as they happen');
}

export type LogArguments = ArgumentsOf<typeof logFlags>;

export const LOG: Commands = (y) =>
  y.command(
    'log <source>',
    'show events from a file of sim start --log, or from a running simulator',
    logFlags,
    async (args) => (await import('../log/log.js')).showLog(args),
  );
