import type { Argv } from 'yargs';
import { studyFlags } from './flags.js';

export function studyCommands<T>(commands: Argv<T>): Argv {
  return (commands as Argv).command(
    'study [file]',
    'simulate a population of agents over many runs, and write measurements and a report',
    studyFlags,
    async (args) => (await import('./study.js')).study(args),
  );
}
