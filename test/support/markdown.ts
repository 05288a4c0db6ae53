import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page of the documentation. */
export interface Block {
  /** Its page and first line: `docs/explanation/time.md:12`. */
  readonly at: string;
  readonly language: string;
  /** What follows the language: `file=agent.mjs`, `no-run="why"`; a word alone is ''. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly code: string;
}

/** The README and all pages of docs/, as paths from the root. */
export function pages(): string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return ['README.md', ...docs.toSorted().map((name) => `docs/${name}`)];
}

/** The text of a page. */
export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function attributesOf(info: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', quoted, plain] of info.matchAll(/([\w-]+)(?:="([^"]*)"|=(\S+))?/g))
    attributes[name] = quoted ?? plain ?? '';
  return attributes;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\S*)(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    at: `${page}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1] ?? '',
    attributes: attributesOf(match[2] ?? ''),
    code: match[3] ?? '',
  }));
}

/** The code of a page's first block that contains a text. */
export function exampleOf(page: string, text: string): string {
  const block = blocksOf(page).find(({ code }) => code.includes(text));
  if (block === undefined) throw new Error(`${page} has no example with ${text}`);
  return block.code;
}
