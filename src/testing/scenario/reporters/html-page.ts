import { documentOf } from '../../../api/html/document.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { counted } from '../../../core/counted.js';
import {
  type Exchange,
  type Mismatch,
  type PropertyResult,
  type ScenarioResult,
  type StepResult,
  type SuiteResult,
  everyStep,
  tallyText,
} from '../results.js';
import { balanceRows, rowAmount, rowChange } from './balance-rows.js';
import { SCRIPT } from './html-script.js';
import { STYLE } from './html-style.js';
import { MARKS, aligned, durationText, jsonLine, shorten, valueText } from './text.js';

/** Maximum exchanges shown per step, the last ones. */
const EXCHANGES = 20;
/** Maximum journal entries, and transactions, shown per step, the first ones. */
const EVENTS = 40;
const HEADERS_LIMIT = 600;

/** A value, truncated to `limit` characters. */
function preformatted(value: unknown, limit: number): string {
  const text = valueText(value, 2);
  return text === '' ? '' : `<pre>${escapedText(shorten(text, limit))}</pre>\n`;
}

function headersMarkup(name: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  if (lines.length === 0) return '';
  const text = escapedText(shorten(lines.join('\n'), HEADERS_LIMIT));
  return `<details><summary class="quiet">${name}</summary><pre>${text}</pre></details>\n`;
}

function exchangeMarkup(exchange: Exchange, limit: number): string {
  const { to, method, path, status, problem, ms } = exchange;
  const result = status === null ? 'no response' : String(status);
  const title = `<h4>${escapedText(`${to} ${method} `)}<code>${escapedText(shorten(path, limit))}</code></h4>\n`;
  const note = problem === null ? '' : `<p class="problem">${escapedText(shorten(problem, limit))}</p>\n`;
  const request = `${headersMarkup('Headers', exchange.requestHeaders)}${preformatted(exchange.requestBody, limit)}`;
  const response = `${headersMarkup('Headers', exchange.responseHeaders)}${preformatted(exchange.responseBody, limit)}`;
  return `${title}<div class="pair"><div><p class="quiet">Request</p>
${request}</div><div><p class="quiet">Response: <strong>${result}</strong> in ${durationText(ms)}</p>
${response}</div></div>
${note}`;
}

function exchangesMarkup(exchanges: readonly Exchange[], limit: number): string {
  const leftOut = exchanges.length - EXCHANGES;
  const note = leftOut > 0 ? `<p class="quiet">${counted(leftOut, 'earlier request')} left out</p>\n` : '';
  return (
    note +
    exchanges
      .slice(-EXCHANGES)
      .map((exchange) => exchangeMarkup(exchange, limit))
      .join('')
  );
}

function mismatchesMarkup(mismatches: readonly Mismatch[], limit: number): string {
  if (mismatches.length === 0) return '';
  const cell = (name: string, text: string) =>
    `<td class="${name}">${escapedText(shorten(text, limit))}</td>`;
  const rows = mismatches.map(
    ({ path, expected, actual }) =>
      `<tr>${cell('path', path)}${cell('expected', expected)}${cell('actual', actual)}</tr>\n`,
  );
  return `<table class="mismatches"><thead><tr><th>Where</th><th>Expected</th><th>Actual</th></tr></thead><tbody>
${rows.join('')}</tbody></table>
`;
}

function balancesMarkup(step: StepResult, limit: number): string {
  const rows = balanceRows(step).map((row) => {
    const numbers = [rowAmount(row, 'before'), rowAmount(row, 'after'), rowChange(row)];
    const cells = numbers.map((number) => `<td>${number}</td>`).join('');
    return `<tr><td>${escapedText(shorten(row.agent, limit))}</td><td>${row.place} ${row.token}</td>${cells}</tr>\n`;
  });
  if (rows.length === 0) return '';
  return `<h4>Balances</h4>
<div class="scroll"><table class="balances"><thead><tr><th>Agent</th><th>Balance</th><th>Before</th><th>After</th><th>Change</th></tr></thead><tbody>
${rows.join('')}</tbody></table></div>
`;
}

type Event = Readonly<Record<string, unknown>>;

/** A cell's text: numbers without an exponent. */
function cellText(value: unknown): string {
  if (typeof value !== 'number') return valueText(value);
  return value.toLocaleString('en-GB', { useGrouping: false, maximumFractionDigits: 9 });
}

/**
 * Lines with the named members of each object, in columns. Text instead of a table: there are thousands, and table markup would exceed the content.
 */
function columnsMarkup(list: unknown, columns: readonly string[], limit: number): string {
  const rows = (list as readonly Event[]).map((each) =>
    columns.map((column) => shorten(cellText(each[column]), limit)),
  );
  if (rows.length === 0) return '';
  return `<pre>${escapedText(shorten(aligned(rows).join('\n'), 10 * limit))}</pre>\n`;
}

/** The members that have a value, as one line of JSON. */
function restMarkup(members: Event, limit: number): string {
  const rest = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  if (rest.length === 0) return '';
  return `<p class="quiet"><code>${escapedText(shorten(jsonLine(Object.fromEntries(rest)), limit))}</code></p>\n`;
}

