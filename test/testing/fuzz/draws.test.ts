import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import {
  COMMANDS,
  type ModelRunner,
  type Step,
  membersOf,
  valueOf,
} from '../../../src/testing/fuzz-library.js';
import { amountOf, unitsOf } from '../../../src/testing/fuzz/amounts.js';
import { durationMs } from '../../../src/testing/fuzz/model/duration.js';
import { atEdge } from '../../../src/testing/fuzz/commands/edges.js';
import { drawStep } from '../../../src/testing/fuzz/play/drawing.js';
import { drawing } from '../../support/seeded.js';
import { opening } from '../../../src/testing/fuzz/play/replay.js';
import { type Unnumbered, advance, ann, call, numbered, opened, operator } from './steps.js';
import { forAll } from '../../support/for-all.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

it('drawn amounts convert from base units to numbers and back without loss', () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 15n });
  forAll(units, fc.constantFrom('USDC' as const, 'SOL' as const), (base, token) => {
    expect(unitsOf(amountOf(base, token), token)).toBe(base);
  });
});

/** A world with ann, or with ben too, after its opening and further steps. */
async function afterOpening(steps: readonly Unnumbered[], agents = 1): Promise<ModelRunner> {
  const { runner, play } = await opened({ agents });
  onTestFinished(() => runner.world.close());
  const first = opening(runner.names);
  expect(await play([...first, ...numbered(steps, first.length)])).toBeNull();
  return runner;
}

/** The steps of 1,000 draws, of all commands or of one. */
function drawnSteps(runner: ModelRunner, only?: string): Step[] {
  const draw = drawing(1);
  const commands = COMMANDS.filter(({ name }) => only === undefined || name === only);
  const steps = Array.from({ length: 1_000 }, (_, id) => drawStep(id, commands, { draw, runner }));
  return steps.filter((step) => step !== null);
}

/** How many of 1,000 drawn steps are such. */
const drawnOften = (runner: ModelRunner, isSuch: (step: Step) => boolean) =>
  drawnSteps(runner).filter(isSuch).length;

