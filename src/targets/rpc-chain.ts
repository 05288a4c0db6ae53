import { Connection, PublicKey } from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import type { ChainAccess } from '../scenario/target.js';
import { ChainRefusal } from '../library/refusals.js';

const POLL_MS = 250;
const PATIENCE_MS = 60_000;

/** Solana's short name of an error in a status, such as `InsufficientFundsForFee`. */
function nameOf(error: unknown): string {
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** The chain behind a JSON-RPC URL. Transactions are waited for until they are confirmed. */
export function rpcChain(url: string, usdcMint: () => Promise<string>): ChainAccess {
  const connection = new Connection(url, { commitment: 'confirmed', disableRetryOnRateLimit: false });
  const confirmed = async (signature: string): Promise<void> => {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      const { value } = await connection.getSignatureStatuses([signature]);
      const status = value[0] ?? null;
      if (status !== null && status.err !== null) throw new ChainRefusal(nameOf(status.err));
      if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return;
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
    throw new ChainRefusal(`not confirmed within ${PATIENCE_MS / 1_000} s`);
  };
  return {
    latestBlockhash: () => connection.getLatestBlockhash(),
    sendTransaction: async (bytes) => {
      let signature: string;
      try {
        signature = await connection.sendRawTransaction(bytes);
      } catch (error) {
        throw new ChainRefusal((error as Error).message.split('\n')[0] ?? 'refused');
      }
      await confirmed(signature);
      return { signature };
    },
    balances: async (address) => {
      const owner = new PublicKey(address);
      const account = getAssociatedTokenAddressSync(new PublicKey(await usdcMint()), owner, true);
      const [lamports, tokens] = await Promise.all([
        connection.getBalance(owner),
        // There may be no such account.
        connection.getTokenAccountBalance(account).catch(() => null),
      ]);
      return { usdc: Number(tokens?.value.amount ?? 0) / 1e6, sol: lamports / 1e9 };
    },
  };
}
