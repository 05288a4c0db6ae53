import { counted } from '../../core/counted.js';
import { differenceText } from '../../recording/replay/compare.js';
import { readRecording } from '../../recording/replay/read-recording.js';
import {
  type ReplayReport,
  type ReplayedDifference,
  replayRecording,
} from '../../recording/replay/replay.js';
import { EXIT } from '../usage.js';
import { printResult } from '../print-result.js';
import type { ReplayArguments } from '../fuzz/flags.js';

/** Maximum differing lines shown without `all`. */
const SHOWN = 20;

function lines({ number, what, who, differences }: ReplayedDifference): string[] {
  const by = who === null ? '' : ` by ${who}`;
  return differences.map((difference) => `line ${number}: ${what}${by}: ${differenceText(difference)}`);
}

/** The report as text: differences, a table by endpoint and a summary. */
function reportText(
  { different, byWhat, inputs, same, engine, ms, isCut }: ReplayReport,
  all: boolean,
): string {
  const found = different.flatMap(lines);
  const shown = all ? found : found.slice(0, SHOWN);
  if (shown.length < found.length)
    shown.push(`… and ${found.length - shown.length} more; show them with --all`);
  const rows = Object.entries(byWhat).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const width = Math.max(...rows.map(([what]) => what.length), 0);
  const table = rows.map(
    ([what, count]) =>
      `${what.padEnd(width)}  ${String(count.inputs).padStart(6)}  ${count.different === 0 ? 'all match' : `${count.different} different`}`,
  );
  const played = `${counted(inputs, 'input')} replayed on ${engine} in ${(ms / 1_000).toFixed(2)} s`;
  const result = inputs === same ? 'all responses match' : `${counted(inputs - same, 'response')} different`;
  const verdict = inputs === 0 ? 'The recording has no inputs.' : `${played}: ${result}`;
  const cut = isCut
    ? ['The recording is incomplete: the process that wrote it was killed or is still running.']
    : [];
  return [...shown, ...(shown.length === 0 ? [] : ['']), ...table, '', verdict, ...cut].join('\n');
}

/** Replays a recording and prints differing responses. Sets exit code 1 if any differ, or if the recording is incomplete or empty. */
export async function replaySession(args: ReplayArguments, text: string): Promise<void> {
  const { engine, log, file } = args;
  const report = await replayRecording(readRecording(text, file), { engine, log });
  if (report.different.length > 0 || report.isCut || report.inputs === 0) process.exitCode = EXIT.failed;
  printResult(args, report, reportText(report, args.all ?? false));
}
