import { describe, expect, it } from 'vitest';
import type { FaultInput } from '../../../src/runtime/faults-api.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { dumpOf } from '../../support/dump.js';
import { postJson } from '../../support/post-json.js';
import { ENGINES, world, worldWithAgent } from '../../support/world.js';

/** What the payer has in checking, and what the outsider has been paid on chain, in USDC, after checking the invariants. */
async function moneyOf(sim: Simulator): Promise<[checking: number, paid: number]> {
  expect(await sim.invariants()).toEqual([]);
  const [payer = '', outsider = ''] = sim.wallets.map(({ address }) => address);
  const { usdcBase } = await sim.chain.balances(outsider);
  return [sim.books.of(payer)?.checking.USDC ?? 0, Number(usdcBase) / 1e6 - 100_000];
}

/** A fault of the first payment. */
const payFault = (effect: FaultInput['effect'], more: Partial<FaultInput> = {}): FaultInput => ({
  endpoint: 'x402Pay',
  effect,
  when: { times: 1 },
  ...more,
});

/** After the submission of a payment, the chain cannot be asked once. */
const UNREACHABLE_ONCE = payFault('chain-unavailable', { phase: 'chain-confirm' });

/** A payer with 100 USDC in checking and an outsider, and a fault. */
async function troubled(engine: (typeof ENGINES)[number], fault: FaultInput) {
  const { sim, agent: payer } = await worldWithAgent({ usdc: 100, engine });
  const recipient = sim.wallets[1]?.address as string;
  sim.faults.add(fault);
  const pay = (amount: number, idempotencyKey?: string) =>
    payer.pay({ amount, token: 'USDC', recipient }, idempotencyKey === undefined ? {} : { idempotencyKey });
  return { sim, payer, recipient, pay };
}

const LOST = { message: 'fetch failed' };
const PENDING = { code: 'chain_unavailable', details: { status: 'pending' } };
const KEPT = [100, 0];
const RESERVED = [90, 0];
const PAID = [90, 10];

/** What a repeat under the same key does not change, until so much time has passed; and what happens then. */
interface Until {
  readonly wait: string;
  readonly fired: readonly string[];
  readonly money: readonly number[];
}

type FaultCase = [does: string, fault: FaultInput, refusal: object, money: readonly number[], until?: Until];

const LATE = 'delay-transaction';
// More effects are in scenarios/faults.yaml, and at every transfer in test/testing/fuzz/mishaps.test.ts.
const EFFECTS: FaultCase[] = [
  ['is paid once when its response was lost', payFault('lose-response'), LOST, PAID],
  ['is refused in an outage of the oracle', payFault('oracle-outage'), { code: 'oracle_unavailable' }, KEPT],
  ['is voided without a chain', payFault('chain-unavailable'), { code: 'chain_unavailable' }, KEPT],
  ['is voided with an old blockhash', payFault('expire-blockhash'), { code: 'chain_unavailable' }, KEPT],
  [
    'never runs when its transaction is delayed beyond the life of its blockhash',
    payFault(LATE, { delay: '5m' }),
    PENDING,
    RESERVED,
    { wait: '5m', fired: ['transaction.expired'], money: KEPT },
  ],
  [
    'stays pending in the books until the chain confirms it',
    payFault(LATE, { phase: 'chain-confirm', delay: '10s' }),
    PENDING,
    PAID,
    { wait: '10s', fired: ['transaction.confirmed'], money: PAID },
  ],
  ['is settled by the next call after one without a chain', UNREACHABLE_ONCE, PENDING, PAID],
];

