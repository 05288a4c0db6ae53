import { expect, it } from 'vitest';
import { type Mutant, mutated, reasonOf, sample } from '../../mutants/mutants.js';
import { reachReport, textReport } from '../../mutants/report.js';
import { type Survived, isOpen } from '../../mutants/stages.js';

const at = (line: number, column: number) => ({ line, column });

function mutant(id: string): Mutant {
  const location = { start: at(1, 9), end: at(1, 14) };
  return {
    id,
    file: 'src/bank/a.ts',
    operator: 'Equality',
    replacement: 'a >= b',
    location,
    before: '-',
    after: '+',
  };
}

it('a mutant changes its place in the text, and nothing else', () => {
  const change = { location: { start: at(1, 9), end: at(1, 14) }, replacement: 'a >= b' };
  expect(mutated('first\n  return a < b;\nlast', change)).toBe('first\n  return a >= b;\nlast');
  expect(mutated('first\n  return a < b;\nlast', change, true)).toBe('first\n  return (a >= b);\nlast');
});

it('a sample keeps its mutants when others come and go', () => {
  const all = Array.from({ length: 100 }, (_, number) => mutant(`${number}`));
  const drawn = sample(all, 'seed', 20);
  expect(sample(all.toReversed(), 'seed', 20)).toEqual(drawn);
  const fewer = all.filter((one) => !drawn.slice(0, 5).includes(one));
  expect(sample(fewer, 'seed', 15)).toEqual(drawn.slice(5));
  expect(sample(all, 'another', 20)).not.toEqual(drawn);
});

it('a score counts neither equivalents nor what is no program, and adds up from stage to stage', () => {
  const killed = { verdict: 'killed', stage: 'scenarios', seconds: 1, text: '' } as const;
  const survived = { verdict: 'survived', stage: null, seconds: 1, text: '' } as const;
  const outcomes = [
    killed,
    { ...killed, stage: 'campaign 60 s' as const },
    survived,
    { ...survived, verdict: 'invalid' as const },
    { verdict: 'equivalent', text: 'the same' } as const,
  ];
  const judged = outcomes.map((outcome, number) => ({ mutant: mutant(`${number}`), outcome }));
  expect(textReport(judged, '')).toMatch(/^all +3 +33\.3 % +33\.3 % +66\.7 % +66\.7 %$/m);
});

it('an equivalent is known by its file and its text', () => {
  const known = [{ file: 'src/bank/a.ts', before: '-', after: '+', reason: 'because' }];
  expect(reasonOf(mutant('1'), known)).toBe('because');
  expect(reasonOf({ ...mutant('1'), after: 'other' }, known)).toBeNull();
});

it('a survivor is tried again by what it has not survived, and by nothing else', () => {
  const options = (campaignSeconds: number, hasTests: boolean) => ({ campaignSeconds, hasTests, seed: 1 });
  const killed = { verdict: 'killed', stage: 'scenarios', seconds: 1, text: '' } as const;
  const after = (survived?: Survived) =>
    ({ ...killed, verdict: 'survived', stage: null, ...(survived && { survived }) }) as const;
  const quick = after({ campaignSeconds: 20, hasTests: false });
  expect(isOpen(undefined, options(20, false))).toBe(true);
  expect(isOpen(killed, options(180, true))).toBe(false);
  expect(isOpen(after(), options(20, false))).toBe(true);
  expect(isOpen(quick, options(20, false))).toBe(false);
  expect(isOpen(quick, options(180, false))).toBe(true);
  expect(isOpen(quick, options(20, true))).toBe(true);
  expect(isOpen(after({ campaignSeconds: 180, hasTests: true }), options(20, true))).toBe(false);
});

it('a report of what is reached has shares by folder, and the lines that no campaign reaches', () => {
  const reach = { campaign: ['1', '3'], tests: { 1: ['test/bank/a.test.ts'] } };
  const text = reachReport(['1', '2', '3', '4'].map(mutant), reach);
  expect(text).toMatch(/^src\/bank +4 +50.0 % +25.0 %$/m);
  expect(text).toMatch(/^src\/bank\/a.ts: 2$/m);
});
