import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

const source = files('src').map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('repository rules', () => {
  it('require each class of errors to set its own name, and no check of a name that none of ours sets', () => {
    const classes = source.flatMap(({ path, text }) =>
      [...text.matchAll(/class (\w+)(?:<[^>]*>)? extends (\w+)[^{]*\{\s*(.*)/g)].map(
        ([, name = '', base = '', first = '']) => ({ path, name, base, first }),
      ),
    );
    const isError = (name: string): boolean =>
      /^(?:[A-Z]\w*)?Error$/.test(name) || classes.some((each) => each.name === name && isError(each.base));
    const errors = classes.filter(({ base }) => isError(base));
    expect(errors.length).toBeGreaterThan(40);
    const unnamed = errors.filter(
      ({ name, first }) => !new RegExp(`^override readonly name(: string)? = '${name}';`).test(first),
    );
    expect(unnamed.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
    const compared = source.flatMap(({ path, text }) =>
      [...text.matchAll(/\bname [!=]== '([A-Z]\w*)'/g)].map(([, name = '']) => ({ path, name })),
    );
    // Of the platform and of the queue's client; ours are recognized by class.
    const foreign = ['TimeoutError', 'ReplyError', 'YError'];
    const ours = compared.filter(({ name }) => isError(name) && !foreign.includes(name));
    expect(ours).toEqual([]);
  });

  it('allow no module-level let', () => {
    const loose = source.filter(({ text }) => /^(export )?let /m.test(text)).map(({ path }) => path);
    expect(loose).toEqual([]);
  });

  it('allow no Solana library import in src', () => {
    const users = source
      .filter(({ text }) => /from '(@solana\/|solana-bankrun|litesvm)|import\('@solana/.test(text))
      .map(({ path }) => relative('src', path));
    expect(users).toEqual([]);
  });

  it('allow no download address in the lock files', () => {
    for (const folder of ['.', join('test', 'browser'), join('test', 'x402-clients')]) {
      const lock = readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8');
      expect(lock, folder).not.toMatch(/"resolved": "http/);
    }
  });
});
