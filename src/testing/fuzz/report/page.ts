import { counted } from '../../../core/counted.js';
import { chartMarkup, coordinate, thinned } from '../../../api/html/chart.js';
import { attributes, escapedText, dataText } from '../../../api/html/markup.js';
import { OUTGROWN_BY_INTEREST } from '../campaign/goals.js';
import { type Summary, findsOf, missedGoals, neverSucceeded } from '../campaign/summary.js';
import { type Pair, summedBy, pairsOf } from '../campaign/tally.js';
import { documentOf } from '../../../api/html/document.js';
import { drawsLimits } from '../campaign/properties.js';
import type { FailureFile } from '../failure/failure-file.js';
import { natureOf } from '../failure/nature.js';
import { stepText } from '../step.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

const BAR = 320;
const BAR_HEIGHT = 14;
const WIDTH = 640;
const HEIGHT = 180;

/** A share as a percentage, with enough digits to distinguish almost full from full. */
function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** A bar of adjacent parts. */
function barMarkup(label: string, parts: string): string {
  const about = { class: 'bar', viewBox: `0 0 ${BAR} ${BAR_HEIGHT}`, role: 'img', 'aria-label': label };
  return `<svg${attributes(about)}><title>${escapedText(label)}</title>${parts}</svg>`;
}

const IN_WORDS_OF = {
  over: 'over the limit',
  outgrown: 'by interest, which is allowed: the limit applies to new borrowing',
  full: 'exactly full',
  under: '',
} as const;

function closenessOf(limit: string, share: number): keyof typeof IN_WORDS_OF {
  if (share > 1) return OUTGROWN_BY_INTEREST.has(limit) ? 'outgrown' : 'over';
  return share === 1 ? 'full' : 'under';
}

function limitRow(limit: string, share: number): string {
  const scale = BAR / Math.max(1, share);
  const closeness = closenessOf(limit, share);
  const text = `${percent(share)}${IN_WORDS_OF[closeness] === '' ? '' : `, ${IN_WORDS_OF[closeness]}`}`;
  const within =
    closeness === 'outgrown'
      ? `<rect class="full" width="${coordinate(scale)}" height="${BAR_HEIGHT}"/>`
      : '';
  const parts = `<rect class="track" width="${BAR}" height="${BAR_HEIGHT}"/>
<rect class="${closeness}" width="${coordinate(Math.max(0, share) * scale)}" height="${BAR_HEIGHT}"/>${within}<path class="edge" d="M${coordinate(scale)} 0V${BAR_HEIGHT}"/>`;
  return `<tr><th scope="row">${escapedText(limit)}</th><td class="wide">${barMarkup(`${limit}: ${text}`, parts)}</td><td class="${closeness === 'over' ? 'failed' : 'text'}">${text}</td></tr>`;
}

/** How close each limit was approached: the line marks a fully used limit. */
function limitsMarkup({ approaches }: Pick<Summary, 'approaches'>): string {
  const rows = Object.entries(approaches).map(([limit, share]) => limitRow(limit, share));
  return `<div class="scroll"><table class="bars"><thead><tr><th scope="col">Limit</th><th scope="col">Closest approach</th><th scope="col">In numbers</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
`;
}

/** Number of known pairs by steps played, as a line. */
function discoveriesMarkup({ coverage, steps }: Pick<Summary, 'coverage' | 'steps'>): string {
  const [, , last] = coverage.at(-1) ?? [];
  if (last === undefined) return '<p class="quiet">No pairs were discovered.</p>\n';
  const all = coverage.length;
  const most = Math.max(steps, 1);
  const text = `${counted(all, 'pair')} of state and outcome after ${counted(last, 'step')}; the last new one came at step ${counted(last)} of ${counted(most)}`;
  return chartMarkup({
    width: WIDTH,
    height: HEIGHT,
    caption: `${text}.`,
    label: text,
    highest: `${counted(all)} pairs`,
    start: '0',
    end: counted(most, 'step'),
    lines: ({ x, y }) => {
      const line = thinned(coverage.map(([, , at], before) => `H${x(at / most)}V${y((before + 1) / all)}`));
      return `<path class="line" d="M${x(0)} ${y(0)}${line.join('')}H${x(1)}"/>`;
    },
  });
}

/** Number of shades of a cell; the darkest is for the largest count. */
const SHADES = 9;

