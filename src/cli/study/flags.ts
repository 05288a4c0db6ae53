import type { Argv } from 'yargs';
import type { ArgumentsOf } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';

export function studyFlags(y: Argv) {
  return y
    .positional('file', { type: 'string', describe: 'study file in YAML; see docs/reference/studies.md' })
    .option('out', {
      type: 'string',
      describe: 'folder of the results (default: the name of the file with -results appended)',
    })
    .option('resume', { type: 'string', describe: 'continue the unfinished study in this folder' })
    .option('seed', { type: 'number', describe: 'seed that replaces the seed in the file' })
    .option('workers', {
      type: 'number',
      default: 1,
      describe: 'number of parallel processes; does not change the results',
    })
    .options(queueOptions('study', 'name of the study; an existing study continues'))
    .option('inspect', {
      type: 'number',
      describe: 'play only this run, and serve its world with the inspector until Ctrl-C',
    })
    .option('tick', {
      type: 'number',
      describe: 'with --inspect: tick to stop at; 0 is the start (default: the last tick)',
    })
    .option('json', {
      type: 'boolean',
      default: false,
      describe: 'print progress and the result as lines of JSON',
    })
    .example('$0 study daily-cap.yaml --workers 2', 'results in daily-cap-results')
    .example('$0 study --resume daily-cap-results', 'continue after Ctrl-C or a crash')
    .example('$0 study daily-cap.yaml --inspect 12 --tick 30', 'the world of run 12 after 30 ticks');
}

export type StudyArguments = ArgumentsOf<typeof studyFlags>;
