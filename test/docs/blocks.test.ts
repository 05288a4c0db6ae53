// @module-tag slow
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, pages, textOf } from '../support/markdown.js';
import { Page, VitestProject, isTested } from './page.js';

/** Whether this machine lacks a program that a block requires. */
function lacks({ needs = '' }: Readonly<Record<string, string>>): boolean {
  return needs.split(' ').some((program) => program !== '' && spawnSync(program, ['--version']).error);
}

it.each(pages())('%s has no indented fenced block, which blocksOf would miss', (name) => {
  expect(textOf(name).match(/^[ >]*```/gm) ?? []).toHaveLength(2 * blocksOf(name).length);
});

const project = new VitestProject();
const all = pages().map((name) => ({ name, blocks: blocksOf(name) }));

describe.each(all.filter(({ blocks }) => blocks.length > 0))('$name', ({ blocks }) => {
  const page = new Page(project);
  beforeAll(() => page.open());
  afterAll(() => page.close());

  for (const block of blocks) {
    const { at, language, attributes } = block;
    const reason = attributes['no-run'];
    const title = isTested(attributes['file']) ? 'is among the tests of all pages' : `runs (${language})`;
    if (reason === undefined) it.skipIf(lacks(attributes))(`${at} ${title}`, () => page.run(block));
    else it(`${at} states why it is not run: ${reason}`, () => expect(reason).toMatch(/\w+ \w+/));
  }
});

it('the tests of all pages compile and pass', { timeout: 180_000 }, () => project.run());
