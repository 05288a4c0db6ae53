import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorpusGenerations } from '../../../src/testing/fuzz/campaign/corpus-generations.js';
import { sent } from '../../../src/testing/fuzz/campaign/corpus.js';
import { type Part, weighed } from '../../../src/testing/fuzz/campaign/parts.js';

const part = (name: string, weight: number): Part => ({ name, weight, commands: [] });
const PARTS = [part('everything', 6), part('limits', 1), part('credit', 1)];
const entry = (name: string, reached: number) => ({
  part: name,
  reached: Array.from({ length: reached }, (_, at) => `${name} ${at}`),
});
const weights = (parts: readonly Part[]) => parts.map(({ weight }) => weight);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the parts of a campaign', () => {
  it('keep their weights while nothing is found, and when each finds its share', () => {
    expect(weights(weighed(PARTS, PARTS, []))).toEqual([6, 1, 1]);
    const shares = [entry('everything', 60), entry('limits', 10), entry('credit', 10)];
    weights(weighed(PARTS, PARTS, shares)).forEach((weight, at) =>
      expect(weight).toBeCloseTo([6, 1, 1][at] ?? 0),
    );
  });

  it('weigh more the more of the finds are theirs, and what finds nothing is still played', () => {
    const [everything = 0, limits = 0, credit = 0] = weights(weighed(PARTS, PARTS, [entry('credit', 400)]));
    expect(credit).toBe(3);
    expect(everything).toBe(2);
    expect(limits).toBeCloseTo(1 / 3);
  });

  it('are weighed by finds for each sequence: twice the finds of twice the sequences change nothing', () => {
    const played = [part('everything', 4), part('limits', 2), part('credit', 2)];
    const found = [entry('everything', 40), entry('limits', 20), entry('credit', 20)];
    weights(weighed(PARTS, played, found)).forEach((weight, at) =>
      expect(weight).toBeCloseTo([6, 1, 1][at] ?? 0),
    );
  });

  it('weigh more than nothing, however little they find', () => {
    const found = fc.array(
      fc.record({ name: fc.constantFrom('everything', 'limits', 'x'), reached: fc.nat(500) }),
    );
    fc.assert(
      fc.property(found, (entries) => {
        const now = weights(
          weighed(
            PARTS,
            PARTS,
            entries.map(({ name, reached }) => entry(name, reached)),
          ),
        );
        expect(now.every((weight, at) => weight >= (PARTS[at]?.weight ?? 0) / 3.001)).toBe(true);
        expect(sum(now)).toBeLessThanOrEqual(3 * sum(weights(PARTS)));
      }),
    );
  });

  it('weigh what they found in the last generation, not before', () => {
    const generations = new CorpusGenerations(PARTS);
    const add = (...found: { part: string; reached: string[] }[]) =>
      generations.add(found.map((each, run) => sent({ ...each, steps: [], run })));
    add();
    add(entry('credit', 400));
    expect(weights(generations.at(1).parts)[2]).toBe(3);
    add();
    expect(weights(generations.at(2).parts)).toEqual([6, 1, 1]);
    // What it found was found while it weighed three times as much.
    add(entry('everything', 200), entry('limits', 33), entry('credit', 300));
    expect(weights(generations.at(3).parts)[2]).toBeLessThan(3);
    expect(weights(generations.at(9).parts)).toEqual([6, 1, 1]);
  });

  it('are named by what they found, sent or not', () => {
    const { packed: _, ...told } = sent({ steps: [], reached: ['a'], run: 3, part: 'credit' });
    expect(told).toEqual({ reached: ['a'], run: 3, part: 'credit' });
  });
});
