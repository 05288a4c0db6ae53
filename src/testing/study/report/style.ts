import { PAGE_STYLE } from '../../../api/html/style.js';

export const STYLE = `${PAGE_STYLE}
figure { margin: 0; min-width: 0; }
figcaption { font-size: .8125rem; color: var(--quiet); }
figcaption a { display: inline-block; line-height: 24px; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 9px system-ui, sans-serif; fill: var(--quiet); }
svg path { fill: none; stroke-width: 1.6; stroke-linecap: round; vector-effect: non-scaling-stroke; }
svg .axis { stroke: var(--line); stroke-width: 1; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, max(17rem, 100% / var(--columns) - .8rem)), 1fr)); gap: .8rem; align-items: end; }
.intervals { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .8rem; }
.of-1 { --columns: 1; } .of-2 { --columns: 2; } .of-3 { --columns: 3; } .of-4 { --columns: 4; }
section.key { padding-bottom: .6rem; border-bottom: 1px solid var(--line); }
svg .median, svg .interval { stroke: var(--chart-1); }
svg .inner { fill: color-mix(in srgb, var(--chart-1) 30%, transparent); stroke: none; }
svg .outer { fill: color-mix(in srgb, var(--chart-1) 14%, transparent); stroke: none; }
svg circle { fill: var(--chart-1); }
svg .rates { stroke: var(--chart-3); stroke-width: 1; stroke-dasharray: 4 3; }
svg .failure { stroke: var(--bad); stroke-width: 1; stroke-dasharray: 2 3; }
span.key { margin-right: .8rem; white-space: nowrap; }
span.key::before { content: '━ '; } span.key.inner::before { content: '■ '; } span.key.outer::before { content: '■ '; }
span.key.rates::before, span.key.failure::before { content: '╎ '; }
span.key.median::before, span.key.inner::before { color: var(--chart-1); }
span.key.inner::before { opacity: .45; }
span.key.outer::before { color: var(--chart-1); opacity: .2; }
span.key.rates::before { color: var(--chart-3); } span.key.failure::before { color: var(--bad); }
th[scope=row] { color: var(--text); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
`;
