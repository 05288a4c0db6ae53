import { describe, expect, it } from 'vitest';
import { scenarioTests, test } from '../../../src/testing/vitest/index.js';

describe('world fixture', () => {
  test('is a frozen world with funded agents', async ({ sim, agent }) => {
    const alice = await agent(0, { usdc: 100 });
    expect((await alice.account()).checking.usdc).toBe(100);
    expect(sim.timeMode().kind).toBe('frozen');
    await expect(sim).toBeSound();
  });

  test('shares nothing with the fixture of another test', async ({ agent }) => {
    expect((await (await agent(0)).account()).checking.usdc).toBe(0);
  });

  const unconfirmed = test.extend({ simOptions: { confirmationSlots: 2 } });
  unconfirmed('funds agents where transactions take slots to be confirmed', async ({ agent }) => {
    expect((await (await agent(0, { usdc: 5 })).account()).checking.usdc).toBe(5);
  });

  test('deposits USDC before SOL, and nothing of null or less', async ({ agent }) => {
    await agent(1, { usdc: null, sol: -1 } as object);
    const { transactions } = await (await agent(0, { sol: 1, usdc: 5 })).transactions();
    expect(transactions.map(({ token }) => token)).toEqual(['SOL', 'USDC']);
  });

  test('refuses a balance with a misspelled name', async ({ agent }) => {
    await expect(agent(0, { USDC: 5 } as object)).rejects.toThrow(
      'USDC: there is no such balance; did you mean usdc?',
    );
  });

  const later = test.extend({ simOptions: { startTime: '2030-05-01T00:00:00Z', engine: 'litesvm' } });
  later('takes the options of its test file', async ({ sim }) => {
    expect(sim.now().toISOString()).toBe('2030-05-01T00:00:00.000Z');
    expect(sim.config.engine).toBe('litesvm');
  });

  describe('of a test that fails by a refusal', () => {
    const messages: string[] = [];

    test.fails('(fails)', async ({ agent, onTestFinished }) => {
      onTestFinished(({ task }) => {
        messages.push(...(task.result?.errors ?? []).map(({ message }) => message));
      });
      await (await agent()).withdraw({ amount: 5, token: 'USDC' });
    });

    test.fails('(fails in a fork)', async ({ sim, agent, onTestFinished }) => {
      onTestFinished(({ task }) => {
        messages.push(...(task.result?.errors ?? []).map(({ message }) => message));
      });
      const fork = await sim.fork();
      const own = await agent();
      for (let call = 0; call < 5; call += 1) await own.account();
      await fork.agent(0).withdraw({ amount: 5, token: 'USDC' });
    });

    it('explains it in the message, since its world is gone then, and no call of another world', () => {
      expect(messages).toEqual([
        expect.stringMatching(/insufficient_balance[^]*What to do: Deposit first\./),
        expect.stringMatching(/sim\.explain\('req_\d+'\)\)$/),
      ]);
    });
  });
});

describe('vitest matchers', () => {
  test('compare refusals by code and details', async ({ agent }) => {
    const alice = await agent(0, { usdc: 10 });
    const tooMuch = () => alice.withdraw({ amount: 11, token: 'USDC' });
    await expect(tooMuch).toBeRefusedWith('insufficient_balance', { available: 10, requested: 11 });
    await expect(tooMuch()).not.toBeRefusedWith('daily_limit_exceeded');
    await expect(expect(tooMuch()).not.toBeRefusedWith('daily_limit_exeeded')).rejects.toThrow(
      'there is no code daily_limit_exeeded; did you mean daily_limit_exceeded?',
    );
    await expect(expect(tooMuch).toBeRefusedWith('daily_limit_exceeded')).rejects.toThrow(
      'code: expected "daily_limit_exceeded", got "insufficient_balance"',
    );
    await expect(expect(alice.account()).toBeRefusedWith('invalid_token')).rejects.toThrow(
      'to be refused with invalid_token, but it succeeded',
    );
  });

  test('compare balances on chain', async ({ sim, agent }) => {
    const alice = await agent(0, { usdc: 100 });
    const { address } = alice.wallet;
    await expect(sim).toHoldOnChain(address, { usdc: 99_900, sol: { above: 1 } });
    await expect(expect(sim).toHoldOnChain(address, { usdc: 1 })).rejects.toThrow(
      'usdc: expected 1, got 99900',
    );
  });
});

await scenarioTests('scenarios/savings.yaml', { engine: 'litesvm' });