/** Darkness of a cell, on a logarithmic scale: 0 for none. */
function shadeOf(count: number, most: number): number {
  if (count <= 0) return 0;
  return most <= 1 ? SHADES : 1 + Math.round(((SHADES - 1) * Math.log(count)) / Math.log(most));
}

/** Whether an outcome belongs to several overlapping calls. */
function isOverlap({ outcome }: Pair): boolean {
  return outcome.includes('+');
}

/** Success first, then the others by frequency. */
function outcomesOf(pairs: readonly Pair[]): string[] {
  const names = summedBy(pairs, ({ outcome }) => outcome).map(([name]) => name);
  return [...names.filter((name) => name === 'ok'), ...names.filter((name) => name !== 'ok')];
}

function rowsMarkup(
  pairs: readonly Pair[],
  outcomes: readonly string[],
  commands: readonly string[],
): string {
  const counts = new Map(summedBy(pairs, ({ command, outcome }) => `${command} | ${outcome}`));
  const most = Math.max(0, ...counts.values());
  const rows = commands.map((command) => {
    const cells = outcomes.map((outcome) => {
      const count = counts.get(`${command} | ${outcome}`) ?? 0;
      return `<td class="n${shadeOf(count, most)}">${count === 0 ? '' : counted(count)}</td>`;
    });
    return `<tr><th scope="row">${escapedText(command)}</th>${cells.join('')}</tr>`;
  });
  return rows.join('\n');
}

/** Commands × outcomes with their counts, which a short script filters by state class. */
function matrixMarkup(all: readonly Pair[]): string {
  const pairs = all.filter((pair) => !isOverlap(pair));
  const commands = [...new Set(pairs.map(({ command }) => command))].toSorted();
  const outcomes = outcomesOf(pairs);
  const states = [...new Set(pairs.map(({ state }) => state))].toSorted();
  const place = (names: readonly string[]) => new Map(names.map((name, at) => [name, at]));
  const [rows, columns, classes] = [place(commands), place(outcomes), place(states)];
  const data = {
    shades: SHADES,
    states,
    counts: pairs.map(({ state, command, outcome, count }) => [
      classes.get(state),
      rows.get(command),
      columns.get(outcome),
      count,
    ]),
  };
  const heads = outcomes.map(
    (outcome) => `<th scope="col" class="up"><span>${escapedText(outcome)}</span></th>`,
  );
  return `<form id="filter"><input type="search" name="state" placeholder="Part of a state class, such as debt full, active" aria-label="Only state classes with these parts"/>
<output id="shown" class="quiet"></output></form>
<div class="scroll"><table id="matrix" class="matrix"><caption>Number of times that each command had each outcome; darker means more often, on a logarithmic scale</caption>
<thead><tr><th scope="col">Command</th>${heads.join('')}</tr></thead>
<tbody>
${rowsMarkup(pairs, outcomes, commands)}
</tbody></table></div>
<script${attributes({ type: 'application/json', id: 'pairs' })}>${dataText(data)}</script>
`;
}

/** Names with their counts; the first head is for the names. */
function numbersMarkup(
  heads: readonly string[],
  rows: readonly (readonly [name: string, ...counts: number[]])[],
): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join('');
  const lines = rows.map(([name, ...counts]) => {
    const cells = counts.map((count) => `<td>${counted(count)}</td>`).join('');
    return `<tr><th scope="row">${escapedText(name)}</th>${cells}</tr>`;
  });
  return `<table class="numbers"><thead><tr>${head}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table>`;
}

/** State classes with the commands and outcomes reached in them: a second view of the coverage. */
function statesMarkup(pairs: readonly Pair[]): string {
  const states = summedBy(pairs, ({ state }) => state);
  const rows = states.map(([state, steps]): [string, ...number[]] => {
    const own = pairs.filter((pair) => pair.state === state);
    const commands = new Set(own.map(({ command }) => command));
    const codes = new Set(own.map(({ outcome }) => outcome));
    return [state, steps, commands.size, codes.size, own.length];
  });
  return `<details><summary>${counted(states.length)} state classes</summary>
<div class="scroll">${numbersMarkup(['State class', 'Steps', 'Commands', 'Outcomes', 'Pairs'], rows)}</div></details>
`;
}

