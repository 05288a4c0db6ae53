import { GithubReporter } from './github.js';
import { HtmlReporter } from './html.js';
import { JsonReporter } from './json.js';
import { JunitReporter } from './junit.js';
import type { Environment } from './paint.js';
import { PrettyReporter, type Stopwatch } from './pretty.js';
import type { Reporter, Sink } from './reporter.js';

/** Options of reporters other than their sink. */
export interface ReporterOptions {
  /** Environment variables; `NO_COLOR` is respected. */
  readonly environment: Environment;
  /** File to which the GitHub reporter appends its summary; null for none. */
  readonly summaryFile: string | null;
  /** Clock for the rate of live progress. */
  readonly nowMs: Stopwatch;
}

type MakeReporter = (sink: Sink, options: ReporterOptions) => Reporter;

/** All reporters by name. */
export const REPORTERS = {
  // Text: live progress and failures in full.
  pretty: (sink, { environment, nowMs }) => new PrettyReporter(sink, environment, nowMs),
  junit: (sink) => new JunitReporter(sink),
  // One JSON object per line.
  json: (sink) => new JsonReporter(sink),
  // Annotations and a step summary for GitHub Actions.
  github: (sink, { summaryFile }) => new GithubReporter(sink, summaryFile),
  // A single page with every step.
  html: (sink) => new HtmlReporter(sink),
} as const satisfies Record<string, MakeReporter>;

export type ReporterName = keyof typeof REPORTERS;

/** Creates a reporter that writes to a sink. */
export function makeReporter(
  name: ReporterName,
  sink: Sink,
  options: Partial<ReporterOptions> = {},
): Reporter {
  const make: MakeReporter = REPORTERS[name];
  return make(sink, {
    environment: options.environment ?? process.env,
    summaryFile: options.summaryFile ?? null,
    nowMs: options.nowMs ?? (() => performance.now()),
  });
}

/** A selected reporter and its output file. */
export interface ReporterChoice {
  readonly name: ReporterName;
  /** Null for the terminal. */
  readonly file: string | null;
}

function isReporterName(name: string): name is ReporterName {
  return Object.hasOwn(REPORTERS, name);
}

/** Parses `name` or `name:file`, such as `junit:out/report.xml`. Throws a `RangeError` for an unknown name or an empty file. */
export function parseReporter(text: string): ReporterChoice {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  if (!isReporterName(name)) {
    throw new RangeError(`there is no reporter "${name}"; there are ${Object.keys(REPORTERS).join(', ')}`);
  }
  if (colon < 0) return { name, file: null };
  const file = text.slice(colon + 1);
  if (file === '') throw new RangeError(`the reporter "${text}" needs a file: write ${name} or ${name}:FILE`);
  return { name, file };
}
