import { transferLamports, transferTokens } from '../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import type { Simulator } from '../../src/simulator/simulator.js';

/** The fee of a transaction with one signature, in lamports. */
export const FEE_LAMPORTS = 5_000n;

/** Takes all but so much from the treasury, as a thief of its key would. */
export async function leaveInTreasury(
  sim: Simulator,
  token: 'SOL' | 'USDC',
  leftBase: bigint,
): Promise<void> {
  const { treasury, usdcMint: mint } = sim.bank.addresses;
  const { lamports, usdcBase } = await sim.chain.balances(treasury.address);
  const to = sim.wallets[9]?.address ?? '';
  const theft =
    token === 'SOL'
      ? transferLamports(treasury.address, to, lamports - leftBase - FEE_LAMPORTS)
      : transferTokens(treasury.address, to, { mint, amountBase: usdcBase - leftBase, decimals: 6 });
  const { blockhash } = sim.chain.latestBlockhash();
  await sim.chain.sendTransaction(buildTransaction([theft], [treasury], blockhash));
}
