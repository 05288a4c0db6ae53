import {
  type CampaignInput,
  type FailureFile,
  type Progress,
  type Summary,
  campaign,
} from '../../testing/fuzz-library.js';
import { followParent } from '../interrupts.js';
import { type FuzzArguments, partOf, planOf } from './options.js';
import { readCorpus } from './corpus-files.js';
import type { Shown } from './progress.js';

/** Messages to a worker: play a part of a campaign of the plan, or stop and report the results so far. */
export type ToFuzzWorker =
  | {
      readonly kind: 'play';
      readonly campaign: number;
      /** Index of the worker. */
      readonly worker: number;
      readonly known: readonly FailureFile[];
      /** The worker's part that it goes on with. */
      readonly earlier: Summary | null;
    }
  | { readonly kind: 'stop' };

/** Messages from a worker. */
export type FromFuzzWorker =
  | { readonly kind: 'progress'; readonly shown: Shown }
  | { readonly kind: 'kept'; readonly file: FailureFile }
  | { readonly kind: 'done'; readonly summary: Summary }
  | { readonly kind: 'broken'; readonly reason: string };

const TELL_EVERY_MS = 250;

/** Progress of a campaign, for display. */
export function shownOf(property: string, { runs, steps, coverage, goals }: Progress): Shown {
  const counts = Object.values(goals.counts());
  const reached = counts.filter((times) => times > 0).length;
  return {
    property,
    runs,
    steps,
    pairs: coverage.size,
    goals: [reached, counts.length],
    approaches: goals.approaches(),
  };
}

/** Plays parts of campaigns for the parent process, until that is gone. */
export async function fuzzWorker(args: FuzzArguments): Promise<void> {
  const say = (message: FromFuzzWorker) => process.send?.(message);
  followParent();
  const stop = new AbortController();
  const { campaigns, workers } = planOf(args);
  const corpus = args.corpus === undefined ? [] : readCorpus(args.corpus);
  process.on('message', (message: ToFuzzWorker) => {
    if (message.kind === 'stop') {
      stop.abort();
      return;
    }
    const { campaign: at, worker, known, earlier } = message;
    const input = campaigns[at] as CampaignInput;
    let toldMs = performance.now();
    void campaign({
      ...partOf(input, worker, workers),
      corpus,
      known,
      ...(earlier === null ? {} : { earlier }),
      signal: stop.signal,
      onProgress: (progress) => {
        if (performance.now() - toldMs < TELL_EVERY_MS) return;
        toldMs = performance.now();
        say({ kind: 'progress', shown: shownOf(input.property ?? '', progress) });
      },
      onKept: (file) => void say({ kind: 'kept', file }),
    }).then(
      (summary) => say({ kind: 'done', summary }),
      (error: unknown) =>
        say({
          kind: 'broken',
          reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
}
