import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUGS } from '../../planted/bugs.js';

describe('planted bugs', () => {
  it('each match the source exactly once', () => {
    const astray = BUGS.filter(
      ({ file, from }) => readFileSync(`src/${file}`, 'utf8').split(from).length !== 2,
    );
    expect(astray.map(({ name }) => name)).toEqual([]);
    expect(BUGS.length).toBeGreaterThanOrEqual(30);
  });
});
