import type { Argv } from 'yargs';
import { type ArgumentsOf, flag, number, text } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';

export function studyFlags(y: Argv) {
  return y
    .positional('file', text('study file in YAML; see docs/reference/studies.md'))
    .option('out', text('folder of the results (default: the name of the file with -results appended)'))
    .option('resume', text('continue the unfinished study in this folder'))
    .option('seed', number('seed that replaces the seed in the file'))
    .option('workers', { ...number('number of parallel processes; does not change the results'), default: 1 })
    .options(queueOptions('study', 'name of the study; an existing study continues'))
    .option('inspect', number('play only this run, and serve its world with the inspector until Ctrl-C'))
    .option('tick', number('with --inspect: tick to stop at; 0 is the start (default: the last tick)'))
    .option('json', flag('print progress and the result as lines of JSON'))
    .example('$0 study daily-cap.yaml --workers 2', 'results in daily-cap-results')
    .example('$0 study --resume daily-cap-results', 'continue after Ctrl-C or a crash')
    .example('$0 study daily-cap.yaml --inspect 12 --tick 30', 'the world of run 12 after 30 ticks');
}

export type StudyArguments = ArgumentsOf<typeof studyFlags>;
