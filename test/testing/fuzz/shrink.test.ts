import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrunkBy } from '../../../src/testing/fuzz/play/shrunk.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequences.js';
import type { Step } from '../../../src/testing/fuzz/step.js';
import { forAllAsync } from '../../support/for-all.js';

const step = (id: number, name: string, args: Step['with'] = {}, by = 'ann'): Step => ({
  id,
  do: name,
  by,
  with: args,
});

const NEVER = { attempts: 5_000, isOver: () => false };

/** Fails at the first step for which a test says so. */
function failing(test: (step: Step, before: readonly Step[]) => boolean) {
  return async (steps: readonly Step[]): Promise<Failure | null> => {
    const at = steps.findIndex((each, place) => test(each, steps.slice(0, place)));
    return at < 0 ? null : { at, kind: 'it', text: 'it fails' };
  };
}

/** The steps that are left when a test decides at which step they fail. */
async function shrunk(steps: readonly Step[], test: (step: Step, before: readonly Step[]) => boolean) {
  const attempt = failing(test);
  const failure = (await attempt(steps)) as Failure;
  return (await shrunkBy(attempt, { steps, failure }, NEVER)).steps;
}

const amountIn = ({ with: { body } }: Step) => (body as { amount?: number } | undefined)?.amount ?? 0;

describe('shrinking a failing sequence', () => {
  it('leaves exactly the required steps, for any required subset', async () => {
    const needs = fc.uniqueArray(fc.integer({ min: 0, max: 28 }), { minLength: 1, maxLength: 5 });
    await forAllAsync(40, needs, async (needed) => {
      const steps = Array.from({ length: 30 }, (_, at) => step(at, at === 29 ? 'fire' : `step ${at}`));
      const left = await shrunk(
        steps,
        (each, before) =>
          each.do === 'fire' && needed.every((id) => before.some((earlier) => earlier.id === id)),
      );
      expect(left.map(({ id }) => id)).toEqual([...needed.toSorted((a, b) => a - b), 29]);
    });
  });

  it('replaces numbers by the roundest that still fail, and keeps every digit that matters', async () => {
    const left = await shrunk(
      [step(1, 'pay', { body: { amount: 1_234.567891, memo: 'x', list: [3, 7.5] } })],
      (each) => amountIn(each) > 1_000,
    );
    expect(left).toEqual([step(1, 'pay', { body: { amount: 10_000 } })]);
    const exact = [step(1, 'pay', { body: { amount: 1_000.000001 } })];
    expect(await shrunk(exact, (each) => amountIn(each) === 1_000.000001)).toEqual(exact);
  });

  it('replaces a duration by the shortest or roundest that still fails', async () => {
    const waited = async (by: string, failed: RegExp) =>
      (await shrunk([step(1, 'wait', { by })], (each) => failed.test(JSON.stringify(each.with))))[0]?.with;
    expect(await waited('31d', /\d[hd]/)).toEqual({ by: '1h' });
    expect(await waited('22h59m53s', /53s|\dd/)).toEqual({ by: '1d' });
  });

  it('removes what a step can lack, and nothing where the model knows complete arguments only', async () => {
    const transfer = { to: '${ben}', token: 'USDC', amount: 1 };
    const link = step(2, 'identity.link', { of: '${ann}', x: true, github: true });
    const faucet = step(3, 'control', { do: 'faucet', body: { amount: 2.5 } });
    const steps = [step(1, 'send', { transfers: [{ ...transfer, of: '${ben}' }] }), link, faucet];
    const left = await shrunk(steps, (_, before) => before.length === 2);
    expect(left).toEqual([step(1, 'send', { transfers: [transfer] }), link, faucet]);
  });

  it('removes the last step when the failure comes after all steps', async () => {
    const attempt = async (steps: readonly Step[]): Promise<Failure | null> =>
      steps.some((each) => each.do === 'fire') ? { at: steps.length, kind: 'it', text: 'at the end' } : null;
    const steps = Array.from({ length: 20 }, (_, at) => step(at, at === 7 ? 'fire' : 'wait'));
    const first = { steps, failure: { at: 20, kind: 'it', text: '' } };
    const { steps: left } = await shrunkBy(attempt, first, NEVER);
    expect(left).toEqual([step(7, 'fire')]);
  });

  it('merges several steps of one kind into one', async () => {
    const save = (id: number, amount: number) => step(id, 'save', { body: { amount, token: 'USDC' } });
    const saved = (steps: readonly Step[]) => steps.reduce((sum, each) => sum + amountIn(each), 0);
    const left = await shrunk(
      [save(1, 900), save(2, 700), save(3, 600)],
      (each, before) => saved([...before, each]) > 2_000,
    );
    expect(left).toEqual([step(3, 'save', { body: { amount: 10_000 } })]);
  });

  it('uses one agent where one is enough', async () => {
    const left = await shrunk(
      [step(1, 'arm', { to: '${cem}' }, 'ben'), step(2, 'fire', {}, 'cem')],
      (each, before) => each.do === 'fire' && before.length > 0,
    );
    expect(new Set(left.map(({ by }) => by))).toEqual(new Set(['ann']));
  });

  it('keeps the kind of failure', async () => {
    const attempt = async (steps: readonly Step[]): Promise<Failure> => ({
      at: steps.length - 1,
      kind: steps.length > 2 ? 'deep' : 'shallow',
      text: '',
    });
    const steps = [step(1, 'a'), step(2, 'b'), step(3, 'c'), step(4, 'd')];
    const first = { steps, failure: await attempt(steps) };
    const { steps: left, failure } = await shrunkBy(attempt, first, NEVER);
    expect(failure.kind).toBe('deep');
    expect(left).toHaveLength(3);
  });

  it('stops at the limit of attempts', async () => {
    let tries = 0;
    const attempt = async (steps: readonly Step[]): Promise<Failure> => {
      tries += 1;
      return { at: steps.length - 1, kind: 'it', text: '' };
    };
    const steps = Array.from({ length: 40 }, (_, at) => step(at, 'x', { n: at + 0.123456 }));
    const first = { steps, failure: { at: 39, kind: 'it', text: '' } };
    await shrunkBy(attempt, first, { attempts: 3, isOver: () => false });
    expect(tries).toBe(3);
  });
});
