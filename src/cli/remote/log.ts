import type { Argv } from 'yargs';
import { EVENT_LOG_KINDS } from '../../runtime/events/event.js';

/** Adds `log`. */
export function logCommand<T>(y: Argv<T>): Argv<T> {
  return y.command(
    'log <source>',
    'show the events of a file of sim start --log, or of a running simulator',
    (c) =>
      c
        .positional('source', {
          type: 'string',
          demandOption: true,
          describe: 'a file, or an address such as http://127.0.0.1:4020',
        })
        .option('follow', {
          type: 'boolean',
          default: false,
          describe: 'go on with what happens, until Ctrl-C',
        })
        .option('wallet', { type: 'string', describe: 'of this agent: its calls, entries and transactions' })
        .option('request', { type: 'string', describe: 'of this request, by its X-Request-Id' })
        .option('endpoint', {
          type: 'string',
          describe: 'calls of an operation (deposit), or of a path (/account/deposit)',
        })
        .option('code', { type: 'string', describe: 'calls that were refused with this code' })
        .option('entry', { type: 'number', describe: 'the entry of the journal with this number' })
        .option('signature', {
          type: 'string',
          describe: 'a transaction, and calls and entries that name it',
        })
        .option('kind', { choices: EVENT_LOG_KINDS })
        .option('since', { type: 'string', describe: 'from this instant on, of the world' })
        .option('until', { type: 'string', describe: 'before this instant' })
        .option('limit', { type: 'number', describe: 'no more than so many' })
        .option('control-token', { type: 'string', describe: 'what the simulator was started with' })
        .option('json', { type: 'boolean', default: false, describe: 'a JSON object a line' })
        .example('$0 log events.ndjson --code insufficient_balance', 'who wanted more than there was')
        .example('$0 log http://127.0.0.1:4020 --follow --endpoint withdraw', 'withdrawals as they come'),
    async (args) => (await import('../log/log.js')).showLog(args),
  );
}
