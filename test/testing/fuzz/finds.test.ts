// @module-tag slow
import { describe, expect, it } from 'vitest';
import { type FailureFile, findsOf } from '../../../src/testing/fuzz-library.js';
import { refined } from '../../../src/testing/fuzz/campaign/refine.js';
import { shapeOf } from '../../../src/testing/fuzz/campaign/summary.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { afterOpening, exported, playedTroubles } from './export-support.js';
import { REFINING, hunt, replayedIn, theFind } from './hunt.js';
import { type Lie, answeringFuzzed, fuzzedWith, lyingFuzzed, lyingInProcess } from './lying.js';
import { ann, call } from './steps.js';

const commandsOf = ({ steps }: FailureFile) => steps.map((step) => step.do);

const UNLIMITED: Lie = (text) => text.replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}');
const MORE: Lie = (text) =>
  text.replace(
    /("checking":\{"usdc":)([1-9][\d.]*)/,
    (_, name: string, usdc: string) => `${name}${Number(usdc) + 1}`,
  );

/** Bugs of the service by the kind of step that shows them. */
const BUGS: readonly (readonly [string, Lie, Parameters<typeof hunt>[1], RegExp])[] = [
  [
    'overlapping calls that need not overlap',
    UNLIMITED,
    { property: 'races', weights: { withdraw: 0, x402Pay: 0 }, seed: 2 },
    /(withdraw|x402Pay)$/,
  ],
  [
    'a fault',
    (text) => text.replace('"code":"oracle_unavailable"', '"code":"chain_unavailable"'),
    { weights: { oracle: 0, withdraw: 60, send: 60 }, seed: 4 },
    /./,
  ],
  [
    'time',
    (text) => text.replace('"code":"token_expired"', '"code":"invalid_token"'),
    { weights: { 'time.advance': 20 } },
    /advance/,
  ],
];

describe('a find', () => {
  it.each(BUGS)(
    'by %s fails from its file and as a scenario while the bug is there, and holds without it',
    { timeout: 60_000 },
    async (_what, lie, options, commands) => {
      const target = lyingFuzzed(lie);
      const file = await theFind(target, options);
      expect(commandsOf(file).join(' ')).toMatch(commands);
      expect(commandsOf(file)).not.toContain('overlap');
      expect((await replayedIn(target, file))?.kind).toBe(file.failure.kind);
      expect(await replayedIn(inProcessFuzz, file)).toBeNull();
      expect(file.confirmed.failure?.kind).toBe(file.failure.kind);
      const text = await exported(file, { target });
      expect(await playedTroubles(text, { target: lyingInProcess(lie) }), text).not.toEqual([]);
      expect(await playedTroubles(text), text).toEqual([]);
    },
  );

  it('that only a revert shows keeps the sequences that it takes', { timeout: 60_000 }, async () => {
    // A cache that is forgotten when the world is reverted.
    const forgetful = fuzzedWith((world) => {
      let [hasAsked, isStale] = [false, false];
      return {
        call: async (asked, mishap) => {
          const answer = await world.call(asked, mishap);
          hasAsked ||= asked.operation === 'x402Request' && answer?.status === 200;
          const isWrong = isStale && asked.operation === 'yieldRates' && answer?.status === 200;
          return isWrong ? { status: 200, body: {} } : answer;
        },
        restore: (snapshot) => {
          isStale ||= hasAsked;
          return world.restore(snapshot);
        },
      };
    });
    const options = { weights: { revert: 0, snapshot: 0, overlap: 0 } };
    const file = await theFind(forgetful, options);
    expect(file.unrepeatable).toBeUndefined();
    const kept = commandsOf(file).filter((name) => name !== 'signIn');
    expect(kept).toEqual(['snapshot', 'x402Request', 'revert', 'yieldRates']);
    expect((await replayedIn(forgetful, file))?.kind).toBe(file.failure.kind);
    expect(await replayedIn(inProcessFuzz, file)).toBeNull();
    // The campaign's own reverts show it as well.
    const weights = { revert: 10, snapshot: 10, x402Request: 20 };
    const drawn = await theFind(forgetful, { weights, shrinkAttempts: 20 });
    expect(commandsOf(drawn)).toContain('revert');
  });

  it('that cannot be repeated is saved with every step of its world', async () => {
    let answers = 0;
    const once = answeringFuzzed(() => (answer, { operation }) => {
      if (operation === 'savingsDeposit') answers += 1;
      return answers === 20 && operation === 'savingsDeposit' ? { status: 200, body: {} } : answer;
    });
    const file = await theFind(once);
    expect(file.unrepeatable).toBe(true);
    expect(file.steps.length).toBeGreaterThan(100);
    expect(await replayedIn(inProcessFuzz, file)).toBeNull();
  });

  it('of a world that earlier attempts have spoiled is shrunk in fresh ones', async () => {
    // Once a world has seen a withdrawal it is wrong for ever, whatever it is reverted to.
    const spoiled = answeringFuzzed(() => {
      let isSpoiled = false;
      return (answer, { operation }) => {
        isSpoiled ||= operation === 'withdraw' && answer.status === 200;
        return isSpoiled && operation === 'yieldRates' ? { status: 200, body: {} } : answer;
      };
    });
    const steps = afterOpening(
      call('withdraw', { amount: 1, token: 'USDC' }),
      ann('account'),
      ann('yieldRates'),
    );
    const failure = { at: steps.length - 1, kind: 'yieldRates: current', text: '' };
    const file = await refined({ run: 0, steps, failure, before: [] }, spoiled, REFINING);
    expect(commandsOf(file)).toEqual(['signIn', 'send', 'deposit', 'withdraw', 'yieldRates']);
    expect((await replayedIn(spoiled, file))?.kind).toBe(file.failure.kind);
  }, 60_000);
});

describe('a campaign with several bugs', () => {
  const lie: Lie = (text) => MORE(UNLIMITED(text)).replace('"code":"loan_not_found"', '"code":"not_found"');
  const several = { maxFinds: Infinity, runs: 24, agents: 1, weights: { overlap: 0 }, shrinkAttempts: 60 };

  it('goes on past a find, and reports each rule and shape once', { timeout: 120_000 }, async () => {
    const kept: FailureFile[] = [];
    const summary = await hunt(lyingFuzzed(lie), { ...several, onKept: (file) => void kept.push(file) });
    const finds = findsOf(summary);
    expect(summary.runs).toBe(24);
    expect(kept).toEqual(finds);
    expect(new Set(finds.map(shapeOf)).size).toBe(finds.length);
    expect(finds.map(({ failure }) => failure.kind)).toEqual(
      expect.arrayContaining([
        'account: checking.usdc',
        expect.stringMatching(/daily_limit_exceeded, got 200/),
      ]),
    );
    expect(summary.repeats).toBeGreaterThan(10);
    const again = findsOf(await hunt(lyingFuzzed(lie), { ...several, known: finds })).map(shapeOf);
    expect(again.filter((shape) => finds.map(shapeOf).includes(shape))).toEqual([]);
  });

  it('leaves out the kinds that are ignored, and ends after as many finds as are wanted', async () => {
    const summary = await hunt(lyingFuzzed(lie), { ...several, ignore: ['account: '], maxFinds: 2 });
    const kinds = findsOf(summary).map(({ failure }) => failure.kind);
    expect(kinds).toHaveLength(2);
    expect(kinds.filter((kind) => kind.startsWith('account: '))).toEqual([]);
  }, 60_000);
});
