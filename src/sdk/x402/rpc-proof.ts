import type { FetchLike } from '../../core/fetch.js';
import type { Arrival, PaymentProof } from './ports.js';
import { rpcCall } from '../client/chain-at.js';

interface TokenBalance {
  readonly mint?: string;
  readonly owner?: string;
  readonly uiTokenAmount?: { readonly amount?: string };
}

interface ToldTransaction {
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances?: readonly TokenBalance[];
    readonly postTokenBalances?: readonly TokenBalance[];
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  } | null;
}

type Wanted = Parameters<PaymentProof['arrived']>[0];

function held(balances: readonly TokenBalance[] | undefined, { payTo, asset }: Wanted): bigint {
  let sum = 0n;
  for (const { mint, owner, uiTokenAmount } of balances ?? [])
    if (mint === asset && owner === payTo) sum += BigInt(uiTokenAmount?.amount ?? 0);
  return sum;
}

function arrivedIn({ transaction, meta }: ToldTransaction, wanted: Wanted): Arrival {
  if (meta === null || meta.err !== null) return { kind: 'missing', reason: 'the transaction failed' };
  if (wanted.token === 'USDC') {
    const amountBase = held(meta.postTokenBalances, wanted) - held(meta.preTokenBalances, wanted);
    return { kind: 'arrived', amountBase };
  }
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const at = [...transaction.message.accountKeys, ...writable, ...readonly].indexOf(wanted.payTo);
  const change = BigInt(meta.postBalances[at] ?? 0) - BigInt(meta.preBalances[at] ?? 0);
  return { kind: 'arrived', amountBase: change };
}

/** Payment proof by a Solana node: any JSON-RPC URL, such as the one printed by `sim start`. A payment must be `confirmed`. */
export function rpcProof(url: string, fetcher?: FetchLike): PaymentProof {
  return {
    arrived: async (wanted) => {
      const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
      const params = [wanted.signature, config];
      try {
        const told = await rpcCall<ToldTransaction | null>(url, 'getTransaction', params, fetcher);
        if (told !== null) return arrivedIn(told, wanted);
        const signatures = [[wanted.signature]];
        const found = await rpcCall<{ value: unknown[] }>(url, 'getSignatureStatuses', signatures, fetcher);
        return found.value[0] === null
          ? { kind: 'missing', reason: 'the chain does not have the transaction' }
          : { kind: 'unreachable', reason: 'the transaction is not confirmed yet' };
      } catch (error) {
        return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
