// @module-tag slow
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tally, outcomesOf } from '../../../src/testing/fuzz/campaign/tally.js';
import {
  type CampaignInput,
  type ChangeRule,
  type Command,
  type FailureFile,
  GOALS,
  PROPERTIES,
  type Rule,
  type Step,
  type Summary,
  campaign,
  missedGoals,
  neverSucceeded,
  replay,
  ruleOf,
  saveFailure,
} from '../../../src/testing/fuzz-library.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const SMALL: CampaignInput = { runs: 40, steps: 40, seed: 5 };

describe('campaign', () => {
  // `check.test.ts` has that a campaign plays the same sequences for the same seed.
  it('plays other sequences for another seed, and counts pairs in its progress as in its result', async () => {
    const counts: number[] = [];
    const one = await campaign({
      ...SMALL,
      runs: 10,
      onProgress: ({ reached }) => void counts.push(reached.coverage.length),
    });
    expect(counts.at(-1)).toBe(one.coverage.length);
    expect(counts).toHaveLength(10);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    const other = await campaign({ ...SMALL, runs: 10, seed: 6 });
    expect(other.outcomes).not.toEqual(one.outcomes);
  });

  it('ends after the current sequence when aborted, without shrinking a failure already found', async () => {
    const stop = new AbortController();
    const stopped = await campaign({
      ...SMALL,
      signal: stop.signal,
      onProgress: ({ runs }) => (runs === 3 ? stop.abort() : undefined),
    });
    expect([stopped.runs, stopped.next]).toEqual([3, 3]);
    const late: CampaignInput = { ...SMALL, rules: [(_player, { id }) => (id > 25 ? 'too late' : null)] };
    const stepsOf = ({ found }: Summary) => found?.steps.length ?? 0;
    const finding = new AbortController();
    const unshortened = await campaign({
      ...late,
      signal: finding.signal,
      onFound: () => finding.abort(),
    });
    expect(stepsOf(unshortened)).toBeGreaterThan(stepsOf(await campaign(late)));
  });

  // `mishaps.test.ts` plays a longer campaign of everything, and `other-limits.test.ts` one of other limits.
  const narrower = PROPERTIES.filter(({ name }) => name !== 'everything' && name !== 'other-limits');
  it.each<readonly [string, CampaignInput]>([
    ...narrower.map(({ name: property }) => [`the property ${property}`, { property }] as const),
    ['bankrun', { engine: 'bankrun', runs: 15 }],
    ['a rolling window', { variants: { dailyWindow: 'rolling-24h', withdrawals: 'queued', overview: 'A' } }],
    ['reviews', { variants: { review: 'auto', score: '300-850', historyTypes: 'no-credit' } }],
    ['devnet', { variants: { network: 'devnet', purposes: 'four', duration: 'required', overview: 'B' } }],
    ['another status', { variants: { errorStatus: { daily_limit_exceeded: 400 } } }],
  ])('finds no failure with %s', { timeout: 120_000 }, async (_what, input) => {
    const { found, runs } = await campaign({ runs: 20, seed: 31, ...input });
    expect(found?.failure ?? null).toBeNull();
    expect(runs).toBe(input.runs ?? 20);
  });

  it('finds no failure over HTTP and has the outcomes of in-process calls', { timeout: 60_000 }, async () => {
    const direct = await campaign({ ...SMALL, runs: 20, seed: 33 });
    const http = await campaign({ ...SMALL, runs: 20, seed: 33, transport: 'http' });
    expect(http.found?.failure ?? null).toBeNull();
    expect(http.outcomes).toEqual(direct.outcomes);
  });

  // `npm run soak` tests that a longer campaign reaches all of them.
  it('counts every goal and lists the unreached ones', async () => {
    const little = await campaign({ runs: 2, steps: 3 });
    expect(Object.keys(little.goals)).toEqual(GOALS);
    expect(missedGoals(little)).toContain('loan defaulted');
  });

  it('lists the commands that never succeeded, also within an overlap', () => {
    const outcomes = { 'send ok': 1, 'send refused': 9, 'loan.pay loan_not_active': 2, 'overlap lost+ok': 1 };
    expect(neverSucceeded({ outcomes })).toEqual(['loan.pay']);
    expect(neverSucceeded({ outcomes: { 'overlap lost+daily_limit_exceeded': 1 } })).toEqual(['overlap']);
  });

  it('plays the same runs in two campaigns as in one, by their numbers', async () => {
    const whole = await campaign({ ...SMALL, runs: 14 });
    const parts = [await campaign({ ...SMALL, runs: 8 }), await campaign({ ...SMALL, path: 8, runs: 6 })];
    const tally = new Tally([]);
    for (const part of parts) tally.append(part);
    expect(outcomesOf(tally.reached().coverage)).toEqual(whole.outcomes);
    expect(parts.map(({ next }) => next)).toEqual([8, 14]);
  });

  it('ends when its progress callback returns false or its time is used up', async () => {
    const stopped = await campaign({ ...SMALL, onProgress: ({ runs }) => runs < 3 });
    expect(stopped.runs).toBe(3);
    // On a busy machine the time may be over before the first sequence, and then none is started.
    expect((await campaign({ timeBudgetMs: 1 })).runs).toBeLessThanOrEqual(1);
  });

  it('draws only allowed commands, and none of weight 0', async () => {
    const { outcomes } = await campaign({ ...SMALL, runs: 10, only: ['account', 'signIn'] });
    const names = new Set(Object.keys(outcomes).map((name) => name.split(' ')[0]));
    expect(names).toEqual(new Set(['account', 'signIn']));
    const none = await campaign({ ...SMALL, runs: 10, weights: { send: 0 } });
    expect(Object.keys(none.outcomes).some((name) => name.startsWith('send '))).toBe(false);
  });

  // `test/cli/fuzz.test.ts` has unknown properties and reviews.
  it('rejects unknown commands and an empty choice of commands', async () => {
    for (const [input, reason] of [
      [{ only: ['steal'] }, /no command steal; there are challenge/],
      [{ weights: { steal: 1 } }, /no command steal/],
      [{ only: ['desk'] }, /none of the allowed commands/],
    ] as const)
      await expect(campaign(input)).rejects.toThrow(reason);
  });
});

