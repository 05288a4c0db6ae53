import { describe, expect, it } from 'vitest';
import { BankError } from '../../../src/sdk/client/client.js';
import type { FaultInput } from '../../../src/runtime/faults-api.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, RawCaller, agentWith, world } from '../../support/world.js';

/** Balances of the agents at the bank and on chain, after checking the invariants. */
async function moneyOf(sim: Simulator): Promise<{ checking: number[]; wallets: number[] }> {
  expect(await sim.invariants()).toEqual([]);
  const checking: number[] = [];
  const wallets: number[] = [];
  for (const { address } of sim.wallets.slice(0, 2)) {
    checking.push(sim.bank.books.state.agents.has(address) ? usdcOf(sim, address) : 0);
    wallets.push(Number((await sim.chain.balances(address)).usdcBase) / 1e6);
  }
  return { checking, wallets };
}

function usdcOf(sim: Simulator, wallet: string): number {
  return Number(-(sim.bank.books.state.agents.get(wallet)?.balances.checking.USDC ?? 0n)) / 1e6;
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
async function troubled(engine: (typeof ENGINES)[number], fault: FaultInput | null) {
  const sim = await world({ engine });
  const payer = await agentWith(sim, 0, { usdc: 100 });
  const recipient = sim.wallets[1]?.address as string;
  if (fault !== null) sim.faults.add(fault);
  const pay = (amount: number, idempotencyKey?: string) =>
    payer.pay({ amount, token: 'USDC', recipient }, idempotencyKey === undefined ? {} : { idempotencyKey });
  return { sim, payer, recipient, pay };
}

describe.each(ENGINES)('committed payment with a lost response on %s', (engine) => {
  const fault = payFault('lose-response');

  it('is paid once when retried with the same key', async () => {
    const { sim, pay } = await troubled(engine, fault);
    await expect(pay(10, 'once')).rejects.toThrow('fetch failed');
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    const again = await pay(10, 'once');
    expect(again.receipt.amount).toBe(10);
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
  });

  it('is paid twice when retried without a key', async () => {
    const { sim, pay } = await troubled(engine, fault);
    await expect(pay(10)).rejects.toThrow('fetch failed');
    await pay(10);
    expect(await moneyOf(sim)).toEqual({ checking: [80, 0], wallets: [99_900, 100_020] });
  });

  it('ends the HTTP connection, and the payment is in the books', async () => {
    const { sim, recipient } = await troubled(engine, fault);
    const { token } = await sim.agent(0).signIn();
    const server = await sim.listen();
    const url = `${server.origin}/api/v1/agent/account/x402/pay`;
    const call = () =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'http' },
        body: JSON.stringify({ amount: 10, token: 'USDC', recipient }),
      });
    await expect(call()).rejects.toThrow('fetch failed');
    expect((await moneyOf(sim)).wallets).toEqual([99_900, 100_010]);
    expect((await call()).status).toBe(200);
    expect((await moneyOf(sim)).wallets).toEqual([99_900, 100_010]);
  });
});

describe.each(ENGINES)('fault before the call on %s', (engine) => {
  it('drops the connection, and nothing is done', async () => {
    const { sim, pay } = await troubled(engine, {
      endpoint: '*',
      effect: 'drop-connection',
      when: { times: 1 },
    });
    await expect(pay(10, 'key')).rejects.toThrow('fetch failed');
    expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
    await pay(10, 'key');
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
  });

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
    expect((await caller.get('/agent/loans')).status).toBe(200);
    expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
  });

  it('responds with an error code of the service at its own status', async () => {
    const { sim, pay } = await troubled(
      engine,
      payFault('replace-response', { code: 'daily_limit_exceeded' }),
    );
    await expect(pay(1)).rejects.toMatchObject({ code: 'daily_limit_exceeded', status: 403 });
    expect((await moneyOf(sim)).checking).toEqual([100, 0]);
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
    expect((await moneyOf(sim)).checking).toEqual([50, 0]);
  });

  it('causes an oracle outage for one call only', async () => {
    const { sim, pay } = await troubled(engine, payFault('oracle-outage'));
    await expect(pay(10)).rejects.toMatchObject({ code: 'oracle_unavailable' });
    expect((await moneyOf(sim)).checking).toEqual([100, 0]);
    await pay(10);
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
  });
});

