import { ClusterReader } from '../../chain/cluster/reader.js';
import { RpcNode } from '../../chain/cluster/rpc.js';
import type { Account } from '../../chain/engine.js';
import { tokenHolding } from '../../chain/solana/token-accounts.js';
import type { FetchLike } from '../../core/fetch.js';
import type { PaymentProof } from './ports.js';

type Wanted = Parameters<PaymentProof['arrived']>[0];

/** What an account holds of the token of a payment for its receiver. */
function heldAt(address: string, account: Account | null, { token, payTo, asset }: Wanted): bigint {
  if (token === 'SOL') return address === payTo ? (account?.lamports ?? 0n) : 0n;
  const holding = tokenHolding(account);
  return holding?.mint === asset && holding.owner === payTo ? holding.amountBase : 0n;
}

/**
 * Payment proof by a Solana node: any JSON-RPC URL, such as the one printed by `sim start`. `confirmed` is enough for a receipt of the
 * bank, which waits for that commitment itself.
 */
export function rpcProof(url: string, fetcher?: FetchLike): PaymentProof {
  const reader = new ClusterReader(new RpcNode(url, fetcher));
  return {
    arrived: async (wanted) => {
      try {
        const record = await reader.transaction(wanted.signature);
        if (record === null) return { kind: 'missing', reason: 'the chain does not have the transaction' };
        if (record.error !== null) return { kind: 'missing', reason: 'the transaction failed' };
        let amountBase = 0n;
        for (const { address, pre, post } of record.touched)
          amountBase += heldAt(address, post, wanted) - heldAt(address, pre, wanted);
        return { kind: 'arrived', amountBase };
      } catch (error) {
        return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
