import type { Argv } from 'yargs';
import { EVENT_KINDS } from '../../runtime/due-runner.js';
import { UsageError } from '../usage.js';
import { load, remote } from './options.js';

/** The time as the control interface tells it. */
export interface TimeTold {
  readonly now: string;
  readonly mode: string;
  readonly factor: number;
}

/** The time as one line. */
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
  return y.command('time', 'read or move the time of a running simulator', (t) =>
    t
      .command(
        ['show', '$0'],
        'tell the time',
        (c) => remote(c).example('$0 time', 'what time it is there'),
        async (args) => (await load()).withControlClient(args, (control) => control.do('time'), timeLine),
      )
      .command(
        'advance [by]',
        'jump forward and list what happened on the way',
        (c) =>
          remote(c)
            .positional('by', { type: 'string', describe: 'a duration such as 30d or PT1H' })
            .option('to', { type: 'string', describe: 'an instant, ISO 8601' })
            .option('until', { choices: EVENT_KINDS, describe: 'stop at the first of these' })
            .option('within', {
              type: 'string',
              describe: 'go so far when there is none; without it that is refused (after 10y)',
            })
            .example('$0 time advance 30d', 'a month passes')
            .example('$0 time advance --until loan.due', 'as far as the next loan falls due'),
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
        'let it run with the wall clock',
        (c) => remote(c).example('$0 time run', 'a second lasts a second'),
        async (args) => (await load()).withControlClient(args, (control) => control.do('run'), timeLine),
      )
      .command(
        'scale <factor>',
        'let so many seconds pass in one',
        (c) =>
          remote(c)
            .positional('factor', { type: 'number', demandOption: true })
            .example('$0 time scale 60', 'an hour lasts a minute'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('scale', { body: { factor: args.factor } }),
            timeLine,
          ),
      ),
  );
}
