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
    if (target !== undefined) throw new UsageError('give a target and an effect, or --file');
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Body;
    } catch (error) {
      throw new UsageError(`--file ${file}: ${(error as Error).message}`);
    }
  }
  if (target === undefined || effect === undefined)
    throw new UsageError('say which calls and what goes wrong, such as x402Pay lose-answer');
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
    'let calls go wrong',
    (c) =>
      remote(c)
        .positional('target', {
          type: 'string',
          describe: 'an operation (x402Pay), its path, *, or rpc:METHOD',
        })
        .positional('effect', { choices: EFFECTS, describe: 'what goes wrong' })
        .option('phase', { choices: PHASES, describe: 'default: the first that the effect can have' })
        .option('nth', { type: 'number', describe: 'the nth call' })
        .option('every', { type: 'number', describe: 'every so many calls' })
        .option('probability', { type: 'number', describe: 'of each call, 0 to 1, from the seed' })
        .option('from', { type: 'string', describe: 'from this instant on, ISO 8601' })
        .option('until', { type: 'string', describe: 'before this instant, ISO 8601' })
        .option('wallet', { type: 'string', describe: 'calls of this wallet' })
        .option('times', { type: 'number', describe: 'at most so many times' })
        .option('status', { type: 'number', describe: 'of the effect answer' })
        .option('code', { type: 'string', describe: 'of the effect answer' })
        .option('message', { type: 'string', describe: 'of the effect answer' })
        .option('retry-after', { type: 'number', describe: 'seconds, of the effect answer' })
        .option('delay', { type: 'string', describe: 'of the effects delay and delay-transaction' })
        .option('file', { type: 'string', describe: 'the fault as JSON instead' })
        .example('$0 fault add x402Pay lose-answer --nth 1', 'paid, and the agent hears nothing')
        .example("$0 fault add '*' answer --status 429 --retry-after 5 --every 10", 'too many requests')
        .example('$0 fault add rpc:sendTransaction drop-transaction --times 1', 'sent and never seen'),
    async (args) => {
      const body = bodyOf(args);
      await (await load()).withControlClient(args, (control) => control.do('addFault', { body }), line);
    },
  );
}

/** Adds `fault`. */
export function faultCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('fault', 'let calls of a running simulator go wrong, by rule', (f) =>
    addCommand(f)
      .command(
        ['list', '$0'],
        'the faults in force and what they have struck',
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
        'take one fault out of force, or all',
        (c) =>
          remote(c)
            .positional('id', { type: 'string' })
            .example('$0 fault clear fault-1', 'that one')
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
