import type { AnswerOf } from '../../api/control/client.js';
import { UsageError } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

export const timeLine = ({ now, mode, factor }: AnswerOf<'time'>) =>
  `${now} ${mode === 'scaled' ? `${factor}x` : mode}`;

export const TIME = commandGroup('time', 'show or control the clock of a running simulator', [
  remoteCommand('time', {
    command: ['show', '$0'],
    examples: [['time', 'current world time']],
    print: timeLine,
  }),
  remoteCommand('advance', {
    command: 'advance [by]',
    examples: [
      ['time advance 30d', 'a month passes'],
      ['time advance --until loan.due', 'to the instant when the next loan is due'],
    ],
    call: async (control, ask) => {
      const { within: _within, ...length } = ask.body as Readonly<Record<string, unknown>>;
      if (Object.keys(length).length !== 1)
        throw new UsageError('give exactly one of: a duration, --to, --until, --blocks');
      return control.do('advance', ask);
    },
    isFailure: ({ reached }) => !reached,
    print: (answer) =>
      [
        ...answer.fired.map(({ at, kind, subject }) => `${at} ${kind} ${subject ?? ''}`.trimEnd()),
        ...(answer.fired.length === 0 ? ['no events'] : []),
        ...(answer.omitted === undefined ? [] : [`… and ${answer.omitted} more`]),
        ...(answer.reached ? [] : ['the event of --until did not occur']),
        timeLine(answer),
      ].join('\n'),
  }),
  remoteCommand('freeze', {
    command: 'freeze',
    examples: [['time freeze', 'time stops']],
    print: timeLine,
  }),
  remoteCommand('run', {
    command: 'run',
    examples: [['time run', 'one second per second']],
    print: timeLine,
  }),
  remoteCommand('scale', {
    command: 'scale <factor>',
    examples: [['time scale 60', 'an hour takes one minute']],
    print: timeLine,
  }),
]);
