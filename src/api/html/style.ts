import { THEME } from './theme.js';

/** The style of all pages: light and dark, from a phone's width up, without external resources. */
export const PAGE_STYLE = `${THEME}* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--back); color: var(--text);
  font: .875rem/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.25rem; letter-spacing: -.01em; margin: 0 0 .3rem; }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
h3, h4 { font-size: .8125rem; margin: .8rem 0 .2rem; }
p { margin: .3rem 0; }
code, pre { font: .8125rem/1.5 var(--mono); }
a { color: var(--accent); text-underline-offset: 2px; }
pre {
  margin: .2rem 0; padding: .6rem .75rem; background: var(--sunken); border-radius: .4rem;
  white-space: pre-wrap; max-height: 26rem; overflow: auto;
}
.quiet { color: var(--quiet); }
.passed { color: var(--good); } .failed { color: var(--bad); } .skipped { color: var(--warn); }
.tally { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: 1.1rem; font-weight: 600; }
form {
  display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 0; position: sticky; top: 0;
  background: var(--back); border-bottom: 1px solid var(--line); z-index: 1;
}
input[type=search] { flex: 1 1 12rem; min-width: 0; }
input[type=search], select {
  font: inherit; padding: .3rem .5rem; max-width: 100%; color: inherit; background: var(--sunken);
  border: 1px solid var(--line); border-radius: .3rem;
}
summary { cursor: pointer; padding: .45rem .4rem; }
summary .name { font-weight: 600; color: var(--text); }
.inside { padding: 0 .6rem .8rem; }
.problem, .why { padding: .4rem .6rem; border-left: .25rem solid var(--bad); background: var(--bad-back); white-space: pre-wrap; }
.why { border-color: var(--warn); background: var(--back); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 .8rem; }
.pair > * { min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid var(--line); min-width: 4.5rem; }
th { color: var(--quiet); font-weight: 600; overflow-wrap: normal; }
@media (max-width: 40rem) {
  form { position: static; }
}
`;
