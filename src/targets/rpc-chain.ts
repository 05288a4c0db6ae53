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

/** Waits until a transaction is confirmed, or has failed; gives its error, null for none. Rejects with ChainRefusal. */
async function confirmed(connection: Connection, signature: string): Promise<unknown> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (performance.now() < untilMs) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0] ?? null;
    if (status !== null && status.err !== null) return status.err;
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return null;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  throw new ChainRefusal(`not confirmed within ${PATIENCE_MS / 1_000} s`);
}

/** How a chain behind a JSON-RPC URL is used. */
export interface RpcChainOptions {
  readonly url: string;
  readonly usdcMint: () => Promise<string>;
  /** Whether transactions are waited for; a simulator runs them at once, and its time may stand still. */
  readonly waits: boolean;
}

/** The chain behind a JSON-RPC URL. */
export function rpcChain({ url, usdcMint, waits }: RpcChainOptions): ChainAccess {
  const connection = new Connection(url, { commitment: 'confirmed' });
  const latestBlockhash = () => connection.getLatestBlockhash();
  const send = async (bytes: Uint8Array, skipPreflight: boolean): Promise<{ signature: string }> => {
    let signature: string;
    try {
      signature = await connection.sendRawTransaction(bytes, { skipPreflight });
    } catch (error) {
      throw new ChainRefusal((error as Error).message.split('\n')[0] ?? 'refused');
    }
    const error = waits ? await confirmed(connection, signature) : null;
    if (error !== null && !skipPreflight) throw new ChainRefusal(nameOf(error));
    return { signature };
  };
  return {
    latestBlockhash,
    sendTransaction: (bytes) => send(bytes, false),
    untried: { latestBlockhash, sendTransaction: (bytes) => send(bytes, true) },
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