describe.each(ENGINES)('fault after the commit on %s', (engine) => {
  it('responds with an error although the money has moved', async () => {
    const { sim, pay } = await troubled(
      engine,
      payFault('replace-response', { phase: 'after-commit', status: 500 }),
    );
    await expect(pay(10, 'key')).rejects.toMatchObject({ code: 'injected_fault', status: 500 });
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    await pay(10, 'key');
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
  });

  it('delays the response', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay', { phase: 'after-commit', delay: '1h' }));
    const before = sim.now().getTime();
    const { receipt } = await pay(10);
    expect(sim.now().getTime() - before).toBe(3_600_000);
    expect(Date.parse(receipt.issued_at)).toBe(before);
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
  });
});

describe.each(ENGINES)('fault on the way to the chain on %s', (engine) => {
  for (const effect of ['chain-unavailable', 'expire-blockhash'] as const) {
    it(`${effect}: the payment is voided and its allowance returned`, async () => {
      const { sim, pay } = await troubled(engine, payFault(effect));
      await expect(pay(10, 'key')).rejects.toMatchObject({ code: 'chain_unavailable' });
      expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
      await pay(10, 'key');
      expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    });
  }

  it('a lost transaction keeps its money reserved until its blockhash expires, and its key sends no other meanwhile', async () => {
    const { sim, pay } = await troubled(engine, payFault('drop-transaction'));
    await expect(pay(10, 'key')).rejects.toMatchObject({
      code: 'chain_unavailable',
      details: { status: 'pending' },
    });
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_000] });
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
    await sim.advance('61s');
    expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
    await pay(10, 'key');
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
  });

  it('a delayed transaction runs at its time, and its key then returns the receipt', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay-transaction', { delay: '30s' }));
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_000] });
    expect(await sim.advance('29s')).toEqual([]);
    const fired = await sim.advance('1s');
    expect(fired).toMatchObject([{ kind: 'transaction.arrived' }]);
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    const { receipt } = await pay(10, 'key');
    expect(receipt.tx_signature).toBe(fired[0]?.subject);
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
  });

  it('a transaction delayed beyond the life of its blockhash never runs', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay-transaction', { delay: '5m' }));
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect(await sim.advance('5m')).toMatchObject([{ kind: 'transaction.expired' }]);
    expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
  });

  it('late confirmation: the payment stays pending in the books until the chain confirms it', async () => {
    const { sim, pay } = await troubled(
      engine,
      payFault('delay-transaction', { phase: 'chain-confirm', delay: '10s' }),
    );
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect(await sim.advance('10s')).toMatchObject([{ kind: 'transaction.confirmed' }]);
    expect((await pay(10, 'key')).receipt.amount).toBe(10);
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
  });

  it('an unreachable chain after the submission: the next call settles the payment', async () => {
    const { sim, pay } = await troubled(engine, UNREACHABLE_ONCE);
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_010] });
    expect((await pay(10, 'key')).receipt.amount).toBe(10);
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
  });

  it('a proof of the books and the chain leaves a payment as unknown as it is', async () => {
    const { sim, pay } = await troubled(engine, UNREACHABLE_ONCE);
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    const before = await sim.dump();
    expect(await sim.invariants()).toEqual([]);
    expect((await sim.dump()) === before).toBe(true);
    expect(sim.bank.books.state.openOutflows.size).toBe(1);
  });

  it('a lost withdrawal is pending and then returned', async () => {
    const { sim, payer } = await troubled(engine, { endpoint: 'withdraw', effect: 'drop-transaction' });
    const { withdrawal } = await payer.withdraw({ amount: 10, token: 'USDC' });
    expect(withdrawal.status).toBe('pending');
    expect((await moneyOf(sim)).checking).toEqual([90, 0]);
    await sim.advance('61s');
    expect(await moneyOf(sim)).toEqual({ checking: [100, 0], wallets: [99_900, 100_000] });
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
    expect((await moneyOf(sim)).checking).toEqual([100, 0]);
    await sim.advance('10s');
    await record();
    expect((await moneyOf(sim)).checking).toEqual([105, 0]);
    await expect(record()).rejects.toThrow(BankError);
  });

  it('a revert restores transactions in flight and the counts of faults', async () => {
    const { sim, pay } = await troubled(engine, payFault('delay-transaction', { delay: '30s' }));
    await expect(pay(10, 'key')).rejects.toMatchObject({ details: { status: 'pending' } });
    const snapshot = await sim.snapshot();
    const dump = await sim.dump();
    for (let round = 1; round <= 2; round += 1) {
      await sim.advance('1m');
      expect((await moneyOf(sim)).wallets).toEqual([99_900, 100_010]);
      await sim.revert(snapshot);
      expect(await sim.dump()).toBe(dump);
      expect(await moneyOf(sim)).toEqual({ checking: [90, 0], wallets: [99_900, 100_000] });
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
