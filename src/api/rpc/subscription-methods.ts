import type { ExtraMethods } from './dispatcher.js';
import { accountShape } from './encoding/account.js';
import { RPC_CODES, RpcError, invalidParam, limitError } from './errors.js';
import { accountFilter } from './filters.js';
import { blockDetails } from './methods/blocks.js';
import { requireConfirmed } from './methods/transactions.js';
import { TRANSACTION_ENCODINGS } from './encoding/transaction.js';
import type { RpcLimits } from './limits.js';
import { type Params, addressText } from './params.js';
import { isObject } from '../../core/json.js';
import type { PubSub, Wanted } from './pubsub.js';
import type { Subscriber, SubscriptionKind } from './subscription-kinds.js';

function mentions(params: Params): string | null {
  const filter = params.get(0);
  if (filter === 'all' || filter === 'allWithVotes') return null;
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

export function subscriptionMethods(
  pubsub: PubSub,
  subscriber: Subscriber,
  { rpcConnectionSubscriptions, rpcSubscriptions }: RpcLimits,
): ExtraMethods {
  const begin = (wanted: Wanted): number => {
    if (pubsub.countOf(subscriber) >= rpcConnectionSubscriptions)
      throw limitError(
        `Too many subscriptions: a connection may have ${rpcConnectionSubscriptions}; remove some, or open another connection (limit rpcConnectionSubscriptions)`,
      );
    if (pubsub.count >= rpcSubscriptions)
      throw limitError(
        `Too many subscriptions: all connections together may have ${rpcSubscriptions}; remove some (limit rpcSubscriptions)`,
      );
    subscriber.began();
    return pubsub.add(wanted);
  };
  const end = (kind: SubscriptionKind) => (params: Params) => {
    const id = params.integer(0, 'subscription');
    if (!pubsub.remove(id, subscriber, kind))
      throw new RpcError(RPC_CODES.invalidParams, 'Invalid subscription id.');
    return true;
  };
  return {
    accountSubscribe(params) {
      const address = params.address(0, 'pubkey');
      const config = params.config(1);
      const shape = accountShape(config);
      return begin({ kind: 'account', subscriber, address, shape, commitment: config.commitment() });
    },
    programSubscribe(params) {
      const program = params.address(0, 'programId');
      const config = params.config(1);
      const [shape, passes] = [accountShape(config), accountFilter(config)];
      return begin({ kind: 'program', subscriber, program, shape, passes, commitment: config.commitment() });
    },
    logsSubscribe(params) {
      const commitment = params.config(1).commitment();
      return begin({ kind: 'logs', subscriber, mentions: mentions(params), commitment });
    },
    signatureSubscribe(params) {
      const signature = params.signature(0, 'signature');
      const config = params.config(1);
      const isOfReceipt = config.flag('enableReceivedNotification');
      const commitment = config.commitment();
      return begin({ kind: 'signature', subscriber, signature, isOfReceipt, commitment });
    },
    slotSubscribe: () => begin({ kind: 'slot', subscriber }),
    rootSubscribe: () => begin({ kind: 'root', subscriber }),
    slotsUpdatesSubscribe: () => begin({ kind: 'slotsUpdates', subscriber }),
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
      return begin({ kind: 'block', subscriber, mentions: named, commitment, shape });
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
