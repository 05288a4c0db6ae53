/** The style of all pages: light and dark, from a phone's width up, without external resources. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f4f6f9; --text: #1b1f26; --quiet: #5a6472; --line: #d5dbe3;
  --passed: #1a7335; --failed: #b3261e; --skipped: #7a5900; --wrong: #fdecea; --right: #e8f5ec;
  --wallet: #1f63c4; --checking: #b0511a; --savings: #20794a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171c; --panel: #1d2229; --text: #e4e8ee; --quiet: #9aa5b4; --line: #363e4a;
    --passed: #5fc27e; --failed: #ff8a80; --skipped: #e0b040; --wrong: #3b1f1e; --right: #1b3023;
    --wallet: #7db2ff; --checking: #f2a06b; --savings: #6fd39b;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 1.6rem 0 .5rem; }
h3, h4 { font-size: .9rem; margin: .8rem 0 .2rem; }
p { margin: .3rem 0; }
code, pre { font: .85rem/1.4 ui-monospace, monospace; }
pre {
  margin: .2rem 0; padding: .5rem; background: var(--back); border: 1px solid var(--line); border-radius: .3rem;
  white-space: pre-wrap; max-height: 26rem; overflow: auto;
}
.quiet { color: var(--quiet); font-size: .9rem; }
.passed { color: var(--passed); } .failed { color: var(--failed); } .skipped { color: var(--skipped); }
.tally { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: 1.1rem; font-weight: 600; }
form {
  display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 0; position: sticky; top: 0;
  background: var(--back); border-bottom: 1px solid var(--line); z-index: 1;
}
input[type=search] { flex: 1 1 12rem; min-width: 0; }
input[type=search], select {
  font: inherit; padding: .3rem .5rem; max-width: 100%; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: .3rem;
}
summary { cursor: pointer; padding: .45rem .4rem; }
summary .name { font-weight: 600; color: var(--text); }
.inside { padding: 0 .6rem .8rem; }
.problem, .why { padding: .4rem .6rem; border-left: .25rem solid var(--failed); background: var(--wrong); white-space: pre-wrap; }
.why { border-color: var(--skipped); background: var(--back); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 .8rem; }
.pair > * { min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid var(--line); min-width: 4.5rem; }
th { color: var(--quiet); font-weight: 600; overflow-wrap: normal; }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .85rem; color: var(--quiet); }
svg { display: block; width: 100%; height: auto; }
svg text { font: 9px system-ui, sans-serif; fill: var(--quiet); }
svg path { fill: none; stroke-width: 1.6; stroke-linecap: round; vector-effect: non-scaling-stroke; }
svg .axis { stroke: var(--line); stroke-width: 1; }
@media (max-width: 40rem) {
  form { position: static; }
}
`;
