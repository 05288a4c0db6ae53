/** A search for one planted bug with one seed. */
export interface Hunt {
  readonly bug: string;
  readonly seed: number;
  readonly verdict: 'found' | 'missed' | 'broken';
  readonly runs: number;
  /** Until it was found, without shrinking. */
  readonly steps: number;
  /** Until it was found, with the start of the process and without shrinking. */
  readonly seconds: number;
  /** Steps of the counterexample. */
  readonly shortest: number;
  readonly hasScenario: boolean;
  /** Files that did not fail with the bug, or not hold without it. */
  readonly wrong: readonly string[];
  readonly text: string;
}

/** A value that half, and nine tenths, of the seeds stay below; null where so many did not find the bug. */
interface Quantiles {
  readonly median: number | null;
  readonly p90: number | null;
}

/** The searches for one bug with several seeds. */
export interface HuntsOfBug {
  readonly bug: string;
  readonly seeds: number;
  readonly found: number;
  readonly steps: Quantiles;
  readonly seconds: Quantiles;
  readonly shortest: Quantiles;
}

/** The nearest-rank quantiles of what the successful searches took; those that failed took for ever. */
export function quantiles(values: readonly number[], all: number): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(all * share) - 1)] ?? null;
  return { median: at(0.5), p90: at(0.9) };
}

/** Sums up searches by bug, in the order of their names. */
export function summed(hunts: readonly Hunt[]): HuntsOfBug[] {
  const names = [...new Set(hunts.map(({ bug }) => bug))].toSorted();
  return names.map((bug) => {
    const all = hunts.filter((hunt) => hunt.bug === bug);
    const found = all.filter(({ verdict }) => verdict === 'found');
    const of = (member: 'steps' | 'seconds' | 'shortest') =>
      quantiles(
        found.map((hunt) => hunt[member]),
        all.length,
      );
    return {
      bug,
      seeds: all.length,
      found: found.length,
      steps: of('steps'),
      seconds: of('seconds'),
      shortest: of('shortest'),
    };
  });
}

/** Steps until each seed, from 1, found a bug, by the bug's name; null where it did not. */
export type Baseline = Readonly<Record<string, readonly (number | null)[]>>;

/** What searches found, to be compared with later ones. */
export function baselineOf(hunts: readonly Hunt[]): Baseline {
  const names = [...new Set(hunts.map(({ bug }) => bug))].toSorted();
  const stepsOf = (bug: string) =>
    hunts
      .filter((hunt) => hunt.bug === bug)
      .toSorted((a, b) => a.seed - b.seed)
      .map(({ verdict, steps }) => (verdict === 'found' ? steps : null));
  return Object.fromEntries(names.map((name) => [name, stepsOf(name)]));
}

/** The searches that missed a bug which its seed found in the baseline. */
export function missedSince(baseline: Baseline, hunts: readonly Hunt[]): string[] {
  return hunts
    .filter(({ bug, seed, verdict }) => verdict !== 'found' && (baseline[bug]?.[seed - 1] ?? null) !== null)
    .map(({ bug, seed }) => `${bug}, seed ${seed}`);
}

/** One search as a line, with what was wrong with its files. */
export function line(hunt: Hunt): string {
  const { bug, seed, verdict, runs, steps, seconds, shortest, hasScenario, wrong, text } = hunt;
  const what = `${verdict.padEnd(7)} ${String(runs).padStart(6)} ${String(steps).padStart(8)} ${seconds.toFixed(1).padStart(7)} s`;
  const scenario = verdict === 'found' && !hasScenario ? ' (no scenario)' : '';
  const more = [text.replaceAll('\n', ' ').slice(0, 160), ...wrong.map((each) => `WRONG: ${each}`)];
  return `${what}  ${String(shortest).padStart(3)} steps  ${bug}, seed ${seed}${scenario}\n${more.map((each) => `${' '.repeat(41)}${each}\n`).join('')}`;
}

function shown(value: number | null, digits: number): string {
  return value === null ? 'never' : value.toFixed(digits);
}

/** The result for people: for several seeds median and 90th percentile of each bug, and of all searches. */
export function summaryText(bugs: readonly HuntsOfBug[], seeds: number): string {
  const found = bugs.filter((each) => each.found === each.seeds).length;
  const rows = bugs.map(
    ({ bug, found: times, steps, seconds }) =>
      `${String(times).padStart(3)} of ${seeds}  ${shown(steps.median, 0).padStart(8)} ${shown(steps.p90, 0).padStart(8)} steps  ${shown(seconds.median, 1).padStart(6)} ${shown(seconds.p90, 1).padStart(6)} s  ${bug}`,
  );
  const table = seeds === 1 ? [] : ['found; median and 90th percentile of steps and of time', ...rows];
  return `${[...table, `${found} of ${bugs.length} found${seeds === 1 ? '' : ' with every seed'}`].join('\n')}\n`;
}
