import type { Ask } from '../../api/control/client.js';
import type { FaultView } from '../../runtime/faults-api.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError, parsedJson } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { text } from '../arguments.js';

type Body = NonNullable<Ask<'addFault'>['body']>;

function line({ id, endpoint, rpc, phase, when, effect, matched, fired, ...more }: FaultView): string {
  const target = endpoint === undefined ? `rpc ${rpc}` : endpoint;
  const details = [more.status, more.code, more.delay].filter((value) => value !== undefined);
  const condition = when === undefined ? 'every call' : JSON.stringify(when);
  return `${id} ${target} ${phase} ${[effect, ...details].join(' ')}, ${condition}: fired on ${fired} of ${matched} matching calls`;
}

const ADD = remoteCommand('addFault', {
  command: 'add [target] [effect]',
  describe: 'inject a fault',
  omit: ['endpoint', 'rpc'],
  options: {
    target: text('operation (x402Pay), its path, *, or rpc:METHOD'),
    file: text('JSON file that describes the fault'),
  },
  examples: [
    ['fault add x402Pay lose-response --nth 1', 'the payment succeeds, but its response is lost'],
    ["fault add '*' replace-response --status 429 --retry-after 5 --every 10", 'rate limiting'],
    ['fault add rpc:sendTransaction drop-transaction --times 1', 'the transaction never reaches the chain'],
  ],
  call: async (control, { body }, { target, file }) => {
    if (file !== undefined && target !== undefined)
      throw new UsageError('give either a target and an effect, or --file');
    if (file !== undefined)
      return control.do('addFault', { body: parsedJson(`--file ${file}`, readUserText(file)) as Body });
    if (target === undefined || body?.effect === undefined)
      throw new UsageError('give a target and an effect, such as x402Pay lose-response');
    const calls = target.startsWith('rpc:') ? { rpc: target.slice('rpc:'.length) } : { endpoint: target };
    return control.do('addFault', { body: { ...calls, ...body } });
  },
  print: line,
});

export const FAULT = commandGroup('fault', 'inject faults by rule', [
  ADD,
  remoteCommand('faults', {
    command: ['list', '$0'],
    examples: [['fault list', 'fault-1 x402Pay after-commit lose-response, …']],
    print: ({ faults }) => (faults.length === 0 ? 'no faults' : faults.map(line).join('\n')),
  }),
  remoteCommand('clearFault', {
    command: 'clear [id]',
    describe: 'remove all faults or only the one with this id',
    examples: [
      ['fault clear fault-1', 'only this one'],
      ['fault clear', 'all of them'],
    ],
    call: async (control, ask): Promise<{ readonly cleared: boolean; readonly id?: string }> =>
      ask.id === undefined ? control.do('clearFaults') : control.do('clearFault', ask),
    print: ({ id }) => `${id ?? 'all'} cleared`,
  }),
]);
