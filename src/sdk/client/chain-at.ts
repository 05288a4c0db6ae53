import { setTimeout as pause } from 'node:timers/promises';
import type { TransactionError } from '../../chain/engine.js';
import { associatedTokenAddress, tokenAmount } from '../../chain/solana/token-accounts.js';
import type { ChainConnection } from './wallet.js';

/** An error of a Solana node, with the node's message; also thrown when no node is configured. */
export class ChainRpcError extends Error {
  override readonly name = 'ChainRpcError';

  constructor(
    message: string,
    /** The JSON-RPC error code; null for other failures, such as a transaction that was accepted and failed. */
    readonly code: number | null,
    /** Why the chain refused a transaction, as Solana's JSON has it; null for other failures. */
    readonly transactionError: TransactionError | null = null,
  ) {
    super(message);
  }
}

interface Status {
  readonly confirmationStatus?: string | null;
  readonly err: TransactionError | null;
}

interface AccountInfo {
  readonly executable: boolean;
  readonly lamports: number;
  readonly data: readonly [string, 'base64'];
}

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/**
 * Calls a method of the node at a URL. Rejects with ChainRpcError for an error of the node, and with an Error that does not contain the URL,
 * which may be secret, for a response without JSON-RPC.
 */
async function rpcCall<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json().catch(() => null)) as {
    result?: T;
    error?: { code: number; message: string; data?: { err?: TransactionError | null } | null };
  } | null;
  if (answer?.error !== undefined) {
    const { message, code, data } = answer.error;
    throw new ChainRpcError(message, code, data?.err ?? null);
  }
  if (answer?.result === undefined)
    throw new Error(`the node responded to ${method} with HTTP ${response.status} and no JSON-RPC`);
  return answer.result;
}

/** The value of a response that names its slot. */
async function valueFrom<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  return (await rpcCall<{ value: T }>(url, method, params)).value;
}

/** Waits for a transaction's confirmation. Rejects with ChainRpcError when it fails or is not confirmed in time. */
async function confirmed(url: string, signature: string, patienceMs: number): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const params = [[signature]];
    const [status = null] = await valueFrom<readonly (Status | null)[]>(url, 'getSignatureStatuses', params);
    if (status !== null && status.err !== null)
      throw new ChainRpcError(
        `transaction ${signature} failed: ${JSON.stringify(status.err)}`,
        null,
        status.err,
      );
    const { confirmationStatus } = status ?? {};
    if (confirmationStatus === 'confirmed' || confirmationStatus === 'finalized') return;
    if (performance.now() >= untilMs)
      throw new ChainRpcError(
        `transaction ${signature} is not confirmed after ${patienceMs / 1_000} s; look up its signature before you send again, since it may still run`,
        null,
      );
    await pause(POLL_MS);
  }
}

/** Whether a program is at an address, according to the node at a URL. */
export async function isProgramAt(url: string, address: string): Promise<boolean> {
  const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
  const account = await valueFrom<AccountInfo | null>(url, 'getAccountInfo', [address, options]);
  return account?.executable === true;
}

/** What a wallet holds according to the node at a URL: lamports, and base units of USDC. */
export async function balancesAt(
  url: string,
  { wallet, usdcMint }: { readonly wallet: string; readonly usdcMint: string },
): Promise<{ lamports: bigint; usdcBase: bigint }> {
  const tokens = associatedTokenAddress(wallet, usdcMint);
  const params = [[wallet, tokens], { commitment: 'confirmed', encoding: 'base64' }];
  const accounts = await valueFrom<readonly (AccountInfo | null)[]>(url, 'getMultipleAccounts', params);
  const [own = null, held = null] = accounts;
  const usdcBase = tokenAmount(held && { data: Buffer.from(held.data[0], 'base64') });
  return { lamports: BigInt(own?.lamports ?? 0), usdcBase };
}

/** The chain behind the JSON-RPC URL of a Solana node. Sending waits for the confirmation, by default for at most a minute. */
export function chainAt(
  url: string,
  { patienceMs = PATIENCE_MS }: { patienceMs?: number } = {},
): ChainConnection {
  return {
    latestBlockhash: () => valueFrom(url, 'getLatestBlockhash', [{ commitment: 'confirmed' }]),
    sendTransaction: async (bytes) => {
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
      const params = [Buffer.from(bytes).toString('base64'), options];
      const signature = await rpcCall<string>(url, 'sendTransaction', params);
      await confirmed(url, signature, patienceMs);
      return { signature };
    },
  };
}
