import { describe, expect, it } from 'vitest';
import { Idempotency } from '../../src/bank/idempotency.js';
import { amountOf } from '../../src/core/domain/money.js';
import { ok } from '../../src/core/domain/result.js';
import { from } from '../persistence/state-file/support.js';
import { dumpOf } from '../support/dump.js';
import { worldWithAgent } from '../support/world.js';

describe('stored idempotent calls', () => {
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
    const saved = () => ok({ savings: { current: amountOf('USDC', 10_000n) } });
    const save = () => idempotency.once(call, 0, async () => saved());
    const [first, repeat] = await Promise.all([save(), save()]);
    expect(repeat).toStrictEqual(first);
    Object.assign(first, { value: 'spoilt' });
    expect(repeat).toStrictEqual(saved());
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
