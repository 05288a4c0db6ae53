import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { USDC_MINTS } from '../../src/chain/genesis.js';
import { KeyRing } from '../../src/world/keys.js';
import { ENGINES, agentWith, world } from '../support/world.js';

const OF_SOLANA = [
  '11111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'So11111111111111111111111111111111111111112',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  ...Object.values(USDC_MINTS),
];

describe.each(ENGINES)('setting a balance on %s', (engine) => {
  it(
    'is rejected for programs, sysvars, mints, token accounts, the bank and the faucet, and changes nothing',
    { tags: ['slow'] },
    async () => {
      const sim = await world({ engine });
      const { origin } = await sim.listen();
      const control = new ControlClient({ origin });
      const { treasury, usdcMint } = sim.facts;
      const [wallet] = sim.wallets;
      const faucet = new KeyRing(sim.config.seed).derive('faucet').address;
      const refused = [
        ...OF_SOLANA,
        treasury,
        associatedTokenAddress(treasury, usdcMint),
        associatedTokenAddress(wallet?.address ?? '', usdcMint),
        faucet,
      ];
      for (const address of refused)
        for (const token of ['SOL', 'USDC'] as const)
          for (const amount of [0, 5]) {
            await expect(sim.setBalance(address, amount, token), address).rejects.toThrow(RangeError);
            await expect(
              control.do('setBalance', { body: { address, amount, token } }),
              address,
            ).rejects.toMatchObject({ code: 'invalid_request' });
          }
      expect(await sim.invariants()).toEqual([]);
      const agent = await agentWith(sim, 1, { usdc: 10, sol: 1 });
      await agent.withdraw({ amount: 5, token: 'USDC' });
    },
  );

  it('changes a wallet with or without an account', async () => {
    const sim = await world({ engine });
    for (const address of [sim.wallets[0]?.address ?? '', sim.createWallet().address]) {
      await sim.setBalance(address, 3, 'SOL');
      await sim.setBalance(address, 4, 'USDC');
      expect(await sim.chain.balances(address)).toMatchObject({ lamports: 3_000_000_000n });
      await sim.setBalance(address, 0, 'SOL');
      expect(await sim.chain.balances(address)).toMatchObject({ lamports: 0n });
    }
  });
});
