import { EVENT_LOG_KINDS } from '../../runtime/events/event.js';
import type { Commands } from './remote-command.js';

export const LOG: Commands = (y) =>
  y.command(
    'log <source>',
    'show events from a file of sim start --log, or from a running simulator',
    (c) =>
      c
        .positional('source', {
          type: 'string',
          demandOption: true,
          describe: 'a file, or a URL such as http://127.0.0.1:4020',
        })
        .option('follow', {
          type: 'boolean',
          default: false,
          describe: 'keep showing new events until Ctrl-C',
        })
        .option('wallet', { type: 'string', describe: 'only calls, entries and transactions of this wallet' })
        .option('request', { type: 'string', describe: 'only this request, by its X-Request-Id' })
        .option('endpoint', {
          type: 'string',
          describe: 'only calls of an operation (deposit) or path (/account/deposit)',
        })
        .option('code', { type: 'string', describe: 'only calls refused with this code' })
        .option('entry', { type: 'number', describe: 'only the journal entry with this number' })
        .option('signature', {
          type: 'string',
          describe: 'only a transaction, and calls and entries that mention it',
        })
        .option('kind', { choices: EVENT_LOG_KINDS })
        .option('since', { type: 'string', describe: 'start, in world time' })
        .option('until', { type: 'string', describe: 'end (exclusive), in world time' })
        .option('limit', {
          type: 'number',
          describe: 'only the newest N events; with --follow, also events after them',
        })
        .option('control-token', { type: 'string', describe: 'control token of the simulator' })
        .option('json', { type: 'boolean', default: false, describe: 'print one JSON object per line' })
        .example('$0 log events.ndjson --code insufficient_balance', 'calls without sufficient funds')
        .example('$0 log http://127.0.0.1:4020 --follow --endpoint withdraw', 'withdrawals as they happen'),
    async (args) => (await import('../log/log.js')).showLog(args),
  );
