import { counted } from '../../core/counted.js';
import {
  type Approaches,
  type Summary,
  findsOf,
  missedGoals,
  neverSucceeded,
} from '../../testing/fuzz-library.js';
import { OUTGROWN_BY_INTEREST } from '../../testing/fuzz/campaign/goals.js';
import { propertyOf } from '../../testing/fuzz/campaign/properties.js';
import { failureText, type Kept } from './failures.js';

/** What ended a campaign early, how to continue it, and what it left out. */
export interface Ending {
  readonly interrupted: string | null;
  readonly isKept: boolean;
  /** How many saved counterexamples were not checked. */
  readonly unchecked: number;
}

/** Formats a share, such as 99.9 %. Only a share of exactly 1 is 100 %. */
function percent(share: number): string {
  const tenths = share === 1 ? 1_000 : Math.min(Math.floor(share * 1_000), share < 1 ? 999 : 1e6);
  return `${(tenths / 10).toFixed(1)} %`;
}

/** Formats how close each limit was approached. */
export function approachTexts(approaches: Approaches): string[] {
  return Object.entries(approaches).map(
    ([limit, share]) =>
      `${limit} ${percent(share)}${share > 1 && OUTGROWN_BY_INTEREST.has(limit) ? ' with interest' : ''}`,
  );
}

/** Short runs miss most goals, whose names say nothing then. */
const MOST_GOALS = 12;

export function summaryText(
  summary: Summary,
  kept: Kept,
  { interrupted, isKept, unchecked }: Ending,
): string {
  const { runs, steps, seconds, coverage, goals, approaches, repeats, crashed } = summary;
  const missed = missedGoals(summary);
  const reached = Object.keys(goals).length - missed.length;
  const rules = findsOf(summary).length;
  const verdict =
    rules === 0
      ? 'Every rule held'
      : rules === 1
        ? 'A rule was broken'
        : `Rules were broken in ${rules} ways`;
  const lines = [
    `${interrupted === null ? '' : `Interrupted by ${interrupted}. `}${verdict} in ${counted(runs, 'run')} of ${counted(steps, 'step')} (${seconds.toFixed(1)} s, ${counted(steps / Math.max(seconds, 0.001))} steps/s).`,
    `Reached: ${counted(coverage.length, 'pair')} of state and outcome, ${reached} of ${Object.keys(goals).length} goals.`,
    `Closest approach: ${approachTexts(approaches).join(', ')}${propertyOf(summary.property).variesLimits === true ? '; each of the limit that its run drew' : ''}.`,
  ];
  if (missed.length > MOST_GOALS) lines.push(`Never reached: ${missed.length} goals; --json lists them.`);
  else if (missed.length > 0) lines.push(`Never reached: ${missed.join(', ')}.`);
  const refused = neverSucceeded(summary);
  if (refused.length > 0) lines.push(`Never succeeded: ${refused.join(', ')}.`);
  if (repeats > 0) lines.push(`Further failures like a known one: ${counted(repeats)}.`);
  for (const { what, property, seed, first, end, reason } of crashed)
    lines.push(
      `Not finished: ${what} runs ${first} to ${end - 1} of --property ${property} --seed ${seed}: ${reason} each time.`,
    );
  for (const file of findsOf(summary)) {
    const paths = kept.get(file.name) ?? [];
    lines.push('', failureText(file), ...paths.map((path) => `  ${path}`));
    if (paths.length > 0 && paths.every((path) => !path.endsWith('.yaml')))
      lines.push(
        `  No scenario: ${file.unrepeatable === true ? 'a scenario would pass, or would fail for another reason' : 'a scenario cannot express it'}.`,
      );
    if (file.unrepeatable !== true && paths[0] !== undefined)
      lines.push(`  Replay it: sim replay ${paths[0]}`, `  Look at its world: sim inspect ${paths[0]}`);
  }
  if (unchecked > 0)
    lines.push(
      `${counted(unchecked, 'saved counterexample')} ${unchecked === 1 ? 'was' : 'were'} not checked: pass what found them to replay() of agent-bank-sim/fuzz.`,
    );
  if (interrupted !== null && isKept) lines.push('Run the same command again to continue.');
  else if (interrupted !== null)
    lines.push(`Add --path ${summary.next} to continue --property ${summary.property}.`);
  return `${lines.join('\n')}\n`;
}

/** The result as JSON, without the corpus and with the goals that were not reached. */
export function resultJson(summary: Summary, kept: Kept, { interrupted, unchecked }: Ending): string {
  const { corpus: _corpus, coverage, ...rest } = summary;
  const files = [...kept.values()].flat();
  const missed = { missed: missedGoals(summary), neverSucceeded: neverSucceeded(summary) };
  return `${JSON.stringify({ ...rest, pairs: coverage.length, ...missed, kept: files, interrupted, unchecked })}\n`;
}
