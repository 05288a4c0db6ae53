import { counted } from '../../../core/counted.js';
import { chartMarkup, coordinate, thinned } from '../../../api/html/chart.js';
import { attributes, escapedText } from '../../../api/html/markup.js';
import { OUTGROWN_BY_INTEREST } from '../campaign/goals.js';
import type { Summary } from '../campaign/summary.js';

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
export function limitsMarkup({ approaches }: Pick<Summary, 'approaches'>): string {
  const rows = Object.entries(approaches).map(([limit, share]) => limitRow(limit, share));
  return `<div class="scroll"><table class="bars"><thead><tr><th scope="col">Limit</th><th scope="col">Closest approach</th><th scope="col">In numbers</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
`;
}

/** Number of known pairs by steps played, as a line. */
export function discoveriesMarkup({ coverage, steps }: Pick<Summary, 'coverage' | 'steps'>): string {
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
