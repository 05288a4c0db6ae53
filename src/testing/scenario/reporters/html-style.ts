import { PAGE_STYLE } from '../../../api/html/style.js';

export const STYLE = `${PAGE_STYLE}
details.scenario { border-bottom: 1px solid var(--line); scroll-margin-top: 4rem; }
details.step { margin: .3rem 0; border: 1px solid var(--line); border-radius: .4rem; }
.step > .inside > .step { margin-left: .3rem; }
.tag {
  display: inline-block; padding: 0 .45rem; margin-left: .3rem; border: 1px solid var(--line); border-radius: 1rem;
  font-size: .8rem; color: var(--quiet);
}
.balances :is(td, th):nth-child(n + 3) { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.mismatches { width: 100%; table-layout: fixed; }
.mismatches td { white-space: pre-wrap; font: .8125rem/1.5 var(--mono); }
.mismatches .expected { background: var(--good-back); } .mismatches .actual { background: var(--bad-back); }
@media (max-width: 40rem) {
  details.scenario { scroll-margin-top: 0; }
}
`;
