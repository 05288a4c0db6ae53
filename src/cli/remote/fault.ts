import type { Ask } from '../../api/control/client.js';
import { PHASES, PHASES_OF } from '../../runtime/faults/fault-rules.js';
import type { FaultView } from '../../runtime/faults-api.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

type Body = NonNullable<Ask<'addFault'>['body']>;

const EFFECTS = Object.keys(PHASES_OF) as (keyof typeof PHASES_OF)[];

function line({ id, endpoint, rpc, phase, when, effect, met, struck, ...more }: FaultView): string {
  const target = endpoint === undefined ? `rpc ${rpc}` : endpoint;
  const details = [more.status, more.code, more.delay].filter((value) => value !== undefined);
  const condition = when === undefined ? 'every call' : JSON.stringify(when);
  return `${id} ${target} ${phase} ${[effect, ...details].join(' ')}, ${condition}: ${struck} of ${met} struck`;
}

interface AddArguments {
  readonly target?: string | undefined;
  readonly effect?: string | undefined;
  readonly file?: string | undefined;
  readonly phase?: string | undefined;
  readonly nth?: number | undefined;
  readonly every?: number | undefined;
  readonly probability?: number | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly wallet?: string | undefined;
  readonly times?: number | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly delay?: string | undefined;
}

function bodyOf(args: AddArguments): Body {
  const { target, effect, file, nth, every, probability, from, until, wallet, times } = args;
  if (file !== undefined) {
    if (target !== undefined) throw new UsageError('give either a target and an effect, or --file');
    try {
      return JSON.parse(readUserText(file)) as Body;
    } catch (error) {
      throw new UsageError(`--file ${file}: ${(error as Error).message}`);
    }
  }
  if (target === undefined || effect === undefined)
    throw new UsageError('give a target and an effect, such as x402Pay lose-answer');
  const { status, code, message, retryAfter, delay, phase } = args;
  const when = { nth, every, probability, from, until, wallet, times };
  const isRpc = target.startsWith('rpc:');
  const body = {
    ...(isRpc ? { rpc: target.slice('rpc:'.length) } : { endpoint: target }),
    effect,
    phase,
    ...(Object.values(when).some((value) => value !== undefined) ? { when } : {}),
    status,
    code,
    message,
    retryAfter,
    delay,
  };
  return body as Body;
}

const ADD = remoteCommand({
  command: 'add [target] [effect]',
  describe: 'inject a fault',
  positionals: {
    target: { type: 'string', describe: 'operation (x402Pay), its path, *, or rpc:METHOD' },
    effect: { choices: EFFECTS, describe: 'effect of the fault' },
  },
  options: {
    phase: { choices: PHASES, describe: 'when it takes effect (default: the first phase of the effect)' },
    nth: { type: 'number', describe: 'only the Nth matching call' },
    every: { type: 'number', describe: 'every Nth matching call' },
    probability: { type: 'number', describe: 'per call, 0 to 1, drawn from the seed' },
    from: { type: 'string', describe: 'active from, ISO 8601' },
    until: { type: 'string', describe: 'active until (exclusive), ISO 8601' },
    wallet: { type: 'string', describe: 'only calls of this wallet' },
    times: { type: 'number', describe: 'at most N times' },
    status: { type: 'number', describe: 'effect answer: HTTP status' },
    code: { type: 'string', describe: 'effect answer: error code' },
    message: { type: 'string', describe: 'effect answer: error message' },
    'retry-after': { type: 'number', describe: 'effect answer: Retry-After in seconds' },
    delay: { type: 'string', describe: 'effects delay and delay-transaction: duration' },
    file: { type: 'string', describe: 'JSON file that describes the fault' },
  },
  examples: [
    ['fault add x402Pay lose-answer --nth 1', 'paid, but the answer is lost'],
    ["fault add '*' answer --status 429 --retry-after 5 --every 10", 'rate limiting'],
    ['fault add rpc:sendTransaction drop-transaction --times 1', 'never reaches the chain'],
  ],
  call: async (control, args) => control.do('addFault', { body: bodyOf(args) }),
  print: line,
});

export const FAULT = commandGroup('fault', 'inject faults by rule', [
  ADD,
  remoteCommand({
    command: ['list', '$0'],
    describe: 'list active faults and how often they applied',
    examples: [['fault list', 'fault-1 x402Pay after-commit lose-answer, …']],
    call: (control) => control.do('faults'),
    print: ({ faults }) => (faults.length === 0 ? 'no faults' : faults.map(line).join('\n')),
  }),
  remoteCommand({
    command: 'clear [id]',
    describe: 'remove one fault, or all',
    positionals: { id: { type: 'string' } },
    examples: [
      ['fault clear fault-1', 'only this one'],
      ['fault clear', 'all of them'],
    ],
    call: async (control, { id }): Promise<{ readonly cleared: boolean | number }> =>
      id === undefined ? control.do('clearFaults') : control.do('clearFault', { id }),
    print: (_, { id }) => `${id ?? 'all'} cleared`,
  }),
]);
