import type { Argv } from 'yargs';
import { studyFlags } from '../study/flags.js';
import { runFlags } from './flags.js';
import { flag, text } from '../arguments.js';

export function scenarioCommands<T>(commands: Argv<T>): Argv {
  return (commands as Argv)
    .command('run [paths..]', 'run scenarios and check their results', runFlags, async (args) =>
      (await import('./run.js')).run(args),
    )
    .command(
      'init [folder]',
      'create a starter project: scenario, agent, GitHub workflow, package.json',
      (y) =>
        y
          .positional('folder', { ...text('target folder'), default: '.' })
          .option('docker', flag('also create a Dockerfile and a Compose file'))
          .option('mcp', flag('also create .mcp.json, the configuration of MCP clients'))
          .option('study', flag('also create a first study, for sim study'))
          .example('$0 init', 'then: sim run'),
      async (args) => (await import('../init/init.js')).init(args),
    )
    .command(
      'study [file]',
      'simulate a population of agents over many runs, and write measurements and a report',
      studyFlags,
      async (args) => (await import('../study/study.js')).study(args),
    );
}
