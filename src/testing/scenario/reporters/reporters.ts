import { flakyCount, tally } from '../results.js';
import { githubReporter } from './github.js';
import { htmlPage } from './html-page.js';
import { junitXml } from './junit.js';
import { prettyReporter } from './pretty.js';
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

type MakeReporter = (sink: Sink) => Reporter;

/** All reporters by name. Formats that begin with totals are written when the run ends. */
export const REPORTERS = {
  // Text: a line per scenario, and failures in full.
  pretty: (sink) => prettyReporter(sink, process.env),
  junit: (sink) => ({ end: (suite) => sink.write(junitXml(suite)) }),
  // One JSON object per line.
  json: jsonReporter,
  // Annotations and a step summary for GitHub Actions.
  github: (sink) => githubReporter(sink, process.env),
  // A single page with every step.
  html: (sink) => ({ end: (suite) => sink.write(htmlPage(suite)) }),
} as const satisfies Record<string, MakeReporter>;

type ReporterName = keyof typeof REPORTERS;

export interface ReporterChoice {
  readonly name: ReporterName;
  /** Null for the terminal. */
  readonly file: string | null;
}

/** Parses `name` or `name:file`, such as `junit:out/report.xml`. Throws a `RangeError` for an unknown name or an empty file. */
export function parseReporter(text: string): ReporterChoice {
  const colon = text.indexOf(':');
  const name = (colon < 0 ? text : text.slice(0, colon)) as ReporterName;
  if (!Object.hasOwn(REPORTERS, name))
    throw new RangeError(`there is no reporter "${name}"; there are ${Object.keys(REPORTERS).join(', ')}`);
  if (colon < 0) return { name, file: null };
  const file = text.slice(colon + 1);
  if (file === '') throw new RangeError(`the reporter "${text}" needs a file: write ${name} or ${name}:FILE`);
  return { name, file };
}
