import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, pages, textOf } from '../support/markdown.js';

/** A page's text without its fenced blocks, where brackets are code. */
function prose(page: string): string {
  return textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each([...pages(), 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])(
  'every link of %s resolves to a file and a heading',
  (page) => {
    const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(ROOT, file))) return true;
        return anchor !== undefined && !anchors(file).includes(anchor);
      });
    expect(broken).toEqual([]);
  },
);

it('docs/README.md lists every page of docs/', () => {
  const index = textOf('docs/README.md');
  const missing = pages().filter(
    (page) =>
      page.startsWith('docs/') &&
      page !== 'docs/README.md' &&
      !index.includes(`](${page.slice('docs/'.length)})`),
  );
  expect(missing).toEqual([]);
});

it('README has at most 200 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});
