import { counted } from '../../../core/counted.js';
import { type ScenarioResult, type SuiteResult, type Verdict, tallyText, tally } from '../results.js';
import { failureText } from './failure-text.js';
import { type Environment, type Reporter, type Sink, type Style, styleOf } from './reporter.js';
import { MARKS, durationText, oneLine, wrapped } from './text.js';

const COLOURS = { passed: 'green', failed: 'red', skipped: 'yellow' } as const;

const WHERE = {
  'in-process': 'in this process',
  http: 'over HTTP',
  deployed: 'at a deployed service',
} as const;

function tallyLine({ scenarios, results, durationMs, shard }: SuiteResult, { paint }: Style): string {
  const parts = Object.entries(tally(results)).map(([verdict, count]) => {
    const text = tallyText(results, verdict as Verdict);
    return count > 0 ? paint(COLOURS[verdict as Verdict], text) : text;
  });
  const left = scenarios - results.length;
  if (left > 0) parts.push(paint('yellow', `${left} not finished`));
  const part = shard === null ? '' : `, shard ${shard}`;
  return `${counted(results.length, 'scenario')}: ${parts.join(', ')} in ${durationText(durationMs)}${part}\n`;
}

/** The end of a text report: failures in full, in the order of their files, and totals. */
function summaryText(suite: SuiteResult, style: Style): string {
  const failed = suite.results.filter(({ verdict }) => verdict === 'failed');
  const failures = failed.map((result) => `${failureText(result, style)}\n`).join('');
  return failures + tallyLine(suite, style);
}

function lineOf({ verdict, name, ms, reason }: ScenarioResult, { paint }: Style): string {
  const why = reason === null ? '' : `: ${oneLine(reason)}`;
  const took = verdict === 'skipped' ? '' : ` ${paint('dim', `(${durationText(ms)})`)}`;
  return `${paint(COLOURS[verdict], MARKS[verdict])} ${oneLine(name)}${took}${why}\n`;
}

/** For terminals and logs: a line per scenario, on a terminal per failed or flaky scenario. Ends with all failures in full and the totals. */
export function prettyReporter(sink: Sink, environment: Environment): Reporter {
  const style = styleOf(sink, environment);
  return {
    begin: ({ scenarios, target, engine, workers, shard }) => {
      const by = engine === null ? '' : `, ${oneLine(engine)}`;
      const what = `${counted(scenarios, 'scenario')} ${WHERE[target]}${by}, ${counted(workers, 'worker')}`;
      const line = shard === null ? what : `${what}, shard ${shard}`;
      sink.write(`${wrapped(line, style.columns).join('\n')}\n`);
    },
    ended: (result) => {
      if (!sink.isTerminal || result.verdict === 'failed' || result.firstFailure !== null)
        sink.write(lineOf(result, style));
    },
    end: (suite) => sink.write(`\n${summaryText(suite, style)}`),
  };
}
