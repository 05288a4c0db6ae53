import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/testing/fuzz/commands/commands.js';
import { PROPERTIES, type Property, weighted } from '../../../src/testing/fuzz/campaign/properties.js';
import { Random } from '../../../src/testing/fuzz/random.js';

/** How often each name is drawn. */
function drawn(list: readonly { readonly name: string; readonly weight: number }[], times: number) {
  const random = new Random(1);
  const counts = new Map<string, number>();
  for (let left = times; left > 0; left -= 1) {
    const { name } = random.weighed(list);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

describe('a weighed draw', () => {
  it.each([
    [2, 1, 1],
    [3, 0.5, 0.1, 0.4],
    [0.03, 0.01],
    [5, 0],
  ])('takes each as often as its weight says: %f, %f', (...weights) => {
    const list = weights.map((weight, at) => ({ name: String(at), weight }));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const counts = drawn(list, 20_000);
    for (const { name, weight } of list)
      expect(Math.abs((counts.get(name) ?? 0) - (20_000 * weight) / total)).toBeLessThan(300);
  });

  it('leaves out no command of a campaign', () => {
    const [everything] = PROPERTIES as [Property];
    const counts = drawn(weighted(COMMANDS, everything, { only: [], weights: {} }), 100_000);
    expect(COMMANDS.filter(({ name }) => !counts.has(name))).toEqual([]);
  });

  it('refuses weights that are all 0', () => {
    expect(() => new Random(1).weighed([{ weight: 0 }])).toThrow(RangeError);
  });
});
