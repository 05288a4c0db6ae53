import type { ExtraMethods } from './dispatcher.js';
import { SYSTEM_PROGRAM } from '../../chain/solana/addresses.js';
import type { Account } from '../../chain/engine.js';
import type { RpcContext } from './context.js';
import { type AccountShape, accountShape, encodeAccount } from './encoding/account.js';
import { RPC_CODES, RpcError, invalidParam, limitError } from './errors.js';
import { accountFilter } from './filters.js';
import { blockDetails } from './methods/blocks.js';
import { requireConfirmed } from './methods/transactions.js';
import { TRANSACTION_ENCODINGS } from './encoding/transaction.js';
import { type Params, addressText } from './params.js';
import { isObject } from '../../core/json.js';
import type { PubSub, Wanted } from './pubsub.js';
import { type SlotKind, blockNotifications, slotNotifications } from './slot-notifications.js';
import { ANYTHING, type Subscriber, type Subscription } from './subscriptions.js';

/** A closed account in notifications. */
const GONE: Account = { lamports: 0n, data: new Uint8Array(0), owner: SYSTEM_PROGRAM, executable: false };

/** An account in the form of the RPC; null for data too long for the requested base58, since a notification cannot be refused. */
async function encoded(context: RpcContext, account: Account, shape: AccountShape): Promise<object | null> {
  try {
    return encodeAccount(account, shape, await context.decimals([account]));
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** The address that transactions must mention. */
function mentions(params: Params): string {
  const filter = params.get(0);
  if (filter === 'all' || filter === 'allWithVotes') return ANYTHING;
  const list =
    typeof filter === 'object' && filter !== null ? (filter as { mentions?: unknown }).mentions : null;
  if (!Array.isArray(list))
    throw invalidParam('params[0] must be all, allWithVotes or an object with mentions');
  if (list.length !== 1) throw invalidParam('mentions must name exactly one address');
  return addressText(list[0], 'mentions[0]');
}

/** The filter of blockSubscribe. Source: RpcBlockSubscribeFilter of Agave's rpc-client-types. */
function blockMentions(params: Params): string | null {
  const filter = params.get(0);
  if (filter === 'all') return null;
  const { mentionsAccountOrProgram } = isObject(filter) ? filter : {};
  if (mentionsAccountOrProgram === undefined)
    throw invalidParam('params[0] must be all or an object with mentionsAccountOrProgram');
  return addressText(mentionsAccountOrProgram, 'mentionsAccountOrProgram');
}

/** The methods that subscribe to events. */
function eventMethods(context: RpcContext, begin: (wanted: Wanted) => number): ExtraMethods {
  return {
    accountSubscribe(params) {
      const address = params.address(0, 'pubkey');
      const config = params.config(1);
      const shape = accountShape(config);
      return begin({
        kind: 'account',
        subject: address,
        commitment: config.commitment(),
        valuesOf: async ({ touched }) => {
          const change = touched.find((each) => each.address === address);
          if (change === undefined) return [];
          const value = await encoded(context, change.post ?? GONE, shape);
          return value === null ? [] : [value];
        },
      });
    },
    programSubscribe(params) {
      const program = params.address(0, 'programId');
      const config = params.config(1);
      const [shape, passes] = [accountShape(config), accountFilter(config)];
      return begin({
        kind: 'program',
        subject: program,
        commitment: config.commitment(),
        valuesOf: async ({ touched }) => {
          const values: object[] = [];
          for (const { address, post } of touched) {
            if (post === null || post.owner !== program || !passes(post)) continue;
            const account = await encoded(context, post, shape);
            if (account !== null) values.push({ pubkey: address, account });
          }
          return values;
        },
      });
    },
    logsSubscribe(params) {
      const commitment = params.config(1).commitment();
      return begin({
        kind: 'logs',
        subject: mentions(params),
        commitment,
        valuesOf: ({ transaction }) => {
          if (transaction === null) return [];
          const { signature, error, execution } = transaction;
          return [{ signature, err: error, logs: execution.logs }];
        },
      });
    },
    signatureSubscribe(params) {
      const signature = params.signature(0, 'signature');
      const config = params.config(1);
      const isOfReceipt = config.flag('enableReceivedNotification');
      return begin({
        kind: 'signature',
        subject: signature,
        isOfReceipt,
        commitment: config.commitment(),
        valuesOf: ({ transaction }) => (transaction === null ? [] : [{ err: transaction.error }]),
      });
    },
  };
}

export function subscriptionMethods(
  pubsub: PubSub,
  subscriber: Subscriber,
  context: RpcContext,
): ExtraMethods {
  const begin = (wanted: Wanted): number => {
    const { rpcConnectionSubscriptions, rpcSubscriptions } = context.world.limits;
    if (pubsub.countOf(subscriber) >= rpcConnectionSubscriptions)
      throw limitError(
        `Too many subscriptions: a connection may have ${rpcConnectionSubscriptions}; remove some, or open another connection (limit rpcConnectionSubscriptions)`,
      );
    if (pubsub.count >= rpcSubscriptions)
      throw limitError(
        `Too many subscriptions: all connections together may have ${rpcSubscriptions}; remove some (limit rpcSubscriptions)`,
      );
    subscriber.began();
    return pubsub.add(wanted, subscriber);
  };
  const beginSlots = (kind: SlotKind) => () =>
    begin({ kind, resultsOf: (passed) => slotNotifications(context, kind, passed) });
  const end = (kind: Subscription['kind']) => (params: Params) => {
    const id = params.integer(0, 'subscription');
    if (!pubsub.remove(id, subscriber, kind))
      throw new RpcError(RPC_CODES.invalidParams, 'Invalid subscription id.');
    return true;
  };
  return {
    ...eventMethods(context, begin),
    slotSubscribe: beginSlots('slot'),
    rootSubscribe: beginSlots('root'),
    slotsUpdatesSubscribe: beginSlots('slotsUpdates'),
    blockSubscribe(params) {
      const named = blockMentions(params);
      const config = params.config(1);
      const commitment = requireConfirmed(config.commitment());
      const shape = {
        encoding: config.oneOf('encoding', TRANSACTION_ENCODINGS) ?? 'base64',
        max: config.integer('maxSupportedTransactionVersion', 255),
        details: blockDetails(config),
        hasRewards: config.flag('showRewards'),
      };
      const wanted = { mentions: named, commitment, shape };
      return begin({
        kind: 'block',
        resultsOf: (passed) => blockNotifications(context, wanted, passed),
      });
    },
    accountUnsubscribe: end('account'),
    programUnsubscribe: end('program'),
    logsUnsubscribe: end('logs'),
    signatureUnsubscribe: end('signature'),
    slotUnsubscribe: end('slot'),
    rootUnsubscribe: end('root'),
    slotsUpdatesUnsubscribe: end('slotsUpdates'),
    blockUnsubscribe: end('block'),
    // web3.js sends one every five seconds.
    ping: () => 'pong',
  };
}
