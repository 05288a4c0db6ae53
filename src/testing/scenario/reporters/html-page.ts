import { counted } from '../../../core/counted.js';
import {
  everyStep,
  type PropertyResult,
  type ScenarioResult,
  type SuiteResult,
  tallyText,
} from '../results.js';
import { plotsMarkup } from './html-plots.js';
import { SCRIPT } from './html-script.js';
import { type Detail, preformatted, stepMarkup } from './html-step.js';
import { STYLE } from './html-style.js';
import { documentOf } from '../../../api/html/document.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { MARKS, durationText, shorten } from './text.js';

/** Size in bytes above which passed steps are shown in outline only. */
const PAGE = 9_000_000;
/** Maximum characters of all bodies, arguments and events of a page together. */
const BODIES = 4_000_000;
const MOST = 4000;
const LEAST = 120;

const VERDICTS = ['passed', 'failed', 'skipped'] as const;

/** Maximum characters per body, to keep the page small. */
function bodyLimit(results: readonly ScenarioResult[]): number {
  const bodies = results
    .flatMap(({ steps }) => everyStep(steps))
    .map(
      ({ exchanges, entries, transactions }) =>
        1 + 2 * exchanges.length + entries.length + transactions.length,
    )
    .reduce((sum, count) => sum + count, 0);
  return Math.min(MOST, Math.max(LEAST, Math.floor(BODIES / Math.max(1, bodies))));
}

function propertyMarkup({ runs, steps, seed, goals, counterexample }: PropertyResult, limit: number): string {
  const reached = Object.entries(goals).map(
    ([goal, count]) => `<li>${escapedText(`${goal}: ${count}×`)}</li>`,
  );
  const found = preformatted(counterexample, Math.max(limit, MOST));
  return `<p>${counted(runs, 'world')}, ${counted(steps, 'step')}, seed ${seed}</p>
${reached.length === 0 ? '' : `<h3>Goals reached</h3>\n<ul>${reached.join('')}</ul>\n`}${
    found === '' ? '' : `<h3>The shortest failing sequence</h3>\n${found}`
  }`;
}

function scenarioMarkup(result: ScenarioResult, at: number, detail: Detail): string {
  const { verdict, name, description, reason, tags, covers, seed, rerun, inspector, property, firstFailure } =
    result;
  const about = attributes({
    class: 'scenario',
    id: `s${at}`,
    'data-verdict': verdict,
    'data-tags': tags.join('\n'),
    open: verdict === 'failed' ? '' : null,
  });
  const labels = tags.map((tag) => `<span class="tag">${escapedText(tag)}</span>`).join('');
  const rules = covers.length === 0 ? '' : ` Rules: ${covers.join(', ')}.`;
  const where = seed === null ? 'At a deployed service' : `Seed ${seed}, ${result.target}, ${result.engine}`;
  return `<details${about}><summary><span class="${verdict}">${MARKS[verdict]}<span class="name"> ${escapedText(name)}</span></span>
<span class="quiet">${escapedText(`${result.file}:${result.line}`)} ${durationText(result.ms)}</span>${labels}</summary>
<div class="inside">
${description === null ? '' : `<p>${escapedText(description)}</p>\n`}${
    reason === null
      ? ''
      : `<p class="${verdict === 'failed' ? 'problem' : 'why'}">${escapedText(shorten(reason, MOST))}</p>\n`
  }${preformatted(firstFailure, MOST)}<p class="quiet">${escapedText(`${where}.${rules}`)}</p>
<pre>${escapedText(rerun)}</pre>
${inspector === null ? '' : `<p><a${attributes({ href: inspector })}>Inspect its world after its failed step</a> while <code>sim run</code> serves it.</p>\n`}${property === null ? '' : propertyMarkup(property, detail.limit)}${plotsMarkup(result.steps)}${result.steps.map((step) => stepMarkup(step, detail)).join('')}</div></details>
`;
}

function filterMarkup(results: readonly ScenarioResult[]): string {
  const tags = [...new Set(results.flatMap((result) => result.tags))].toSorted();
  // Values have a prefix, so that an empty tag is distinct from `all tags`.
  const options = tags.map(
    (tag) => `<option${attributes({ value: `=${tag}` })}>${escapedText(tag)}</option>`,
  );
  const boxes = VERDICTS.map(
    (verdict) =>
      `<label class="${verdict}"><input type="checkbox" name="verdict" value="${verdict}" checked=""/> ${tallyText(results, verdict)}</label>`,
  );
  return `<form id="filter"><input type="search" name="text" placeholder="Name, file or tag" aria-label="Filter by text"/>
<select name="tag" aria-label="Filter by tag"><option value="">All tags</option>${options.join('')}</select>
${boxes.join('\n')}
<output id="shown" class="quiet"></output></form>
`;
}

const OUTLINE = `<p class="quiet">Requests, balances and events of passed steps are left out, because there are too many steps.</p>\n`;

function pageMarkup(suite: SuiteResult, detail: Detail): string {
  const { results, target, engine, workers, shard, startedAt, durationMs } = suite;
  const title = `${counted(results.length, 'scenario')}: ${VERDICTS.map((verdict) => tallyText(results, verdict)).join(', ')}`;
  const part = shard === null ? '' : `, shard ${shard}`;
  const on = engine === null ? '' : `, engine ${engine}`;
  const about = `Target ${target}${on}, ${counted(workers, 'worker')}${part}. Started ${startedAt}, took ${durationText(durationMs)}.`;
  const tallies = VERDICTS.map(
    (verdict) => `<span class="${verdict}">${MARKS[verdict]} ${tallyText(results, verdict)}</span>`,
  );
  const body = `<header><h1>${counted(results.length, 'scenario')}</h1><p class="tally">${tallies.join(' ')}</p>
<p class="quiet">${escapedText(about)}</p></header>
<main><h2>Scenarios</h2>
${detail.outline ? OUTLINE : ''}${filterMarkup(results)}${results.map((result, at) => scenarioMarkup(result, at, detail)).join('')}</main>`;
  return documentOf({ title, style: STYLE, script: SCRIPT, body });
}

/** The suite as one self-contained HTML page. It is well-formed XML too. */
export function htmlPage(suite: SuiteResult): string {
  const limit = bodyLimit(suite.results);
  const page = pageMarkup(suite, { limit, outline: false });
  return Buffer.byteLength(page) <= PAGE ? page : pageMarkup(suite, { limit, outline: true });
}
