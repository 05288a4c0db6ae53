import { attributes, escapedText } from '../../../api/html/markup.js';
import { OUTGROWN_BY_INTEREST } from '../campaign/goals.js';
import type { Summary } from '../campaign/summary.js';
import { type Pair, counted, percent, summedBy } from './numbers.js';

const BAR = 320;
const BAR_HEIGHT = 14;
const WIDTH = 640;
const HEIGHT = 180;
const EDGE = 8;
const TOP = 16;
const BOTTOM = 18;
/** Maximum points of a line: more would be indistinguishable. */
const POINTS = 400;
/** Number of colours for outcomes other than success. */
const COLOURS = 8;
/** Number of outcomes listed as text beside a bar. */
const IN_WORDS = 4;

const places = (value: number) => String(Math.round(value * 100) / 100);

const IN_WORDS_OF = {
  over: 'over the limit',
  outgrown: 'by interest, which is allowed: the limit is for new borrowing',
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
  const told = `${percent(share)}${IN_WORDS_OF[closeness] === '' ? '' : `, ${IN_WORDS_OF[closeness]}`}`;
  const within =
    closeness === 'outgrown' ? `<rect class="full" width="${places(scale)}" height="${BAR_HEIGHT}"/>` : '';
  const label = { class: 'bar', viewBox: `0 0 ${BAR} ${BAR_HEIGHT}`, role: 'img' };
  return `<tr><th scope="row">${escapedText(limit)}</th><td class="wide"><svg${attributes({ ...label, 'aria-label': `${limit}: ${told}` })}>
<title>${escapedText(`${limit}: ${told}`)}</title><rect class="track" width="${BAR}" height="${BAR_HEIGHT}"/>
<rect class="${closeness}" width="${places(Math.max(0, share) * scale)}" height="${BAR_HEIGHT}"/>${within}<path class="edge" d="M${places(scale)} 0V${BAR_HEIGHT}"/></svg></td><td class="${closeness === 'over' ? 'failed' : 'told'}">${told}</td></tr>`;
}

/** How close each limit was approached: full at the line, exceeded beyond. */
export function limitsMarkup({ approaches }: Pick<Summary, 'approaches'>): string {
  const rows = Object.entries(approaches).map(([limit, share]) => limitRow(limit, share));
  return `<div class="scroll"><table class="bars"><thead><tr><th scope="col">Limit</th><th scope="col">Closest approach</th><th scope="col">In numbers</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
`;
}

function shareRow(command: string, pairs: readonly Pair[], colours: ReadonlyMap<string, string>): string {
  const outcomes = summedBy(pairs, ({ outcome }) => outcome);
  const total = outcomes.reduce((sum, [, count]) => sum + count, 0);
  const share = (count: number) => `${Number(((100 * count) / total).toFixed(1))} %`;
  const words = outcomes.slice(0, IN_WORDS).map(([outcome, count]) => `${outcome} ${share(count)}`);
  const more = outcomes.length - IN_WORDS;
  const told = more > 0 ? [...words, `${more} more`] : words;
  let x = 0;
  const parts = outcomes.map(([outcome, count]) => {
    const from = x;
    x += (BAR * count) / total;
    const title = escapedText(`${outcome}: ${counted(count)}, ${share(count)}`);
    return `<rect${attributes({ class: colours.get(outcome) ?? '', x: places(from), width: places(x - from), height: BAR_HEIGHT })}><title>${title}</title></rect>`;
  });
  const label = { class: 'bar', viewBox: `0 0 ${BAR} ${BAR_HEIGHT}`, role: 'img' };
  return `<tr><th scope="row">${escapedText(command)}</th><td class="steps">${counted(total)}</td><td class="wide"><svg${attributes({ ...label, 'aria-label': `${command}: ${told.join(', ')}` })}>${parts.join('')}</svg></td><td>${escapedText(told.join(', '))}</td></tr>`;
}

/** Distribution of outcomes by command, as bars. */
export function sharesMarkup(pairs: readonly Pair[]): string {
  const others = summedBy(pairs, ({ outcome }) => outcome).filter(([outcome]) => outcome !== 'ok');
  const colours = new Map([
    ['ok', 'ok'],
    ...others.map(([outcome], at) => [outcome, `k${at % COLOURS}`] as const),
  ]);
  const commands = [...new Set(pairs.map(({ command }) => command))].toSorted();
  const rows = commands.map((command) =>
    shareRow(
      command,
      pairs.filter((pair) => pair.command === command),
      colours,
    ),
  );
  return `<div class="scroll"><table class="bars"><thead><tr><th scope="col">Command</th><th scope="col">Steps</th><th scope="col">Shares</th><th scope="col">Outcomes</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
`;
}

type Discovery = Summary['discoveries'][number];

/** Reduces points to equal distances, keeping the last. */
function thinned(points: readonly Discovery[]): readonly Discovery[] {
  if (points.length <= POINTS) return points;
  const every = (points.length - 1) / (POINTS - 1);
  return Array.from({ length: POINTS }, (_, at) => points[Math.round(at * every)] as Discovery);
}

/** Known triples by steps played, as a line. */
export function discoveriesMarkup({ discoveries, steps }: Pick<Summary, 'discoveries' | 'steps'>): string {
  const last = discoveries.at(-1);
  if (last === undefined) return '<p class="quiet">Nothing was discovered.</p>\n';
  const most = Math.max(steps, 1);
  const x = (at: number) => places(EDGE + ((WIDTH - 2 * EDGE) * at) / most);
  const y = (pairs: number) =>
    places(HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * pairs) / Math.max(1, last.pairs));
  const line = thinned(discoveries).map((point) => `H${x(point.steps)}V${y(point.pairs)}`);
  const told = `${counted(last.pairs)} pairs of state and outcome after ${counted(last.steps)} steps; the last new one came at step ${counted(last.steps)} of ${counted(most)}`;
  const base = HEIGHT - BOTTOM;
  return `<figure><figcaption>${escapedText(`${told}.`)}</figcaption>
<svg${attributes({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': told })}><title>${escapedText(told)}</title>
<path class="axis" d="M${EDGE} ${base}H${WIDTH - EDGE}M${EDGE} ${TOP}H${WIDTH - EDGE}"/>
<path class="line" d="M${x(0)} ${y(0)}${line.join('')}H${x(most)}"/>
<text x="${EDGE}" y="${TOP - 4}">${counted(last.pairs)} pairs</text><text x="${EDGE}" y="${HEIGHT - 5}">0</text>
<text x="${WIDTH - EDGE}" y="${HEIGHT - 5}" text-anchor="end">${counted(most)} steps</text></svg></figure>
`;
}
