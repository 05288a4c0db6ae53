import { flakyCount, tally } from '../results.js';
import type { Reporter, Sink } from './reporter.js';
import { jsonLine } from './text.js';

/** For programs: one JSON object per line, with all details. `kind` is `begin`, `scenario` (as each ends) or `end`. */
export function jsonReporter(sink: Sink): Reporter {
  const print = (line: object) => sink.write(`${jsonLine(line)}\n`);
  return {
    begin: ({ scenarios, target, engine, workers, shard }) =>
      print({ kind: 'begin', scenarios, target, engine, workers, shard }),
    ended: (result) => print({ kind: 'scenario', ...result }),
    end: ({ scenarios, results, startedAt, durationMs }) => {
      const counts = {
        ...tally(results),
        flaky: flakyCount(results),
        notFinished: scenarios - results.length,
      };
      print({ kind: 'end', startedAt, durationMs, tally: counts });
    },
  };
}
