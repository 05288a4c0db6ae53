import { counted } from '../../../core/counted.js';
import { everyStep, type Balances, type StepResult } from '../results.js';
import { HOLDINGS, type Holding, amountIn } from './balance-rows.js';
import { type Scale, chartMarkup, thinned } from '../../../api/html/chart.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { amountText, shorten } from './text.js';
import type { Token } from '../../../core/domain/money.js';

const WIDTH = 320;
const HEIGHT = 120;
/** Maximum agents drawn. */
const AGENTS = 12;
const NAME_LIMIT = 60;

/** Balances at one point between two steps. */
interface Moment {
  /** The step before this point; null at the start. */
  readonly step: StepResult | null;
  readonly balances: Balances;
}

/** Balances at the start and after each step, or after its nested steps if they have balances. */
function momentsOf(steps: readonly StepResult[]): Moment[] {
  const innermost = everyStep(steps).filter(({ steps: within }) =>
    within.every(({ after }) => after === null),
  );
  const [first] = innermost.flatMap(({ before }) => (before === null ? [] : [before]));
  const later = innermost.flatMap((step) => (step.after === null ? [] : [{ step, balances: step.after }]));
  return first === undefined ? later : [{ step: null, balances: first }, ...later];
}

type Values = readonly (number | null)[];

const known = (values: Values) => values.filter((value) => value !== null);

/** A stepped line with gaps where values are unknown. `h0` makes an isolated point visible. */
function lineOf(values: Values, highest: number, scale: Scale): string {
  const x = (at: number) => scale.x(at / Math.max(1, values.length - 1));
  const y = (value: number) => scale.y(Math.max(0, value / highest));
  let drawn = '';
  let before: string | null = null;
  for (const [at, value] of values.entries()) {
    const height = value === null ? null : y(value);
    if (height === null || before === null) drawn += height === null ? '' : `M${x(at)} ${height}h0`;
    else if (height !== before) drawn += `H${x(at)}V${height}`;
    else if (at === values.length - 1 || values[at + 1] === null) drawn += `H${x(at)}`;
    before = height;
  }
  return drawn;
}

function seriesMarkup({ place, token }: Holding, values: Values, highest: number, scale: Scale): string {
  const all = known(values);
  const [first] = all;
  const last = all.at(-1);
  // A line along the axis would only hide others.
  if (first === undefined || last === undefined || all.every((value) => value === 0)) return '';
  const title = `${place}: ${amountText(token, first)} → ${amountText(token, last)} ${token}`;
  return `<path${attributes({ class: place, d: lineOf(values, highest, scale) })}><title>${escapedText(title)}</title></path>`;
}

/** The plot of an agent's balances in one token; empty if they are always zero. */
function plot(moments: readonly Moment[], agent: string, token: Token): string {
  const lines = HOLDINGS.filter((holding) => holding.token === token && holding.place !== 'principal').map(
    (holding) => ({
      holding,
      values: moments.map(({ balances }) => amountIn(balances, agent, holding)),
    }),
  );
  // Not spread: there may be more points than a call can have arguments.
  const highest = lines
    .flatMap(({ values }) => known(values))
    .reduce((most, value) => Math.max(most, value), 0);
  if (highest <= 0) return '';
  const broke = (scale: Scale) =>
    moments
      .map(({ step }, at) =>
        step?.verdict === 'failed' ? scale.upright(at / Math.max(1, moments.length - 1)) : '',
      )
      .join('');
  const name = `${shorten(agent, NAME_LIMIT)}, ${token}`;
  return chartMarkup({
    width: WIDTH,
    height: HEIGHT,
    caption: name,
    label: `Balances of ${name} over the steps`,
    highest: amountText(token, highest),
    start: 'start',
    end: `step ${moments.at(-1)?.step?.place ?? ''}`,
    lines: (scale) =>
      `${broke(scale) === '' ? '' : `<path class="broke" d="${broke(scale)}"/>`}${lines
        .map(({ holding, values }) => seriesMarkup(holding, values, highest, scale))
        .join('')}`,
  });
}

/** Plots of the balances over a scenario, two per agent; empty if balances were not read. */
export function plotsMarkup(steps: readonly StepResult[]): string {
  const moments = thinned(momentsOf(steps), ({ step }) => step?.verdict === 'failed');
  if (moments.length < 2) return '';
  const agents = [...new Set(moments.flatMap(({ balances }) => Object.keys(balances)))];
  const plots = agents
    .slice(0, AGENTS)
    .map((agent) => plot(moments, agent, 'USDC') + plot(moments, agent, 'SOL'))
    .join('');
  if (plots === '') return '';
  const leftOut = agents.length - AGENTS;
  const rest = leftOut > 0 ? ` (${counted(leftOut, 'more agent')} left out)` : '';
  const key = ['wallet', 'checking', 'savings']
    .map((place) => `<span class="key ${place}">${place}</span>`)
    .join(' ');
  return `<h3>Balances over the steps${rest}</h3>\n<p class="quiet">${key}</p>\n<div class="plots">\n${plots}</div>\n`;
}
