import type { Bank } from '../bank/bank.js';
import { TOKEN_PROGRAM } from '../chain/solana/addresses.js';
import { ChainUnreachable } from '../chain/backend.js';
import { ClusterChain } from '../chain/cluster/cluster-chain.js';
import { USDC_MINTS } from '../chain/genesis.js';
import { mintOf } from '../chain/solana/token-accounts.js';
import { type ClusterConfig, InvalidOptions } from '../runtime/config.js';
import { DECIMALS, type PerToken, tokenUnits } from '../core/domain/money.js';
import type { Variants } from '../core/domain/variants.js';

/** The least SOL that the treasury needs, to pay for a token account and its fee. */
const LEAST_LAMPORTS = 10_000_000n;

/** Turns an unreachable cluster into InvalidOptions; returns other errors unchanged. */
function startError(error: unknown): unknown {
  return error instanceof ChainUnreachable ? new InvalidOptions(`clusterUrl: ${error.message}`) : error;
}

/**
 * Connects to a cluster that a bank can run on. Throws InvalidOptions when it is unreachable, lacks the USDC
 * mint, or the treasury has no SOL there.
 */
export async function openCluster(
  { url, treasury, usdcMint }: ClusterConfig,
  network: Variants['network'],
): Promise<ClusterChain> {
  const mint = usdcMint ?? USDC_MINTS[network];
  const chain = new ClusterChain({ url, usdcMint: mint, wallMs: Date.now });
  const [wallet, minted] = await chain.getAccounts([treasury.address, mint]).catch((error: unknown) => {
    throw startError(error);
  });
  const decimals = minted?.owner === TOKEN_PROGRAM ? mintOf(minted)?.decimals : undefined;
  if (decimals === undefined) {
    throw new InvalidOptions(
      `usdcMint: ${mint} is not a mint of the token program at ${chain.name}; set the mint (--usdc-mint ADDRESS), or the other network (--variant network=devnet)`,
    );
  }
  if (decimals !== DECIMALS.USDC) {
    throw new InvalidOptions(`usdcMint: ${mint} has ${decimals} decimals; USDC has ${DECIMALS.USDC}`);
  }
  if ((wallet?.lamports ?? 0n) < LEAST_LAMPORTS) {
    throw new InvalidOptions(
      `treasuryKey: the treasury ${treasury.address} has ${tokenUnits('SOL', wallet?.lamports ?? 0n)} SOL at ${chain.name}; it pays all fees and needs at least 0.01 SOL: send it SOL, or use solana airdrop`,
    );
  }
  return chain;
}

/** Starts watching the treasury on a cluster; returns its balances. Throws InvalidOptions. */
export async function openTreasury(bank: Bank): Promise<PerToken<bigint>> {
  try {
    const held = await bank.reconciler.openTreasury();
    if (held === null) throw new Error('the treasury is already being watched');
    return held;
  } catch (error) {
    throw startError(error);
  }
}