describe.each(ENGINES)('payment that meets a fault on %s', (engine) => {
  it.each(EFFECTS)('%s, and is paid once under its key', async (_does, fault, refusal, money, until) => {
    const { sim, pay } = await troubled(engine, fault);
    await expect(pay(10, 'key')).rejects.toMatchObject(refusal);
    expect(await moneyOf(sim)).toEqual(money);
    if (until !== undefined) {
      await expect(pay(10, 'key')).rejects.toMatchObject(refusal);
      expect(await moneyOf(sim)).toEqual(money);
      const fired = await sim.advance(until.wait);
      expect(fired.map(({ kind }) => kind)).toEqual(until.fired);
      expect(await moneyOf(sim)).toEqual(until.money);
    }
    const { receipt } = await pay(10, 'key');
    expect(receipt.amount).toBe(10);
    expect(await moneyOf(sim)).toEqual(PAID);
    expect(await pay(10, 'key')).toMatchObject({ receipt });
  });

  it('ends the HTTP connection, and the payment is in the books', async () => {
    const { sim, recipient } = await troubled(engine, payFault('lose-response'));
    const { token } = await sim.agent(0).signIn();
    const server = await sim.listen();
    const url = `${server.origin}/api/v1/agent/account/x402/pay`;
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'http' };
    const call = () => postJson(url, { amount: 10, token: 'USDC', recipient }, headers);
    await expect(call()).rejects.toThrow('fetch failed');
    expect(await moneyOf(sim)).toEqual(PAID);
    expect((await call()).status).toBe(200);
    expect(await moneyOf(sim)).toEqual(PAID);
  });

  it('stays as unknown as it is in a proof of the books and the chain', async () => {
    const { sim, pay } = await troubled(engine, UNREACHABLE_ONCE);
    await expect(pay(10, 'key')).rejects.toMatchObject(PENDING);
    const before = await dumpOf(sim);
    expect(await sim.invariants()).toEqual([]);
    expect((await dumpOf(sim)) === before).toBe(true);
    expect(sim.bank.books.state.openOutflows.size).toBe(1);
  });
});

it('a deposit is recorded once the delay has passed, although the fault would affect each look-up', async () => {
  const fault = { endpoint: 'deposit', effect: 'delay-transaction', delay: '1h' } as const;
  const { sim, payer } = await troubled('litesvm', fault);
  const tx_signature = await payer.sendToTreasury(5, 'USDC');
  const record = () => payer.deposit({ amount: 5, token: 'USDC', tx_signature });
  for (const waitMs of [1, 3_599_999]) {
    await expect(record()).rejects.toMatchObject({ code: 'transaction_not_confirmed' });
    await sim.advance(waitMs);
  }
  await record();
  expect((await payer.account()).checking.usdc).toBe(105);
  expect(sim.faults.list()).toMatchObject([{ matched: 3, fired: 2 }]);
});

it('a delayed call takes its time on a frozen clock, and what falls due meanwhile happens', async () => {
  const { sim, payer } = await troubled('litesvm', { endpoint: 'account', effect: 'delay', delay: '6h' });
  const before = sim.now().getTime();
  sim.oracle.setApy('USDC', 0.5, { from: new Date(before + 3_600_000).toISOString() });
  await payer.account();
  expect(sim.now().getTime() - before).toBe(6 * 3_600_000);
  const { events } = sim.events.page({ after: 0, limit: 1_000, kind: 'fired' });
  expect(events).toMatchObject([{ body: { event: 'yield.changed', subject: 'USDC' } }]);
});

it('a delay lasts in real time while the clock runs, and ends when the world closes', async () => {
  const sim = await world({ time: 'real' });
  sim.faults.add({ endpoint: 'onboard', effect: 'delay', delay: '60ms', when: { nth: 1 } });
  sim.faults.add({ endpoint: 'onboard', effect: 'delay', delay: '10y', when: { nth: 2 } });
  const from = performance.now();
  await sim.fetch('/api/v1/agent/onboard');
  expect(performance.now() - from).toBeGreaterThanOrEqual(55);
  let isAnswered = false;
  const late = sim.fetch('/api/v1/agent/onboard').finally(() => {
    isAnswered = true;
  });
  await sim.fetch('/api/v1/docs');
  expect(isAnswered).toBe(false);
  await sim.close();
  await late;
});
