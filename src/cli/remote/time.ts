import type { Argv } from 'yargs';
import { EVENT_KINDS } from '../../runtime/due-runner.js';
import { UsageError } from '../usage.js';
import { load, remote } from './options.js';

/** The clock as the control interface reports it. */
export interface TimeTold {
  readonly now: string;
  readonly mode: string;
  readonly factor: number;
}

/** Formats the time on one line. */
export const timeLine = ({ now, mode, factor }: TimeTold) =>
  `${now} ${mode === 'scaled' ? `${factor}x` : mode}`;

interface Fired {
  readonly at: string;
  readonly kind: string;
  readonly subject?: string | undefined;
}

const firedLines = (fired: readonly Fired[]) =>
  fired.map(({ at, kind, subject }) => `${at} ${kind} ${subject ?? ''}`.trimEnd());

/** Adds `time`. */
export function timeCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('time', 'show or control the clock of a running simulator', (t) =>
    t
      .command(
        ['show', '$0'],
        'show the time',
        (c) => remote(c).example('$0 time', 'current world time'),
        async (args) => (await load()).withControlClient(args, (control) => control.do('time'), timeLine),
      )
      .command(
        'advance [by]',
        'advance the clock, listing the events on the way',
        (c) =>
          remote(c)
            .positional('by', { type: 'string', describe: 'duration such as 30d or PT1H' })
            .option('to', { type: 'string', describe: 'target time, ISO 8601' })
            .option('until', { choices: EVENT_KINDS, describe: 'stop at the first such event' })
            .option('within', {
              type: 'string',
              describe: 'with --until: advance this far if no such event occurs (default: fail after 10y)',
            })
            .example('$0 time advance 30d', 'a month passes')
            .example('$0 time advance --until loan.due', 'until the next loan falls due'),
        async (args) => {
          const { by, to, until, within } = args;
          const given = [by, to, until].filter((value) => value !== undefined);
          if (given.length !== 1) throw new UsageError('give a duration, --to or --until');
          const body =
            by !== undefined
              ? { by }
              : to !== undefined
                ? { to }
                : { until: until as (typeof EVENT_KINDS)[number], within };
          await (
            await load()
          ).withControlClient(
            args,
            (control) => control.do('advance', { body }),
            (told) =>
              [
                ...firedLines(told.fired),
                ...(told.omitted === undefined ? [] : [`… and ${told.omitted} more`]),
                timeLine(told),
              ].join('\n'),
          );
        },
      )
      .command(
        'freeze',
        'stop the clock',
        (c) => remote(c).example('$0 time freeze', 'time stands still'),
        async (args) => (await load()).withControlClient(args, (control) => control.do('freeze'), timeLine),
      )
      .command(
        'run',
        'run the clock in real time',
        (c) => remote(c).example('$0 time run', 'one second per second'),
        async (args) => (await load()).withControlClient(args, (control) => control.do('run'), timeLine),
      )
      .command(
        'scale <factor>',
        'run the clock N times faster',
        (c) =>
          remote(c)
            .positional('factor', { type: 'number', demandOption: true })
            .example('$0 time scale 60', 'an hour takes a minute'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('scale', { body: { factor: args.factor } }),
            timeLine,
          ),
      ),
  );
}
