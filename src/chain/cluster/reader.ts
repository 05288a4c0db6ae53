import { ChainUnreachable } from '../backend.js';
import type { Account } from '../engine.js';
import type { TransactionRecord } from '../history.js';
import {
  type ListedSignature,
  accountsResponse,
  recordOf,
  signaturesResponse,
  transactionResponse,
} from './answers.js';
import type { RpcNode } from './rpc.js';

/** Maximum accounts, and maximum signatures, per request to a node. Source: Solana's RPC. */
const ACCOUNTS_LIMIT = 100;
const SIGNATURES_LIMIT = 1_000;

const COMMITMENT = { commitment: 'confirmed' } as const;

/** Reads confirmed state from a cluster for the bank. */
export class ClusterReader {
  readonly #node: RpcNode;
  /** The last slot reported by the node. */
  slot = 0;

  constructor(node: RpcNode) {
    this.#node = node;
  }

  async account(address: string): Promise<Account | null> {
    return (await this.accountsAt([address])).accounts[0] ?? null;
  }

  async accounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    const all: (Account | null)[] = [];
    for (let from = 0; from < addresses.length; from += ACCOUNTS_LIMIT) {
      all.push(...(await this.accountsAt(addresses.slice(from, from + ACCOUNTS_LIMIT))).accounts);
    }
    return all;
  }

  /** At most a hundred accounts at one slot, with that slot. */
  async accountsAt(addresses: readonly string[]): Promise<{ slot: number; accounts: (Account | null)[] }> {
    const params = [addresses, { ...COMMITMENT, encoding: 'base64' }];
    const { context, value } = await this.#node.read('getMultipleAccounts', params, accountsResponse);
    this.slot = Math.max(this.slot, context.slot);
    return { slot: context.slot, accounts: value };
  }

  /** A confirmed transaction; null when the node does not know it. */
  async transaction(signature: string): Promise<TransactionRecord | null> {
    const options = { ...COMMITMENT, encoding: 'base64', maxSupportedTransactionVersion: 0 };
    const answered = await this.#node.read('getTransaction', [signature, options], transactionResponse);
    if (answered === null) return null;
    try {
      return recordOf(answered);
    } catch (error) {
      throw new ChainUnreachable(
        `${this.#node.name} gives ${signature} in an unknown format: ${(error as Error).message}`,
        true,
      );
    }
  }

  /** Up to a thousand signatures that reference an address, newest first, back to `until` (exclusive). */
  signatures(
    address: string,
    page: {
      limit?: number;
      before?: string | undefined;
      until?: string | undefined;
      /** The node must have reached this slot. */
      minContextSlot?: number | undefined;
    } = {},
  ): Promise<ListedSignature[]> {
    const options = { ...COMMITMENT, limit: SIGNATURES_LIMIT, ...page };
    return this.#node.read('getSignaturesForAddress', [address, options], signaturesResponse);
  }

  /** All signatures since `until`, newest first; without it, or when the node no longer has it, those from `fromSlot` on. */
  async signaturesSince(
    address: string,
    since: { until: string | undefined; fromSlot: number },
  ): Promise<ListedSignature[]> {
    const all: ListedSignature[] = [];
    for (;;) {
      const page = await this.signatures(address, { before: all.at(-1)?.signature, until: since.until });
      const wanted = page.filter(({ slot }) => slot >= since.fromSlot);
      all.push(...wanted);
      if (page.length < SIGNATURES_LIMIT || wanted.length < page.length) return all;
    }
  }
}
