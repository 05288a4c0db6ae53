import { counted } from '../../../core/counted.js';
import { documentOf } from '../../../api/html/document.js';
import { escapedText } from '../../../api/html/markup.js';
import { type Pair, pairsOf, summedBy } from '../campaign/coverage.js';
import { type Summary, findsOf, missedGoals, neverSucceeded } from '../campaign/summary.js';
import { drawsLimits } from '../campaign/properties.js';
import type { FailureFile } from '../failure/failure-file.js';
import { natureOf } from '../failure/nature.js';
import { stepText } from '../step.js';
import { isOverlap, matrixMarkup, numbersMarkup, statesMarkup } from './matrix.js';
import { discoveriesMarkup, limitsMarkup } from './plots.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

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