describe('calls that a campaign draws', () => {
  it('are repayments more often while a loan is open, and decisions while an application is pending', async () => {
    const isRepayment = (step: Step) => step.do === 'loanRepay';
    const isDecision = (step: Step) => step.do === 'review.approve';
    const id = opening(['ann']).length + 1;
    const apply = call('loanApply', { amount: 100, purpose: 'task' });
    const approve = operator('review.approve', { loan: `\${s${id}.loan}` });
    const pending = await afterOpening([apply]);
    const open = await afterOpening([apply, approve]);
    expect(drawnOften(open, isRepayment)).toBeGreaterThan(5 * drawnOften(pending, isRepayment));
    expect(drawnOften(pending, isDecision)).toBeGreaterThan(20);
  });

  it('spend in the last millisecond of a day, and go on when it is over', async () => {
    const day = 86_400_000;
    const isSpending = (step: Step) => step.do === 'withdraw' || step.do === 'x402Pay';
    const isNext = (step: Step) => step.do === 'time.advance' && step.with['by'] === '1ms';
    const runner = await afterOpening([]);
    const before = drawnOften(runner, isSpending);
    const nextBefore = drawnOften(runner, isNext);
    await runner.world.advance(day - 1 - (runner.world.nowMs() % day));
    expect(drawnOften(runner, isSpending)).toBeGreaterThan(2 * before);
    expect(drawnOften(runner, isNext)).toBeGreaterThan(5 * Math.max(1, nextBefore));
  });

  it('are calls under a key more often when its life ends', async () => {
    const body = { amount: 1, token: 'USDC' };
    const runner = await afterOpening([call('savingsDeposit', body, { key: 'k1' })]);
    const isRepeat = (step: Step) => step.do === 'savingsDeposit' && step.with['key'] === 'k1';
    const before = drawnOften(runner, isRepeat);
    await runner.world.advance(86_400_000);
    runner.memory.tokens.set('ann', { text: 'another token', issuedMs: runner.world.nowMs() });
    expect(drawnOften(runner, isRepeat)).toBeGreaterThan(5 * Math.max(10, before));
  });

  it('are at an edge that no transaction sets, and a base unit to each side of it', async () => {
    const runner = await afterOpening([]);
    const available = runner.accountState('ann').availableToBorrowBase;
    expect(available).toBeGreaterThan(0n);
    const beyond = drawnSteps(runner, 'collateralBorrow').flatMap(({ with: { body } }) => {
      const { amount } = (body ?? {}) as { amount?: unknown };
      const isMeant = typeof amount === 'number' && Math.abs(amount) < 1e12;
      return isMeant ? [unitsOf(amount, 'USDC') - available] : [];
    });
    for (const distance of [-1n, 0n, 1n]) expect(beyond).toContain(distance);
  });

  it('are at the edge of any rule of the model', async () => {
    const runner = await afterOpening([]);
    const body = { amount: 1, token: 'SOL', destination: runner.strangers[0] as string };
    const draw = drawing(1);
    const amounts = Array.from({ length: 100 }, () => {
      const { with: args } = draw(atEdge({ do: 'withdraw', by: 'ann', with: { body } }, runner));
      return unitsOf((args['body'] as typeof body).amount, 'SOL');
    });
    const [rentMinimum, dailyLimit, balance] = [890_880n, 6_666_666_666n, 30_000_000_000n];
    for (const edge of [rentMinimum, dailyLimit + 1n, balance + 1n])
      for (const amount of [edge - 1n, edge]) expect(amounts).toContain(amount);
  });

  it('are made again after they failed, and about transactions that their caller only signed too', async () => {
    const failed = { body: { recipient: '${ben}', amount: 1.25, token: 'USDC' } };
    const transfers = [{ to: '${treasury}', token: 'USDC', amount: 1 }];
    const runner = await afterOpening(
      [
        ann('x402Pay', { ...failed, mishap: 'chain-unavailable' }),
        ann('send', { transfers, cosigners: ['ben'] }),
      ],
      2,
    );
    expect(drawnSteps(runner, 'x402Pay')).toContainEqual(
      expect.objectContaining({ by: 'ann', with: failed }) as Step,
    );
    const signature = `\${s${opening(runner.names).length + 2}.signature}`;
    const claimed = { body: expect.objectContaining({ tx_signature: signature }) as object };
    expect(drawnSteps(runner, 'deposit')).toContainEqual(
      expect.objectContaining({ by: 'ben', with: expect.objectContaining(claimed) as object }) as Step,
    );
  });

  it('come to the millisecond at which a span ends', async () => {
    const runner = await afterOpening([advance('1h')]);
    const nowMs = runner.world.nowMs();
    const ends = drawnSteps(runner, 'time.advance').flatMap(({ with: { by } }) =>
      [...runner.memory.instants].map((from) => (nowMs + durationMs(by as string) - from) / 86_400_000),
    );
    for (const days of [1, 30, 365]) expect(ends).toContain(days);
  });
});

describe('values drawn from the contract', () => {
  it('cover every member of request bodies and queries', () => {
    const names = (schema: Parameters<typeof membersOf>[0]) => membersOf(schema).map(({ name }) => name);
    expect(names(TABLE.loanApply.body)).toEqual(['amount', 'purpose', 'duration', 'collateral']);
    expect(names(TABLE.x402Pay.body)).toContain('payment_request');
    expect(names(TABLE.transactions.query)).toEqual(['limit', 'offset', 'type', 'token']);
  });

  it('come from both sides of a bound', () => {
    const limit = membersOf(TABLE.transactions.query).find(({ name }) => name === 'limit');
    const drawn = fc.sample(valueOf(limit?.shape ?? {}), { numRuns: 300, seed: 1 });
    for (const edge of [0, 1, 100, 101]) expect(drawn).toContain(edge);
  });
});
