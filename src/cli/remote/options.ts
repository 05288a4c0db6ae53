import type { Argv } from 'yargs';

const URL_DEFAULT = 'http://127.0.0.1:4020';

/** Options of every command for a running simulator. */
export function remote<T>(y: Argv<T>) {
  return y
    .option('url', { type: 'string', default: URL_DEFAULT, describe: 'URL of the simulator' })
    .option('control-token', { type: 'string', describe: 'control token of the simulator' })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' });
}

/** Loads the control client when a command runs: most runs of sim do not need it. */
export const load = () => import('./with-control-client.js');
