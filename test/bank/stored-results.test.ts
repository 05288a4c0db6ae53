import { describe, expect, it } from 'vitest';
import { Idempotency } from '../../src/bank/idempotency.js';
import { storeResult, storedResults } from '../../src/bank/stored-results.js';
import { type TtlMap, nothing } from '../../src/core/ttl-map.js';
import type { Stored } from '../../src/bank/in-flight-work.js';
import { amountOf } from '../../src/core/domain/money.js';
import { type Result, ok } from '../../src/core/domain/result.js';
import { from } from '../persistence/state-file/support.js';
import { dumpOf } from '../support/dump.js';
import { worldWithAgent } from '../support/world.js';

const digits = (at: number) => String(at).padStart(12, '0');

/** A call as a savings deposit stores it. */
function savedCall(at: number): Stored {
  const balance = (units: number) => ({
    token: 'USDC',
    previous: amountOf('USDC', BigInt(units)),
    current: amountOf('USDC', BigInt(units + 10_000)),
  });
  const id = `157dcf9f-ae4f-4cde-beaf-${digits(at)}`;
  const deposit = { id, amount: amountOf('USDC', 10_000n), token: 'USDC' };
  const value = { success: true, savings_deposit: deposit, checking: balance(at), savings: balance(2 * at) };
  return { hash: `${digits(at).repeat(3)}0123456=`, answer: ok(value), underWay: null };
}

describe('stored idempotent calls', () => {
  it('read back equal among calls of many forms', () => {
    let kept = nothing<Stored>();
    const stored = (at: number): Stored =>
      at % 3 === 0
        ? savedCall(at)
        : { hash: digits(at), answer: at % 3 === 1 ? ok({ [`of-${at}`]: at }) : null, underWay: at };
    const marks: TtlMap<Stored>[] = [];
    for (let at = 0; at < 150; at += 1) {
      kept = storeResult(kept, `${at}`, { value: stored(at), expiresMs: 1_000 + at }, 0);
      marks.push(kept);
    }
    const read = storedResults(kept);
    for (let at = 0; at < 150; at += 1) {
      expect(marks[at]?.values.size).toBe(at + 1);
      for (const calls of [kept, read, marks[at] as TtlMap<Stored>]) {
        const { value, expiresMs } = calls.values.get(`${at}`) ?? {};
        expect({ value, expiresMs }).toStrictEqual({ value: stored(at), expiresMs: 1_000 + at });
      }
    }
  });

  it('are copied for repeats that wait for the first call', async () => {
    const idempotency = new Idempotency(10);
    const call = {
      requestId: null,
      wallet: 'a',
      key: 'k',
      operation: 'o',
      input: {},
      outcomeNow: () => null,
      onRepeat: () => undefined,
    };
    const save = () => idempotency.once(call, 0, async () => savedCall(1).answer as Result<unknown>);
    const [first, repeat] = await Promise.all([save(), save()]);
    expect(repeat).toStrictEqual(first);
    Object.assign(first, { value: 'spoilt' });
    expect(repeat).toStrictEqual(savedCall(1).answer);
  });

  it('do not change when a caller mutates the response object', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100 });
    const authorization = `Bearer ${(await agent.signIn()).token}`;
    const body = { amount: 1, token: 'USDC' };
    const save = async (key: string) => {
      const response = await sim.api.call({ operation: 'savingsDeposit', authorization, body, key });
      return response.body?.body as { savings_deposit: { token: string }; savings: { token: string } };
    };
    const spoilt = await save('a');
    spoilt.savings_deposit.token = 'spoilt';
    await save('b');
    (await save('b')).savings.token = 'spoilt';
    for (const key of ['a', 'b']) {
      const again = await save(key);
      expect([again.savings_deposit.token, again.savings.token]).toEqual(['USDC', 'USDC']);
    }
    const other = await from(await sim.exportState());
    expect(other.bank.state.snapshot().idempotency).toEqual(sim.bank.state.snapshot().idempotency);
    const { bank } = JSON.parse(await dumpOf(other)) as {
      bank: { idempotency: { values: Record<string, { value: { answer: { value: unknown } } }> } };
    };
    const answers = Object.values(bank.idempotency.values).map(({ value }) => value.answer.value);
    expect(answers).toEqual(JSON.parse(JSON.stringify([await save('a'), await save('b')])));
  });
});