describe('campaign with custom rules and commands', () => {
  const lucky = () => {
    throw new Error('no luck');
  };

  it.each<[string, Rule | ChangeRule]>([
    ['after a step', lucky],
    ['in its start', { name: 'lucky', start: lucky }],
  ])('fails a rule by name that throws %s', async (_where, rule) => {
    const { found } = await campaign({ runs: 2, rules: [rule] });
    expect(found?.failure).toMatchObject({ text: 'no luck', rule: 'lucky' });
    expect(found?.steps).toHaveLength(1);
  });

  const noSends = (_sim: unknown, { do: name }: Step) => name !== 'send';
  it.each([
    ['an invariant', noSends],
    ['an invariant about change', { name: 'noSends', start: () => noSends }],
  ])('saves what %s found as a rule, to be replayed with that rule', async (_what, invariant) => {
    const folder = temporaryFolder();
    const options = { rules: [ruleOf(invariant)] };
    const { found } = await campaign({ runs: 1, ...options });
    const paths = await saveFailure(folder, found as FailureFile, options);
    const name = join(folder, found?.name ?? '');
    expect(paths).toEqual([`${name}.json`, `${name}.test.ts`]);
    expect(await saveFailure(folder, found as FailureFile)).toEqual(paths);
    expect(await replay(`${name}.json`, options)).toMatchObject({ verdict: 'FAILED' });
    expect(await replay(`${name}.json`)).toMatchObject({ verdict: 'UNCHECKED', missing: 'the rule noSends' });
  });

  it('does not call what a rule without a name found fixed, since any rule may stand in its place', async () => {
    const rules = [ruleOf({ start: () => noSends })];
    const found = (await campaign({ runs: 1, rules })).found as FailureFile;
    expect(await replay(found, { rules })).toMatchObject({ verdict: 'FAILED' });
    const other = await replay(found, { rules: [() => null] });
    expect(other).toMatchObject({ verdict: 'UNCHECKED', missing: 'a rule without a name' });
  });

  it('shrinks an exception in a custom command, and finds it again by the number of its run', async () => {
    const draw = () => fc.constant({ do: 'bad', with: {} });
    const play = () => Promise.reject(new Error('out of luck'));
    const input = { ...SMALL, seed: 6, commands: [{ name: 'bad', weight: 1, draw, play }] };
    const { found } = await campaign(input);
    expect(found).toMatchObject({ failure: { text: 'an exception: out of luck' }, steps: [{ do: 'bad' }] });
    const again = { ...input, path: found?.found.run || Number.NaN, runs: 1 };
    expect((await campaign(again)).found).toEqual(found);
  });

  it('plays a custom command among the others and reports its deviation', async () => {
    let played = 0;
    const wave: Command = {
      name: 'wave',
      weight: 30,
      draw: ({ names }) => fc.constantFrom(...names).map((by) => ({ do: 'wave', by, with: {} })),
      play: async () => {
        played += 1;
        return { outcome: 'ok', deviation: played === 25 ? 'nobody waves back' : null };
      },
    };
    const { found, outcomes } = await campaign({ runs: 40, commands: [wave] });
    expect(outcomes['wave ok']).toBe(25);
    expect(found?.failure.text).toBe('nobody waves back');
  });
});
