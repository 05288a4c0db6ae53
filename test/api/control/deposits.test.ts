import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { differencesOf } from '../../recording/support.js';
import { dumpOf } from '../../support/dump.js';
import { ENGINES, controlOf, world, worldWithControl } from '../../support/world.js';

const FEES_SOL = 0.01;

describe.each(ENGINES)('deposit command on %s', (engine) => {
  it('funds, sends and records a deposit of a dev wallet or created wallet', async () => {
    const { sim, control } = await worldWithControl({ engine });
    const [dev] = sim.wallets;
    const made = await control.do('createWallet', { body: {} });
    for (const { address, secretKey } of [dev, made] as { address: string; secretKey: string }[]) {
      const before = await sim.chain.balances(address);
      for (const [amount, token] of [
        [100, 'USDC'],
        [0.5, 'SOL'],
      ] as const) {
        const first = await control.do('deposit', { body: { wallet: address, amount, token } });
        expect(first.deposit).toEqual({ amount, token, tx_signature: first.signature, verified: true });
        expect(first.balance).toEqual({ token, previous: 0, current: amount });
        // The same again, at the same instant.
        const again = await control.do('deposit', { body: { wallet: address, amount, token } });
        expect(again.signature).not.toBe(first.signature);
        expect(again.balance.current).toBe(2 * amount);
        expect(sim.chain.getTransaction(again.signature)).toMatchObject({ error: null });
      }
      const after = await sim.chain.balances(address);
      expect(after.usdcBase).toBe(before.usdcBase);
      const spent = Number(before.lamports + (address === dev?.address ? 0n : 10_000_000n) - after.lamports);
      expect(spent / 1e9).toBeLessThan(FEES_SOL);
      const agent = sim.agent(AgentWallet.fromSecretKey(secretKey));
      expect(await agent.account()).toMatchObject({ checking: { usdc: 200, sol: 1 } });
      expect((await agent.transactions()).transactions.map(({ type }) => type)).toEqual(
        Array.from({ length: 4 }, () => 'deposit'),
      );
    }
    expect(await control.do('invariants')).toEqual({ violations: [] });
  });

  it('is recorded without the transaction that it sends, and replays equally', async () => {
    const { sim, control } = await worldWithControl({ engine, seed: 'deposits' });
    await sim.recording.start();
    const { address: wallet } = await control.do('createWallet', { body: {} });
    await control.do('deposit', { body: { wallet, amount: 5, token: 'USDC' } });
    await control.do('deposit', { body: { wallet, amount: 5, token: 'USDC' } });
    const stranger = AgentWallet.generate().address;
    await expect(
      control.do('deposit', { body: { wallet: stranger, amount: 5, token: 'USDC' } }),
    ).rejects.toThrow();
    const text = (await sim.recording.stop()) ?? '';
    expect(text.match(/"command":"deposit"/g)).toHaveLength(3);
    // What the command sent is its effect and no input of its own.
    expect(text).not.toContain('"kind":"send"');
    expect(await differencesOf(text, engine)).toEqual([]);
  });
});

describe('deposit command', () => {
  const ALTERNATIVES = /faucet.*AgentClient.*--secret-key/s;
  const STRANGER = AgentWallet.generate().address;

  it.each([
    ['of a wallet with an unknown secret key', { wallet: STRANGER }, {}, 'secret_key_unknown', ALTERNATIVES],
    ['of an invalid address', { wallet: 'x' }, {}, 'invalid_request', /./],
    ['of less than a base unit', { amount: 0.0000001 }, {}, 'invalid_request', /./],
    ['of a negative amount', { amount: -1 }, {}, 'invalid_request', /./],
    ['in a world with late confirmation', {}, { confirmationSlots: 2 }, 'invalid_request', /2 slots/],
  ])('is rejected %s, and changes nothing', async (_what, ask, options, code, message) => {
    const sim = await world(options);
    const before = await dumpOf(sim);
    const body = { wallet: sim.wallets[0]?.address ?? '', amount: 1, token: 'USDC', ...ask } as const;
    const refusal = { status: 400, code, message: expect.stringMatching(message) as string };
    await expect(controlOf(sim).do('deposit', { body })).rejects.toMatchObject(refusal);
    expect(await dumpOf(sim)).toBe(before);
  });
});
