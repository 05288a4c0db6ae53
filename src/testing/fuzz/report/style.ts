import { PAGE_STYLE } from '../../../api/html/style.js';

const SHADES = Array.from({ length: 9 }, (_, at) => at + 1)
  .map((at) => `.n${at} { background: color-mix(in srgb, var(--accent) ${6 * at}%, transparent); }`)
  .join('\n');

export const STYLE = `${PAGE_STYLE}
form { position: static; border-bottom: 0; }
caption { text-align: left; color: var(--quiet); padding: .2rem 0 .5rem; }
th[scope=row] { color: var(--text); white-space: nowrap; }
.numbers td { text-align: right; font-variant-numeric: tabular-nums; }
.columns { columns: 18rem auto; padding-left: 1.2rem; }
.columns :is(li, tr) { break-inside: avoid; }
div.columns { columns: 22rem auto; padding-left: 0; }
.columns table { width: 100%; }
.columns .numbers td { min-width: 0; }
.columns th[scope=row] { white-space: normal; min-width: 0; overflow-wrap: anywhere; }
.bars .wide { min-width: 14rem; width: 40%; vertical-align: middle; }
svg.bar { border-radius: .2rem; }
svg .track { fill: var(--sunken); }
svg .under, svg .full { fill: var(--accent); } svg .outgrown { fill: var(--warn); } svg .over { fill: var(--bad); }
svg .edge { stroke: var(--text); stroke-width: 2; }
svg .line { stroke: var(--accent); }
svg rect:not(.track) { stroke: var(--back); stroke-width: .4; }
.matrix td {
  min-width: 2.2rem; padding: .2rem .25rem; text-align: right; font-size: .75rem; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; border: 1px solid var(--line);
}
.matrix th { min-width: 0; }
.matrix .up { vertical-align: bottom; padding: .3rem .1rem; }
.matrix .up span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
${SHADES}
@media (max-width: 40rem) {
  :is(ul, div).columns { columns: auto; }
  .bars :is(thead, tbody, tr, th, td) { display: block; }
  .bars, .bars .wide { width: 100%; min-width: 0; }
  .bars thead { display: none; }
  .bars :is(th, td) { padding: .1rem 0; border-bottom: 0; }
  .bars tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
}
`;
