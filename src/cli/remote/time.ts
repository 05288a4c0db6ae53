import { EVENT_KINDS } from '../../runtime/due-runner.js';
import { UsageError } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

/** The clock as the control interface reports it. */
interface TimeView {
  readonly now: string;
  readonly mode: string;
  readonly factor: number;
}

export const timeLine = ({ now, mode, factor }: TimeView) =>
  `${now} ${mode === 'scaled' ? `${factor}x` : mode}`;

interface Fired {
  readonly at: string;
  readonly kind: string;
  readonly subject?: string | undefined;
}

const firedLines = (fired: readonly Fired[]) =>
  fired.map(({ at, kind, subject }) => `${at} ${kind} ${subject ?? ''}`.trimEnd());

export const TIME = commandGroup('time', 'show or control the clock of a running simulator', [
  remoteCommand({
    command: ['show', '$0'],
    describe: 'show the time',
    examples: [['time', 'current world time']],
    call: (control) => control.do('time'),
    print: timeLine,
  }),
  remoteCommand({
    command: 'advance [by]',
    describe: 'advance the clock, listing the events on the way',
    positionals: { by: { type: 'string', describe: 'duration such as 30d or PT1H' } },
    options: {
      to: { type: 'string', describe: 'target time, ISO 8601' },
      until: { choices: EVENT_KINDS, describe: 'stop at the first such event' },
      blocks: {
        type: 'number',
        describe: 'advance by so many blocks of 400 ms: after 151, blockhashes have expired',
      },
      within: {
        type: 'string',
        describe: 'with --until: advance this far if no such event occurs (default: fail after 10y)',
      },
    },
    examples: [
      ['time advance 30d', 'a month passes'],
      ['time advance --until loan.due', 'until the next loan falls due'],
    ],
    call: async (control, { by, to, until, blocks, within }) => {
      if ([by, to, until, blocks].filter((value) => value !== undefined).length !== 1)
        throw new UsageError('give a duration, --to, --until or --blocks');
      const body =
        by !== undefined
          ? { by }
          : to !== undefined
            ? { to }
            : blocks !== undefined
              ? { blocks }
              : { until: until as (typeof EVENT_KINDS)[number], within };
      return control.do('advance', { body });
    },
    print: (answer) =>
      [
        ...firedLines(answer.fired),
        ...(answer.omitted === undefined ? [] : [`… and ${answer.omitted} more`]),
        timeLine(answer),
      ].join('\n'),
  }),
  remoteCommand({
    command: 'freeze',
    describe: 'stop the clock',
    examples: [['time freeze', 'time stands still']],
    call: (control) => control.do('freeze'),
    print: timeLine,
  }),
  remoteCommand({
    command: 'run',
    describe: 'run the clock in real time',
    examples: [['time run', 'one second per second']],
    call: (control) => control.do('run'),
    print: timeLine,
  }),
  remoteCommand({
    command: 'scale <factor>',
    describe: 'run the clock N times faster',
    positionals: { factor: { type: 'number', demandOption: true } },
    examples: [['time scale 60', 'an hour takes a minute']],
    call: (control, { factor }) => control.do('scale', { body: { factor } }),
    print: timeLine,
  }),
]);
