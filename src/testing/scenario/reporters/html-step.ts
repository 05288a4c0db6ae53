import { counted } from '../../../core/counted.js';
import type { Exchange, Mismatch, StepResult } from '../results.js';
import { balanceRows, rowAmount, rowChange } from './balance-rows.js';
import { entryMarkup, transactionMarkup } from './html-events.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { MARKS, durationText, shorten, valueText } from './text.js';

/** Maximum exchanges shown per step, the last ones. */
const EXCHANGES = 20;
/** Maximum journal entries, and transactions, shown per step, the first ones. */
const EVENTS = 40;
const HEADERS_LIMIT = 600;

/** A value, truncated to `limit` characters. */
export function preformatted(value: unknown, limit: number): string {
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

export interface Detail {
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
export function stepMarkup(step: StepResult, detail: Detail): string {
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
