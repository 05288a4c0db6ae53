import { describe, expect, it } from 'vitest';
import { BankError } from '../../../src/sdk/client/client.js';
import type { FaultInput } from '../../../src/runtime/faults-api.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { dumpOf } from '../../support/dump.js';
import { postJson } from '../../support/post-json.js';
import { ENGINES, RawCaller, agentWith, world } from '../../support/world.js';

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
  const sim = await world({ engine });
  const payer = await agentWith(sim, 0, { usdc: 100 });
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
const EFFECTS: FaultCase[] = [
  ['is paid once when its response was lost', payFault('lose-response'), LOST, PAID],
  [
    'is not made when the connection is dropped before',
    { endpoint: '*', effect: 'drop-connection', when: { times: 1 } },
    LOST,
    KEPT,
  ],
  [
    'is refused with an error code of the service at its own status',
    payFault('replace-response', { code: 'daily_limit_exceeded' }),
    { code: 'daily_limit_exceeded', status: 403 },
    KEPT,
  ],
  ['is refused in an outage of the oracle', payFault('oracle-outage'), { code: 'oracle_unavailable' }, KEPT],
  [
    'is answered with an error although the money has moved',
    payFault('replace-response', { phase: 'after-commit', status: 500 }),
    { code: 'injected_fault', status: 500 },
    PAID,
  ],
  ['is voided without a chain', payFault('chain-unavailable'), { code: 'chain_unavailable' }, KEPT],
  ['is voided with an old blockhash', payFault('expire-blockhash'), { code: 'chain_unavailable' }, KEPT],
  [
    'keeps its money reserved until the blockhash of its lost transaction expires',
    payFault('drop-transaction'),
    PENDING,
    RESERVED,
    { wait: '61s', fired: [], money: KEPT },
  ],
  [
    'runs at the time of its delayed transaction, whose receipt its key then returns',
    payFault(LATE, { delay: '30s' }),
    PENDING,
    RESERVED,
    { wait: '30s', fired: ['transaction.arrived'], money: PAID },
  ],
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

  it('is paid twice when its response was lost and it is retried without a key', async () => {
    const { sim, pay } = await troubled(engine, payFault('lose-response'));
    await expect(pay(10)).rejects.toThrow('fetch failed');
    await pay(10);
    expect(await moneyOf(sim)).toEqual([80, 20]);
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

  it('does not run before the delay of its transaction is over', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay-transaction', { delay: '30s' }));
    await expect(pay(10, 'key')).rejects.toMatchObject(PENDING);
    expect(await sim.advance('29s')).toEqual([]);
    const [arrived] = await sim.advance('1s');
    expect((await pay(10, 'key')).receipt.tx_signature).toBe(arrived?.subject);
  });

  it('is answered late', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay', { phase: 'after-commit', delay: '1h' }));
    const before = sim.now().getTime();
    const { receipt } = await pay(10);
    expect(sim.now().getTime() - before).toBe(3_600_000);
    expect(Date.parse(receipt.issued_at)).toBe(before);
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

describe.each(ENGINES)('call that meets a fault on %s', (engine) => {
  it('responds 429 with Retry-After in the error envelope, and nothing is done', async () => {
    const { sim } = await troubled(engine, {
      endpoint: 'account',
      effect: 'replace-response',
      status: 429,
      retryAfter: 7,
    });
    const caller = await RawCaller.signedIn(sim, 0);
    const answer = await caller.get('/agent/account');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.body).toMatchObject({
      code: 'too_many_requests',
      details: { faults: ['fault-1'] },
      requestId: answer.headers.get('x-request-id'),
    });
    await expect(sim.agent(0).account()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 });
    expect((await caller.get('/agent/loans')).status).toBe(200);
    expect(await moneyOf(sim)).toEqual(KEPT);
  });

  it('delays the call on the clock and runs the events due meanwhile', async () => {
    const { sim, payer } = await troubled(engine, { endpoint: 'account', effect: 'delay', delay: '6h' });
    await payer.depositSavings({ amount: 50, token: 'USDC' });
    sim.oracle.setApy('USDC', 0.5, { from: new Date(sim.now().getTime() + 3_600_000).toISOString() });
    const before = sim.now().getTime();
    const { savings } = await payer.account();
    expect(savings).toMatchObject({ usdc: 50 });
    expect(sim.now().getTime() - before).toBe(6 * 3_600_000);
    expect(sim.events.page({ after: 0, limit: 1_000, kind: 'fired' }).events).toMatchObject([
      { body: { event: 'yield.changed', subject: 'USDC' } },
    ]);
    expect(await moneyOf(sim)).toEqual([50, 0]);
  });

  it('a lost withdrawal is pending and then returned', async () => {
    const { sim, payer } = await troubled(engine, { endpoint: 'withdraw', effect: 'drop-transaction' });
    const { withdrawal } = await payer.withdraw({ amount: 10, token: 'USDC' });
    expect(withdrawal.status).toBe('pending');
    expect(await moneyOf(sim)).toEqual(RESERVED);
    await sim.advance('61s');
    expect(await moneyOf(sim)).toEqual(KEPT);
  });

  it('a deposit is refused while it is unconfirmed and while the chain is unreachable, and then recorded', async () => {
    const { sim, payer } = await troubled(engine, {
      endpoint: 'deposit',
      phase: 'chain-confirm',
      effect: 'delay-transaction',
      delay: '10s',
      when: { nth: 1 },
    });
    sim.faults.add({ endpoint: 'deposit', effect: 'chain-unavailable', when: { nth: 2 } });
    const signature = await payer.sendToTreasury(5, 'USDC');
    const record = () => payer.deposit({ amount: 5, token: 'USDC', tx_signature: signature });
    await expect(record()).rejects.toMatchObject({ code: 'transaction_not_confirmed' });
    await expect(record()).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect(await moneyOf(sim)).toEqual(KEPT);
    await sim.advance('10s');
    await record();
    expect(await moneyOf(sim)).toEqual([105, 0]);
    await expect(record()).rejects.toThrow(BankError);
  });

  it('a deposit is recorded once the delay has passed, although the fault would affect each look-up', async () => {
    const { sim, payer } = await troubled(engine, {
      endpoint: 'deposit',
      effect: 'delay-transaction',
      phase: 'chain-confirm',
      delay: '1h',
    });
    const signature = await payer.sendToTreasury(5, 'USDC');
    const record = (amount: number) => payer.deposit({ amount, token: 'USDC', tx_signature: signature });
    for (const waitMs of [1, 3_599_999]) {
      await expect(record(5)).rejects.toMatchObject({ code: 'transaction_not_confirmed' });
      await sim.advance(waitMs);
    }
    await expect(record(6)).rejects.toMatchObject({ code: 'amount_mismatch' });
    const other = await world({ engine, state: await sim.exportState() });
    await other.agent(0).deposit({ amount: 5, token: 'USDC', tx_signature: signature });
    await sim.advance('2h');
    await record(5);
    for (const one of [other, sim]) expect(await moneyOf(one)).toEqual([105, 0]);
    expect(sim.faults.list()).toMatchObject([{ matched: 4, fired: 2 }]);
  });

  it('a revert restores transactions in flight and the counts of faults', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay-transaction', { delay: '30s' }));
    await expect(pay(10, 'key')).rejects.toMatchObject(PENDING);
    const snapshot = await sim.snapshot();
    const dump = await dumpOf(sim);
    for (let round = 1; round <= 2; round += 1) {
      await sim.advance('1m');
      expect(await moneyOf(sim)).toEqual(PAID);
      await sim.revert(snapshot);
      expect(await dumpOf(sim)).toBe(dump);
      expect(await moneyOf(sim)).toEqual(RESERVED);
    }
    expect(sim.faults.list()).toMatchObject([{ fired: 1 }]);
  });
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
