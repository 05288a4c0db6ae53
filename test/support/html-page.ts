import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { expect } from 'vitest';
import { memoryPages, validateXML } from 'xmllint-wasm';

/** A text that would break a page, a script, a data block or a style that does not escape it. */
export const HOSTILE = `</script></style></title><script>alert(1)</script> <img src="x" onerror='y'>'"&amp; ]]> & \u0000 \u{1f642} \ud800 \u2028 ,"| +`;

/** A value with hostile text in place of each text, but for those of members that choose what is shown. */
export function hostileIn<T>(value: T, choosing: readonly string[]): T {
  const replaced = (name: string, member: unknown) =>
    typeof member === 'string' && !choosing.includes(name) ? HOSTILE : member;
  return JSON.parse(JSON.stringify(value, replaced)) as T;
}

/** What is wrong with a page as XML: tags that are not closed, attributes without quotes, unknown references. */
export async function faultsOf(page: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'page.xml', contents: page },
    normalization: 'format',
    maxMemoryPages: memoryPages.GiB,
  });
  return errors.map(({ message }) => message);
}

/** Checks that a page is well-formed, loads nothing, and allows only its own script, which compiles, and its own style. */
export async function expectSelfContained(page: string): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
  expect(page).not.toMatch(/\b(?:src|href)="(?!#)/);
  expect(page).not.toMatch(/url\(|@import| style="/);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
  expect(policy).toContain("default-src 'none'");
  for (const tag of ['script', 'style']) {
    const content = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(content).digest('base64');
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
  }
  const script = /<script>([^]*)<\/script>/.exec(page)?.[1] ?? '';
  expect(() => new Script(script)).not.toThrow();
  expect(script).not.toMatch(/[<&]/);
}

/** Checks that hostile texts in a page with so many scripts are only texts. */
export async function expectHarmless(page: string, scripts: number): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
  expect(page).not.toContain('<img');
  expect(page.match(/<script/g)).toHaveLength(scripts);
  expect(page.match(/<\/script/g)).toHaveLength(scripts);
  expect(page.match(/<\/style/g)).toHaveLength(1);
  const tags = [...page.matchAll(/<[a-z][^<>]*>/g)].map(([tag]) => tag.replaceAll(/"[^"]*"/g, ''));
  expect(tags.filter((tag) => tag.includes('onerror'))).toEqual([]);
}
