import { SYSTEM_PROGRAM } from '../../chain/solana/addresses.js';
import type { Account } from '../../chain/engine.js';
import type { RpcContext } from './context.js';
import { encodeAccount } from './encoding/account.js';
import { RpcError } from './errors.js';
import type {
  AccountSubscription,
  ChainEvent,
  EventSubscription,
  ProgramSubscription,
} from './subscription-kinds.js';

/** A closed account in notifications. */
const GONE: Account = { lamports: 0n, data: new Uint8Array(0), owner: SYSTEM_PROGRAM, executable: false };

async function encoded(
  context: RpcContext,
  subscription: AccountSubscription | ProgramSubscription,
  address: string,
  account: Account,
): Promise<object | null> {
  try {
    return encodeAccount(account, address, subscription.shape, await context.decimals([account]));
  } catch (error) {
    // Data too long for the requested base58: a notification cannot be refused.
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** The `value` members of the notifications that an event causes for a subscription. */
export async function notificationsOf(
  context: RpcContext,
  subscription: EventSubscription,
  { touched, transaction }: ChainEvent,
): Promise<unknown[]> {
  switch (subscription.kind) {
    case 'account': {
      const change = touched.find(({ address }) => address === subscription.address);
      if (change === undefined) return [];
      const value = await encoded(context, subscription, change.address, change.post ?? GONE);
      return value === null ? [] : [value];
    }
    case 'program': {
      const values: unknown[] = [];
      for (const { address, post } of touched) {
        if (post === null || post.owner !== subscription.program || !subscription.passes(post)) continue;
        const account = await encoded(context, subscription, address, post);
        if (account !== null) values.push({ pubkey: address, account });
      }
      return values;
    }
    case 'logs': {
      if (transaction === null) return [];
      const { signature, error, execution } = transaction;
      return [{ signature, err: error, logs: execution.logs }];
    }
    case 'signature':
      return transaction === null ? [] : [{ err: transaction.error }];
  }
}
