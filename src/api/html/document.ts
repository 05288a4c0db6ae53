import { createHash } from 'node:crypto';
import { attributes, escapedText } from './markup.js';

/** The parts of a page. `style` and `script` contain neither `<` nor `&`, so that the page can be read as XML too. */
export interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  readonly body: string;
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The Content-Security-Policy of a page: it loads nothing and runs only its own script. */
export function contentPolicy({ style, script }: Pick<PageParts, 'style' | 'script'>): string {
  return `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
}

/** A self-contained HTML page, also well-formed XML, that runs only its own script, whatever text it contains. */
export function documentOf({ title, style, script, body }: PageParts): string {
  const policy = contentPolicy({ style, script });
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta${attributes({ 'http-equiv': 'Content-Security-Policy', content: policy })}/>
<title>${escapedText(title)}</title><style>${style}</style></head><body>
${body}
<script>${script}</script></body></html>
`;
}
