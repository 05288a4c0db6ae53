import { describe, expect, it } from 'vitest';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { USDC_MINTS } from '../../src/chain/genesis.js';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { KeyRing } from '../../src/world/keys.js';
import { deployed } from '../support/programs.js';
import { OF_SOLANA } from '../support/solana-addresses.js';
import { leaveInTreasury } from '../support/thief.js';
import { ENGINES, agentWith, world, worldWithAgent, worldWithCaller } from '../support/world.js';

const INCINERATOR = '1nc1nerator11111111111111111111111111111111';

describe.each(ENGINES)('money on %s', (engine) => {
  it("withdraws the exact amount on chain, creating the token account at the bank's expense", async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, sol: 2, engine });
    const { address } = AgentWallet.generate();
    const usdc = await agent.withdraw({ amount: 12.345678, token: 'USDC', destination: address });
    const sol = await agent.withdraw({ amount: 0.5, token: 'SOL', destination: address });
    expect(await sim.chain.balances(address)).toEqual({ usdcBase: 12_345_678n, lamports: 500_000_000n });
    expect(usdc.balance).toEqual({ token: 'USDC', previous: 100, current: 87.654322 });
    expect(sol.withdrawal.status).toBe('completed');
    // 5,000 lamports per signature, and the rent of the new token account.
    expect(sim.bank.books.state.totals.network_fees.SOL).toBe(5_000n * 2n + 2_039_280n);
  });

  it('returns the amount when the treasury cannot pay the transaction fee', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 10, engine });
    await leaveInTreasury(sim, 'SOL', 0n);
    await expect(agent.withdraw({ amount: 5, token: 'USDC' })).rejects.toMatchObject({
      code: 'chain_unavailable',
      status: 500,
    });
    expect((await agent.account()).checking.usdc).toBe(10);
  });

  it('credits a deposit once when recorded concurrently', async () => {
    const { agent } = await worldWithAgent({ engine });
    const tx_signature = await agent.sendToTreasury(40, 'USDC');
    const body = { amount: 40, token: 'USDC', tx_signature } as const;
    const racers = await Promise.allSettled([1, 2, 3, 4].map(() => agent.deposit(body)));
    expect(racers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await agent.account()).checking.usdc).toBe(40);
  });

  it('reports the expected and the actual mint for a deposit of another mint', async () => {
    const { sim, caller } = await worldWithCaller({ engine });
    const { treasury, usdcMint } = sim.facts;
    const { signature } = await sim.faucet(treasury, 5, 'USDC', 'devnet');
    const body = { amount: 5, token: 'USDC', tx_signature: signature };
    const refused = await caller.post('/agent/account/deposit', body);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        code: 'transaction_not_to_bank',
        details: {
          tx_signature: signature,
          expected_mint: usdcMint,
          on_chain_mints: [USDC_MINTS.devnet],
        },
      },
    ]);
    expect(sim.explain(refused.body.requestId as string)?.text).toContain(
      `expected_mint = ${usdcMint}, on_chain_mints = ["${USDC_MINTS.devnet}"]`,
    );
    const asSol = await caller.post('/agent/account/deposit', { ...body, token: 'SOL' });
    expect(asSol.body.details).toEqual({ tx_signature: signature, on_chain_mints: [USDC_MINTS.devnet] });
  });

  it('points an agent that was paid at its own wallet to deposit', async () => {
    const sim = await world({ engine });
    const bob = await agentWith(sim, 1);
    const { signature } = await sim.faucet(bob.wallet.address, 5, 'USDC');
    await expect(bob.receive({ tx_signature: signature })).rejects.toMatchObject({
      code: 'transaction_not_to_bank',
      message: expect.stringContaining('deposit'),
    });
    const elsewhere = await sim.faucet(AgentWallet.generate().address, 5, 'USDC');
    await expect(bob.receive({ tx_signature: elsewhere.signature })).rejects.toMatchObject({
      code: 'transaction_not_to_bank',
      message: expect.not.stringContaining('deposit'),
    });
  });

  it('pays no program, sysvar, token account or mint, nothing else that no key can sign for, and not the treasury', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 10, sol: 1, engine });
    const keys = new KeyRing('payee');
    const [program, payer] = [keys.derive('program'), keys.derive('payer')];
    await sim.faucet(payer.address, 5, 'SOL');
    await deployed(sim, { program, payer }, memoProgram());
    const { treasury, usdcMint } = sim.facts;
    const tokenAccount = associatedTokenAddress(agent.wallet.address, usdcMint);
    const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
    for (const recipient of [
      ...OF_SOLANA,
      INCINERATOR,
      token2022,
      program.address,
      treasury,
      tokenAccount,
      usdcMint,
    ])
      for (const token of ['USDC', 'SOL'] as const) {
        const refusal = { code: 'invalid_wallet', details: { wallet: recipient } };
        const withdrawn = agent.withdraw({ amount: 0.5, token, destination: recipient });
        await expect(withdrawn, `${token} ${recipient}`).rejects.toMatchObject(refusal);
        const paid = agent.pay({ amount: 0.5, token, recipient });
        await expect(paid, `${token} ${recipient}`).rejects.toMatchObject(refusal);
      }
    expect((await agent.account()).checking).toMatchObject({ usdc: 10, sol: 1 });
  });

  it('leaves savings in place whose yield no account can hold', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, engine, oracle: { usdcApy: 1e3 } });
    const protocol = sim.bank.addresses.protocol.address;
    await agent.depositSavings({ amount: 100, token: 'USDC' });
    await sim.advance('5y');
    await agent.withdrawSavings({ amount: 100, token: 'USDC' });
    const before = await sim.chain.balances(protocol);
    await sim.advance('1d');
    expect(await sim.chain.balances(protocol)).toEqual(before);
    expect((await agent.withdraw({ amount: 1, token: 'USDC' })).withdrawal.status).toBe('completed');
  });

  it.each(['USDC', 'SOL'] as const)(
    'recalls savings of others when the treasury is short of %s for a withdrawal',
    async (token) => {
      const { sim, agent } = await worldWithAgent({ usdc: 10, sol: 10, engine, oracle: { solUsd: 1 } });
      const bob = await agentWith(sim, 1, { usdc: 10, sol: 10 });
      await agent.depositSavings({ amount: 8, token });
      await sim.advance('1d');
      await leaveInTreasury(sim, token, token === 'SOL' ? 1_000_000_000n : 0n);
      expect((await bob.withdraw({ amount: 3, token })).withdrawal.status).toBe('completed');
      await expect(bob.withdraw({ amount: 6, token })).rejects.toMatchObject({ code: 'chain_unavailable' });
      expect(await sim.invariants()).toEqual([]);
    },
  );

  it('settles at later midnights the savings that the treasury could not pay at the first', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 1_000, engine });
    await agent.depositSavings({ amount: 500, token: 'USDC' });
    await leaveInTreasury(sim, 'USDC', 200_000_000n);
    const fired = await sim.advance('3d');
    expect(fired.map(({ kind }) => kind)).toEqual(['savings.settled', 'savings.settled', 'savings.settled']);
    expect(sim.books.totals().protocol.USDC).toBe(200);
    await agentWith(sim, 1, { usdc: 400 });
    await sim.advance('1d');
    expect(sim.books.totals().protocol.USDC).toBe(500);
    expect(await sim.advance('30d')).toEqual([]);
    expect(await sim.invariants()).toEqual([]);
  });
});
