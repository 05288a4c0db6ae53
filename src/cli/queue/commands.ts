import type { Argv } from 'yargs';
import { QUEUE_PREFIX } from './flags.js';
import { NO_COMMAND } from '../unknown-words.js';

const QUEUE = {
  queue: { type: 'string', demandOption: true, describe: 'the queue, such as redis://127.0.0.1:6379' },
  ...QUEUE_PREFIX,
} as const;

const JSON_LINE = {
  json: { type: 'boolean', default: false, describe: 'print one line of JSON' },
} as const;

function named<T>(y: Argv<T>) {
  return y
    .positional('name', { type: 'string', demandOption: true, describe: 'name of the campaign' })
    .options(QUEUE)
    .options(JSON_LINE);
}

export function queueCommands<T>(commands: Argv<T>): Argv {
  return (commands as Argv)
    .command(
      'worker',
      'work off the jobs of sim fuzz, sim run and sim study with --queue',
      (y) =>
        y
          .options(QUEUE)
          .option('concurrency', {
            type: 'number',
            default: 1,
            describe: 'number of jobs at once, each in a process',
          })
          .option('lease', {
            type: 'string',
            default: '30s',
            describe: 'after this time without a sign of life, the jobs of a worker go to others',
          })
          .example(
            '$0 worker --queue redis://queue:6379 --concurrency 8',
            'on each machine; SIGTERM ends it',
          ),
      async (args) => (await import('./worker.js')).work(args),
    )
    .command('campaign', 'list, show and cancel the campaigns of a queue', (y) =>
      y
        .command(
          'list',
          'list the campaigns',
          (z) => z.options(QUEUE).options(JSON_LINE),
          async (args) => (await import('./campaign-commands.js')).listCampaigns(args),
        )
        .command('status <name>', 'show how far a campaign is', named, async (args) =>
          (await import('./campaign-commands.js')).showStatus(args),
        )
        .command('report <name>', 'print the result so far', named, async (args) =>
          (await import('./campaign-commands.js')).printReport(args),
        )
        .command(
          'cancel <name>',
          'end a campaign; its coordinator reports what is done',
          named,
          async (args) => (await import('./campaign-commands.js')).cancelCampaign(args),
        )
        .demandCommand(1, NO_COMMAND),
    );
}