/** A journal entry of the event log: number and kind, postings, then facts. */
function entryMarkup({ entry, postings, wallet, facts }: Event, limit: number): string {
  const { kind, ...rest } = facts as Event;
  const title = `Entry ${valueText(entry)} ${valueText(kind)}`;
  return `<p>${escapedText(shorten(title, limit))}</p>\n${columnsMarkup(postings, ['account', 'token', 'amount', 'owner'], limit)}${restMarkup({ wallet, ...rest }, limit)}`;
}

/** A chain transaction of the event log: signature and error, changes, then what is shown neither there nor with the step. */
function transactionMarkup(
  { signature, error, changed, kind: _kind, seq: _seq, at: _at, requestId: _id, ...rest }: Event,
  limit: number,
): string {
  const broke =
    error === null ? '' : ` <strong class="failed">${escapedText(shorten(valueText(error), limit))}</strong>`;
  return `<p><code>${escapedText(shorten(valueText(signature), limit))}</code>${broke}</p>\n${columnsMarkup(changed, ['lamports', 'address'], limit)}${restMarkup(rest, limit)}`;
}

function eventsMarkup(
  title: string,
  events: readonly Event[],
  markup: (event: Event, limit: number) => string,
  limit: number,
): string {
  if (events.length === 0) return '';
  const leftOut = events.length - EVENTS;
  const note = leftOut > 0 ? `<p class="quiet">${leftOut} more left out</p>\n` : '';
  const shown = events.slice(0, EVENTS).map((event) => markup(event, limit));
  return `<h4>${title}</h4>\n${shown.join('')}${note}`;
}

function paragraph(name: string, text: string | null, limit: number): string {
  return text === null ? '' : `<p class="${name}">${escapedText(shorten(text, limit))}</p>\n`;
}

interface Detail {
  /** Characters of a body or text. */
  readonly limit: number;
  /** Whether passed steps show only their arguments, because there are too many steps. */
  readonly outline: boolean;
}

/** All details of a step except its mismatches. */
function happenedMarkup(step: StepResult, limit: number): string {
  return [
    exchangesMarkup(step.exchanges, limit),
    balancesMarkup(step, limit),
    eventsMarkup('Journal entries', step.entries, entryMarkup, limit),
    eventsMarkup('Transactions', step.transactions, transactionMarkup, limit),
  ].join('');
}

/** A collapsible step, expanded if it failed. */
function stepMarkup(step: StepResult, detail: Detail): string {
  const { place, title, verdict, ms, line, at } = step;
  const { limit } = detail;
  const where = [durationText(ms), at, line === null ? null : `line ${line}`].filter((part) => part !== null);
  const about = attributes({ class: 'step', open: verdict === 'failed' ? '' : null });
  const argsMarkup = preformatted(step.args, limit);
  const inside = [
    paragraph('quiet', step.note, limit),
    paragraph('problem', step.problem, limit),
    mismatchesMarkup(step.mismatches, limit),
    paragraph('why', step.explanation, limit),
    argsMarkup === '' ? '' : `<h4>Arguments</h4>\n${argsMarkup}`,
    detail.outline && verdict === 'passed' ? '' : happenedMarkup(step, limit),
    ...step.steps.map((inner) => stepMarkup(inner, detail)),
  ];
  return `<details${about}><summary><span class="${verdict}">${MARKS[verdict]} ${escapedText(place)}</span>
<span class="name">${escapedText(shorten(title, limit))}</span> <span class="quiet">${escapedText(where.join(', '))}</span></summary>
<div class="inside">
${inside.join('')}</div></details>
`;
}

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
  const { verdict, name, description, reason, tags, seed, rerun, inspector, property, firstFailure } = result;
  const about = attributes({
    class: 'scenario',
    id: `s${at}`,
    'data-verdict': verdict,
    'data-tags': tags.join('\n'),
    open: verdict === 'failed' ? '' : null,
  });
  const labels = tags.map((tag) => `<span class="tag">${escapedText(tag)}</span>`).join('');
  const where =
    seed === null ? 'At a deployed service.' : `Seed ${seed}, ${result.target}, ${result.engine}.`;
  return `<details${about}><summary><span class="${verdict}">${MARKS[verdict]}<span class="name"> ${escapedText(name)}</span></span>
<span class="quiet">${escapedText(`${result.file}:${result.line}`)} ${durationText(result.ms)}</span>${labels}</summary>
<div class="inside">
${description === null ? '' : `<p>${escapedText(description)}</p>\n`}${
    reason === null
      ? ''
      : `<p class="${verdict === 'failed' ? 'problem' : 'why'}">${escapedText(shorten(reason, MOST))}</p>\n`
  }${preformatted(firstFailure, MOST)}<p class="quiet">${escapedText(where)}</p>
<pre>${escapedText(rerun)}</pre>
${inspector === null ? '' : `<p><a${attributes({ href: inspector })}>Inspect its world after its failed step</a> while <code>sim run</code> serves it.</p>\n`}${property === null ? '' : propertyMarkup(property, detail.limit)}${result.steps.map((step) => stepMarkup(step, detail)).join('')}</div></details>
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
