import { PAGE_STYLE } from '../../../api/html/style.js';

/** The style of the limits report. */
export const STYLE = `${PAGE_STYLE}
:root {
  --full: #1f63c4; --heat: 31, 99, 196; --k0: #b0511a; --k1: #7b4bb0; --k2: #1f7a8c; --k3: #a3386b;
  --k4: #6b6b1a; --k5: #4a5fa8; --k6: #8c4a1f; --k7: #5a6472;
}
@media (prefers-color-scheme: dark) {
  :root {
    --full: #7db2ff; --heat: 125, 178, 255; --k0: #f2a06b; --k1: #c4a0f0; --k2: #6fc7d3; --k3: #f08fbb;
    --k4: #cfcf6b; --k5: #a0b0f0; --k6: #e0b08a; --k7: #9aa5b4;
  }
}
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
svg .track { fill: var(--panel); }
svg .under, svg .full { fill: var(--full); } svg .outgrown { fill: var(--skipped); } svg .over { fill: var(--failed); }
svg .edge { stroke: var(--text); stroke-width: 2; }
svg .line { stroke: var(--full); }
svg .ok { fill: var(--passed); }
svg .k0 { fill: var(--k0); } svg .k1 { fill: var(--k1); } svg .k2 { fill: var(--k2); } svg .k3 { fill: var(--k3); }
svg .k4 { fill: var(--k4); } svg .k5 { fill: var(--k5); } svg .k6 { fill: var(--k6); } svg .k7 { fill: var(--k7); }
svg rect:not(.track) { stroke: var(--back); stroke-width: .4; }
.matrix td {
  min-width: 2.2rem; padding: .2rem .25rem; text-align: right; font-size: .75rem; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; border: 1px solid var(--line);
}
.matrix th { min-width: 0; }
.matrix .up { vertical-align: bottom; padding: .3rem .1rem; }
.matrix .up span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.n1 { background: rgba(var(--heat), .06); } .n2 { background: rgba(var(--heat), .12); }
.n3 { background: rgba(var(--heat), .18); } .n4 { background: rgba(var(--heat), .24); }
.n5 { background: rgba(var(--heat), .30); } .n6 { background: rgba(var(--heat), .36); }
.n7 { background: rgba(var(--heat), .42); } .n8 { background: rgba(var(--heat), .48); }
.n9 { background: rgba(var(--heat), .54); }
@media (max-width: 40rem) {
  :is(ul, div).columns { columns: auto; }
  .bars :is(thead, tbody, tr, th, td) { display: block; }
  .bars, .bars .wide { width: 100%; min-width: 0; }
  .bars thead { display: none; }
  .bars :is(th, td) { padding: .1rem 0; border-bottom: 0; }
  .bars tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .bars .steps::after { content: ' steps'; }
}
`;
