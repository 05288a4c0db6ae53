import { describe, expect, it } from 'vitest';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { KeyRing } from '../../src/world/keys.js';
import { MINTS, OF_SOLANA } from '../support/solana-addresses.js';
import { ENGINES, agentWith, controlOf, world, worldWithControl } from '../support/world.js';

describe.each(ENGINES)('setting a balance on %s', (engine) => {
  it(
    'is rejected for programs, sysvars, mints, token accounts, the bank and the faucet, and changes nothing',
    { tags: ['slow'] },
    async () => {
      const sim = await world({ engine });
      const control = controlOf(sim);
      const { treasury, usdcMint } = sim.facts;
      const [wallet] = sim.wallets;
      const faucet = new KeyRing(sim.config.seed).derive('faucet').address;
      const protocol = new KeyRing(sim.config.seed).derive('lending-protocol').address;
      const refused = [
        ...OF_SOLANA,
        ...MINTS,
        treasury,
        associatedTokenAddress(treasury, usdcMint),
        associatedTokenAddress(wallet?.address ?? '', usdcMint),
        faucet,
        protocol,
      ];
      for (const address of refused)
        for (const token of ['SOL', 'USDC'] as const)
          for (const amount of [0, 5])
            await expect(sim.setBalance(address, amount, token), address).rejects.toThrow(RangeError);
      const body = { address: treasury, amount: 5, token: 'SOL' } as const;
      await expect(control.do('setBalance', { body })).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await sim.invariants()).toEqual([]);
      const agent = await agentWith(sim, 1, { usdc: 10, sol: 1 });
      await agent.withdraw({ amount: 5, token: 'USDC' });
    },
  );

  it('to 0 SOL leaves no account', async () => {
    const sim = await world({ engine });
    const { address } = sim.createWallet();
    for (const amount of [3, 0]) await sim.setBalance(address, amount, 'SOL');
    expect(await sim.chain.getAccount(address)).toBeNull();
  });
});

describe.each(ENGINES)('an amount of SOL that no account can hold, on %s', (engine) => {
  it('is refused wherever an operator or a wallet names it, and nothing moves', async () => {
    const { sim, control } = await worldWithControl({ engine });
    const agent = await agentWith(sim, 0);
    const { address } = agent.wallet;
    const before = await sim.chain.balances(address);
    // 2^64 lamports are 18,446,744,073.709551616 SOL.
    for (const amount of [18_446_744_074, 36_893_488_148, 1e12]) {
      for (const call of [
        () => sim.faucet(address, amount, 'SOL'),
        () => sim.setBalance(address, amount, 'SOL'),
        () => sim.createFundedWallet({ SOL: amount }),
        () => agent.fund(amount, 'SOL'),
      ])
        await expect(call).rejects.toThrow(/^no account on Solana can hold \d+ base units/);
      for (const call of [
        () => control.do('faucet', { body: { address, amount, token: 'SOL' } }),
        () => control.do('setBalance', { body: { address, amount, token: 'SOL' } }),
        () => control.do('deposit', { body: { wallet: address, amount, token: 'SOL' } }),
        () => control.do('createWallet', { body: { SOL: amount } }),
      ])
        await expect(call).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await sim.chain.balances(address)).toEqual(before);
    await sim.setBalance(address, 18_446_744_073, 'SOL');
    expect(await sim.chain.balances(address)).toMatchObject({ lamports: 18_446_744_073_000_000_000n });
  });
});
