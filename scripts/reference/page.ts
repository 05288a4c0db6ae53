import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FormatConfig, format } from 'oxfmt';
import { ROOT, pages, textOf } from '../../test/support/markdown.js';
import { GENERATED } from './tables.js';

const PART = /(?<=<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(?=<!-- end -->)/g;

/** The pages with a generated part. */
export function generatedPages(): string[] {
  return pages().filter((page) => textOf(page).includes('<!-- generated: '));
}

/** A page with its generated parts written again. Rejects for a name that is not in `GENERATED`. */
export async function withGenerated(page: string): Promise<string> {
  let text = page;
  for (const [part, name = ''] of page.matchAll(PART)) {
    const write = GENERATED[name];
    if (write === undefined) throw new Error(`no table is called ${name}`);
    const written = await write();
    text = text.replace(
      `<!-- generated: ${name} -->\n${part}`,
      () => `<!-- generated: ${name} -->\n\n${written}\n\n`,
    );
  }
  const options = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  return (await format('page.md', text, options)).code;
}
