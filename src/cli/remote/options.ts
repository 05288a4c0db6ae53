import type { Argv } from 'yargs';

const URL_DEFAULT = 'http://127.0.0.1:4020';

/** The options of every command that talks to a running simulator. */
export function remote<T>(y: Argv<T>) {
  return y
    .option('url', { type: 'string', default: URL_DEFAULT, describe: 'where the simulator answers' })
    .option('control-token', { type: 'string', describe: 'what it was started with' })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' });
}

/** Loads what talks to a simulator when a command runs: most runs of sim need none of it. */
export const load = () => import('./with-control-client.js');
