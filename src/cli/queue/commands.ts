import type { Argv } from 'yargs';
import { JSON_LINE, number, required, text } from '../arguments.js';
import { QUEUE_PREFIX } from './flags.js';
import { NO_COMMAND } from '../unknown-words.js';

const QUEUE = {
  queue: required('URL of the queue, such as redis://127.0.0.1:6379'),
  ...QUEUE_PREFIX,
} as const;

function named<T>(y: Argv<T>) {
  return y.positional('name', required('name of the campaign')).options(QUEUE).options(JSON_LINE);
}

const loaded = () => import('./campaign-commands.js');

export function queueCommands<T>(commands: Argv<T>): Argv {
  return (commands as Argv)
    .command(
      'worker',
      'process the jobs of a queue: sim fuzz, sim run and sim study',
      (y) =>
        y
          .options(QUEUE)
          .option('concurrency', {
            ...number('number of parallel jobs, each in its own process'),
            default: 1,
          })
          .option('lease', {
            ...text('reassign the jobs of a worker after this time without a heartbeat'),
            default: '30s',
          })
          .example(
            '$0 worker --queue redis://queue:6379 --concurrency 8',
            'on each machine; SIGTERM stops it',
          ),
      async (args) => (await import('./worker.js')).work(args),
    )
    .command('campaign', 'list, show and cancel the campaigns of a queue', (y) =>
      y
        .command(
          'list',
          'list the campaigns',
          (z) => z.options(QUEUE).options(JSON_LINE),
          async (args) => (await loaded()).listCampaigns(args),
        )
        .command('status <name>', 'show the progress of a campaign', named, async (args) =>
          (await loaded()).showStatus(args),
        )
        .command('report <name>', 'print the current result', named, async (args) =>
          (await loaded()).printReport(args),
        )
        .command(
          'cancel <name>',
          'cancel a campaign; its coordinator reports the current result',
          named,
          async (args) => (await loaded()).cancelCampaign(args),
        )
        .demandCommand(1, NO_COMMAND),
    );
}
