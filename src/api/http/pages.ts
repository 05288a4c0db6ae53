import { contentPolicy, documentOf } from '../html/document.js';
import { attributes, escapedText } from '../html/markup.js';
import { PAGE_STYLE } from '../html/style.js';
import { NO_STORE } from '../headers.js';
import type { DocsView, Places } from './discovery.js';

const STYLE = `${PAGE_STYLE}
body { max-width: 60rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .3rem 1rem; margin: .8rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; }
td code { overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .6rem; }
  tr, td:last-child { display: block; }
  th { display: none; }
  td { display: inline-block; min-width: 0; padding: .2rem .6rem 0 0; border: 0; }
  td:last-child { padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
}
`;

function link(url: string): string {
  return `<a${attributes({ href: url })}>${escapedText(url)}</a>`;
}

function code(text: string): string {
  return `<code>${escapedText(text)}</code>`;
}

function listMarkup(rows: readonly (readonly [name: string, markup: string])[]): string {
  return `<dl>${rows.map(([name, markup]) => `<dt>${escapedText(name)}</dt><dd>${markup}</dd>`).join('')}</dl>`;
}

function pageOf(title: string, body: string): string {
  return documentOf({ title, style: STYLE, script: '', body });
}

/** The page at a server's root, with the addresses of its interfaces. */
export function placesPage(places: Places): string {
  const { name, description, baseUrl, docs, openapi, onboarding, discovery, control, rpcUrl } = places;
  return pageOf(
    name,
    `<h1>${escapedText(name)}</h1>
<p>${escapedText(description)} It is a simulator: nothing in it has real value, and its keys are public.</p>
${listMarkup([
  ['Base URL', code(baseUrl)],
  ['Documentation', link(docs)],
  ['OpenAPI', link(openapi)],
  ['First steps', link(onboarding)],
  ['Discovery', link(discovery)],
  ['Control interface', link(control)],
  ['Solana JSON-RPC', rpcUrl === null ? 'not served' : code(rpcUrl)],
])}
<h2>Try it</h2>
<pre>curl ${escapedText(`${baseUrl}/agent/account/savings/yield`)}</pre>`,
  );
}

/** `{base_url}/docs` as a page with the content of its JSON. */
export function docsPage(docs: DocsView): string {
  const areas = Object.entries(docs.endpoints).map(([area, endpoints]) => {
    const rows = endpoints.map(
      ({ method, path, auth, summary }) =>
        `<tr><td>${code(method)}</td><td>${code(path)}</td><td>${escapedText(summary)}${auth === 'none' ? ' <span class="quiet">(open)</span>' : ''}</td></tr>`,
    );
    return `<h2>${escapedText(area)}</h2>
<div class="scroll"><table><tr><th>Method</th><th>Path</th><th>What it does</th></tr>${rows.join('')}</table></div>`;
  });
  const steps = docs.authentication.flow.map((step) => `<li>${escapedText(step)}</li>`);
  return pageOf(
    `${docs.name} ${docs.version}`,
    `<h1>${escapedText(docs.name)} ${escapedText(docs.version)}</h1>
<p>${escapedText(docs.description)}</p>
${listMarkup([
  ['Base URL', code(docs.baseUrl)],
  ['OpenAPI', link(docs.openapi)],
  ['Treasury', code(docs.treasury_address)],
  ['Network', escapedText(docs.network)],
  ['USDC mint', code(docs.usdc_mint)],
  ['Receipts are signed by', code(docs.receipt_issuer)],
])}
<h2>Sign in</h2>
<ol>${steps.join('')}</ol>
<p class="quiet">Paths are relative to the base URL. All require the token, except those marked open. Programs get this page as JSON.</p>
${areas.join('\n')}`,
  );
}

/** The headers of a page, without its request id. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=UTF-8',
  'content-security-policy': `${contentPolicy({ style: STYLE, script: '' })}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  ...NO_STORE,
  vary: 'Accept',
};