function headerMarkup(summary: Summary, verdict: string, origin: string): string {
  const { runs, steps, seconds, coverage, goals, found, property } = summary;
  const all = Object.keys(goals).length;
  const reached = all - missedGoals(summary).length;
  const about = [
    ...(origin === '' ? [] : [origin]),
    `${counted(runs, 'run')} of ${counted(steps, 'step')} in ${seconds.toFixed(1)} s, ${counted(steps / Math.max(seconds, 0.001))} steps a second.`,
    `${counted(coverage.length, 'pair')} of state and outcome, and ${reached} of ${all} goals reached.`,
  ];
  return `<header><h1>${escapedText(`Fuzzing: ${property}`)}</h1>
<p class="tally"><span class="${found === null ? 'passed' : 'failed'}">${found === null ? '✓' : '✗'} ${verdict}</span></p>
${about.map((line) => `<p class="quiet">${escapedText(line)}</p>`).join('\n')}</header>`;
}

function counterexampleMarkup(found: FailureFile): string {
  const { property, seed, run } = found.found;
  const steps = found.steps.map(
    (step, at) =>
      `<li${at === found.failure.at ? ' class="failed"' : ''}><code>${escapedText(stepText(step))}</code></li>`,
  );
  const files =
    found.unrepeatable === true
      ? ''
      : `<p class="quiet">${escapedText(`The same folder contains ${found.name}.test.ts, a test, and, if a scenario can reproduce the failure, ${found.name}.yaml for sim run.`)}</p>
`;
  return `<h2>${escapedText(found.failure.kind)}</h2>
<p class="problem">${escapedText(found.failure.text)}</p>
<p>Found on ${escapedText(natureOf(found))}.</p>
<ol>
${steps.join('\n')}
</ol>
<p>${escapedText(`Property ${property}, seed ${seed}, run ${run}. To replay it, and to inspect its world after the failed step:`)}</p>
<pre>${escapedText(`sim replay ${found.name}.json\nsim inspect ${found.name}.json`)}</pre>
${files}`;
}

function goalsMarkup(summary: Summary): string {
  const missed = missedGoals(summary);
  const reached = Object.entries(summary.goals).filter(([, times]) => times > 0);
  const items = missed.map((goal) => `<li>${escapedText(goal)}</li>`).join('');
  const refused = neverSucceeded(summary);
  const never = missed.length === 0 ? '<p>None.</p>' : `<ul class="columns failed">${items}</ul>`;
  return `<h3>Never reached (${missed.length})</h3>
${never}
${refused.length === 0 ? '' : `<p>Commands that never succeeded: ${escapedText(refused.join(', '))}.</p>\n`}<h3>Reached (${reached.length})</h3>
<div class="columns">${numbersMarkup(['Goal', 'Times'], reached)}</div>
`;
}

function overlapsMarkup(pairs: readonly Pair[]): string {
  const rows = summedBy(pairs.filter(isOverlap), ({ outcome }) => outcome.replaceAll('+', ' + '));
  if (rows.length === 0) return '';
  return `<details><summary>${counted(rows.length)} outcomes of overlapping calls</summary>
<div class="scroll">${numbersMarkup(['Outcomes', 'Times'], rows)}</div></details>
`;
}

/**
 * A campaign as one self-contained HTML page, which is also well-formed XML. Equal summaries with equal `origin` give equal pages; a summary
 * contains the duration. `origin`: a sentence about the options and versions of the campaign.
 */
export function limitsPage(summary: Summary, origin = ''): string {
  const { property, found } = summary;
  const verdict = found === null ? 'Every rule held' : 'A rule was broken';
  const pairs = pairsOf(summary.coverage);
  const body = `${headerMarkup(summary, verdict, origin)}
<main>
${findsOf(summary).map(counterexampleMarkup).join('')}<h2>Limits</h2>
<p class="quiet">The mark shows where a limit is fully used. The LTV limits new borrowing; interest that accrues later may push the debt beyond the mark.${drawsLimits(property) ? ' Limits were drawn: a share is of the limit of its run.' : ''}</p>
${limitsMarkup(summary)}<h2>Goals</h2>
${goalsMarkup(summary)}<h2>Commands and outcomes</h2>
${matrixMarkup(pairs)}${overlapsMarkup(pairs)}${statesMarkup(pairs)}<h2>Discoveries</h2>
${discoveriesMarkup(summary)}</main>`;
  return documentOf({ title: `${verdict}: ${property}`, style: STYLE, script: SCRIPT, body });
}
