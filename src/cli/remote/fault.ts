import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import type { Ask } from '../../api/control/client.js';
import { PHASES, PHASES_OF } from '../../runtime/faults/faults.js';
import type { FaultView } from '../../runtime/faults-api.js';
import { UsageError } from '../usage.js';
import { load, remote } from './options.js';

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
      return JSON.parse(readFileSync(file, 'utf8')) as Body;
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

function addCommand<T>(y: Argv<T>) {
  return y.command(
    'add [target] [effect]',
    'inject a fault',
    (c) =>
      remote(c)
        .positional('target', {
          type: 'string',
          describe: 'operation (x402Pay), its path, *, or rpc:METHOD',
        })
        .positional('effect', { choices: EFFECTS, describe: 'effect of the fault' })
        .option('phase', {
          choices: PHASES,
          describe: 'when it takes effect (default: the first phase of the effect)',
        })
        .option('nth', { type: 'number', describe: 'only the Nth matching call' })
        .option('every', { type: 'number', describe: 'every Nth matching call' })
        .option('probability', { type: 'number', describe: 'per call, 0 to 1, drawn from the seed' })
        .option('from', { type: 'string', describe: 'active from, ISO 8601' })
        .option('until', { type: 'string', describe: 'active until (exclusive), ISO 8601' })
        .option('wallet', { type: 'string', describe: 'only calls of this wallet' })
        .option('times', { type: 'number', describe: 'at most N times' })
        .option('status', { type: 'number', describe: 'effect answer: HTTP status' })
        .option('code', { type: 'string', describe: 'effect answer: error code' })
        .option('message', { type: 'string', describe: 'effect answer: error message' })
        .option('retry-after', { type: 'number', describe: 'effect answer: Retry-After in seconds' })
        .option('delay', { type: 'string', describe: 'effects delay and delay-transaction: duration' })
        .option('file', { type: 'string', describe: 'JSON file that describes the fault' })
        .example('$0 fault add x402Pay lose-answer --nth 1', 'paid, but the answer is lost')
        .example("$0 fault add '*' answer --status 429 --retry-after 5 --every 10", 'rate limiting')
        .example('$0 fault add rpc:sendTransaction drop-transaction --times 1', 'never reaches the chain'),
    async (args) => {
      const body = bodyOf(args);
      await (await load()).withControlClient(args, (control) => control.do('addFault', { body }), line);
    },
  );
}

/** Adds `fault`. */
export function faultCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('fault', 'inject faults by rule', (f) =>
    addCommand(f)
      .command(
        ['list', '$0'],
        'list active faults and how often they applied',
        (c) => remote(c).example('$0 fault list', 'fault-1 x402Pay after-commit lose-answer, …'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('faults'),
            ({ faults }) => (faults.length === 0 ? 'no faults' : faults.map(line).join('\n')),
          ),
      )
      .command(
        'clear [id]',
        'remove one fault, or all',
        (c) =>
          remote(c)
            .positional('id', { type: 'string' })
            .example('$0 fault clear fault-1', 'only this one')
            .example('$0 fault clear', 'all of them'),
        async (args) =>
          (await load()).withControlClient<{ cleared: boolean }>(
            args,
            (control) =>
              args.id === undefined ? control.do('clearFaults') : control.do('clearFault', { id: args.id }),
            () => (args.id === undefined ? 'all cleared' : `${args.id} cleared`),
          ),
      ),
  );
}
