import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import {
  COMMANDS,
  type Command,
  type ModelRunner,
  type Step,
  amountNear,
  campaign,
  membersOf,
  valueOf,
} from '../../../src/testing/fuzz-library.js';
import { amountOf, unitsOf } from '../../../src/testing/fuzz/amounts.js';
import { durationMs } from '../../../src/testing/fuzz/model/duration.js';
import { atEdge } from '../../../src/testing/fuzz/commands/edges.js';
import { drawStep } from '../../../src/testing/fuzz/play/drawing.js';
import { drawing } from '../../support/seeded.js';
import { opening } from '../../../src/testing/fuzz/play/opening.js';
import { type Unnumbered, call, numbered, opened, operator } from './steps.js';
import { forAll } from '../../support/for-all.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

describe('drawn amounts', () => {
  it('convert from base units to numbers and back without loss', () => {
    forAll(
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fc.constantFrom('USDC' as const, 'SOL' as const),
      (units, token) => {
        expect(unitsOf(amountOf(units, token), token)).toBe(units);
      },
    );
  });

  it('include an edge, one base unit above it and one below', () => {
    const drawn = fc.sample(amountNear([1_000_000_000n], 'USDC'), { numRuns: 300, seed: 1 });
    for (const aim of [1_000, 1_000.000001, 999.999999, 500]) expect(drawn).toContain(aim);
    expect(drawn.every((amount) => amount > 0)).toBe(true);
  });
});

type Measure = (args: Step['with'], runner: ModelRunner, by: string) => void;

/** What a small campaign shows of some of its steps. */
async function drawnByCampaign() {
  const day = 86_400_000;
  const all = {
    /** USDC borrowed beyond what is available, in base units. */
    beyond: [] as bigint[],
    /** Days from known instants to the ends of spans. */
    ends: [] as number[],
    /** Whether a deposit is of a transaction that its caller only signed too. */
    claimed: [] as boolean[],
    /** Whether a payment has failed before. */
    again: [] as boolean[],
  };
  const measures: Readonly<Record<string, Measure>> = {
    collateralBorrow: (args, runner, by) => {
      const { amount } = (args as { body: { amount?: number } | null }).body ?? {};
      const available = runner.accountState(by).availableToBorrowBase;
      const isMeant = typeof amount === 'number' && Math.abs(amount) < 1e12;
      if (isMeant && available > 0n) all.beyond.push(unitsOf(amount, 'USDC') - available);
    },
    deposit: (args, runner, by) => {
      const { body } = runner.resolve(args) as { body: { tx_signature?: string } | null };
      const { transactions } = runner.memory;
      const of = transactions.filter(({ signature }) => signature === body?.tx_signature);
      all.claimed.push(of.some(({ others }) => others.includes(by)));
    },
    x402Pay: (args, { memory }, by) => {
      const failed = memory.failed.filter((each) => each.by === by);
      all.again.push(failed.some((each) => JSON.stringify(each.args) === JSON.stringify(args)));
    },
    'time.advance': (args, { memory, world }) => {
      const to = world.nowMs() + durationMs((args as { by: string }).by);
      for (const from of memory.instants) all.ends.push((to - from) / day);
    },
  };
  const commands = COMMANDS.filter(({ name }) => name in measures).map((own): Command => {
    const play: Command['play'] = (step, runner) => {
      measures[own.name]?.(step.with, runner, step.by ?? '');
      return own.play(step, runner);
    };
    return { ...own, play };
  });
  expect((await campaign({ runs: 150, shrinkTimeMs: 0, commands })).found).toBeNull();
  return all;
}

let campaigned: ReturnType<typeof drawnByCampaign> | undefined;
const measured = () => (campaigned ??= drawnByCampaign());

/** A world with ann after its opening and further steps. */
async function afterOpening(steps: readonly Unnumbered[]): Promise<ModelRunner> {
  const { runner, play } = await opened({ agents: 1 });
  const first = opening(runner.names);
  expect(await play([...first, ...numbered(steps, first.length)])).toBeNull();
  return runner;
}

/** How many of 1,000 drawn steps are such. */
function drawnOften(runner: ModelRunner, isSuch: (step: Step) => boolean): number {
  const draw = drawing(1);
  const steps = Array.from({ length: 1_000 }, (_, id) => drawStep(id, COMMANDS, { draw, runner }));
  return steps.filter((step) => step !== null && isSuch(step)).length;
}

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
    await pending.world.close();
    await open.world.close();
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
    await runner.world.close();
  });

  it('are calls under a key more often when its life ends', async () => {
    const body = { amount: 1, token: 'USDC' };
    const runner = await afterOpening([call('savingsDeposit', body, { key: 'k1' })]);
    const isRepeat = (step: Step) => step.do === 'savingsDeposit' && step.with['key'] === 'k1';
    const before = drawnOften(runner, isRepeat);
    await runner.world.advance(86_400_000);
    runner.memory.tokens.set('ann', { text: 'another token', issuedMs: runner.world.nowMs() });
    expect(drawnOften(runner, isRepeat)).toBeGreaterThan(5 * Math.max(10, before));
    await runner.world.close();
  });

  it(
    'are at an edge that no transaction sets, and a base unit to each side of it',
    { tags: ['slow'] },
    async () => {
      const { beyond } = await measured();
      for (const distance of [-1n, 0n, 1n]) expect(beyond).toContain(distance);
    },
  );

  it('are at the edge of any rule of the model', async () => {
    const runner = await afterOpening([]);
    const body = { amount: 1, token: 'SOL', destination: runner.strangers[0] as string };
    const draw = drawing(1);
    const amounts = Array.from({ length: 100 }, () => {
      const { with: args } = draw(atEdge({ do: 'withdraw', by: 'ann', with: { body } }, runner));
      return unitsOf((args['body'] as typeof body).amount, 'SOL');
    });
    await runner.world.close();
    const [rentMinimum, dailyLimit, balance] = [890_880n, 6_666_666_666n, 30_000_000_000n];
    for (const edge of [rentMinimum, dailyLimit + 1n, balance + 1n])
      for (const amount of [edge - 1n, edge]) expect(amounts).toContain(amount);
  });

  it(
    'are made again after they failed, and about transactions that their caller only signed too',
    { tags: ['slow'] },
    async () => {
      const { claimed, again } = await measured();
      expect(claimed).toContain(true);
      expect(again).toContain(true);
    },
  );

  it('come to the millisecond at which a span ends', { tags: ['slow'] }, async () => {
    const { ends } = await measured();
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
