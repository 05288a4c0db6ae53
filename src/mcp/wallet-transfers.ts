import type { TransactionError } from '../chain/engine.js';
import { ChainRefusal } from '../chain/submission.js';
import { parseTransaction } from '../chain/solana/wire.js';
import { messageOf } from '../core/domain/errors.js';
import { ChainRpcError } from '../sdk/client/chain-at.js';
import type { WalletChain } from './backend.js';
import { remember } from './spending.js';
import { ToolRefusal } from './tool-refusal.js';

/** A transfer on chain. It is signed once, so the chain runs it once, however often it is sent. */
export interface WalletTransfer {
  readonly key: string | null;
  /** Hash of the tool and its arguments. */
  readonly call: string;
  readonly sign: () => Promise<Uint8Array>;
  /** Null until it is signed. */
  bytes: Promise<Uint8Array> | null;
  /** Whether it may have reached the chain. */
  isTried: boolean;
  isMade: boolean;
}

/** The chain's reason for refusing a transaction. Null for other errors, after which the transaction may still have run. */
function reasonIn(error: unknown): TransactionError | null {
  return error instanceof ChainRefusal || error instanceof ChainRpcError ? error.transactionError : null;
}

/** The transfers of one wallet, each at most once under its Idempotency-Key. */
export class WalletTransfers {
  readonly #byKey = new Map<string, WalletTransfer>();
  readonly #chain: WalletChain;

  constructor(chain: WalletChain) {
    this.#chain = chain;
  }

  /** The earlier transfer under this key, or a new one. Throws ToolRefusal `idempotency_key_reused`. */
  begin(key: string | null, call: string, sign: () => Promise<Uint8Array>): WalletTransfer {
    const known = key === null ? undefined : this.#byKey.get(key);
    if (known !== undefined) {
      if (known.call === call) return known;
      throw new ToolRefusal('idempotency_key_reused', messageOf({ code: 'idempotency_key_reused' }));
    }
    const transfer = { key, call, sign, bytes: null, isTried: false, isMade: false };
    if (key !== null) remember(this.#byKey, key, transfer);
    return transfer;
  }

  /**
   * Makes a transfer and resolves to its signature. Rejects with the chain's refusal, and with ToolRefusal `payment_unknown` when an
   * earlier attempt may have succeeded. Afterwards `isTried` is false for a transfer that certainly did not happen.
   */
  async make(transfer: WalletTransfer): Promise<string> {
    try {
      const bytes = await (transfer.bytes ??= transfer.sign());
      await this.#send(transfer, bytes);
      return parseTransaction(bytes).signature;
    } catch (error) {
      if (!transfer.isTried && transfer.key !== null) this.#byKey.delete(transfer.key);
      throw error;
    }
  }

  async #send(transfer: WalletTransfer, bytes: Uint8Array): Promise<void> {
    const wasTried = transfer.isTried;
    transfer.isTried = true;
    try {
      await this.#chain.sendTransaction(bytes);
    } catch (error) {
      const reason = reasonIn(error);
      if (!wasTried) {
        transfer.isTried = reason === null;
        throw error;
      }
      // One that was made is sent again, since a revert undoes it; after 150 blocks that cannot be told any more.
      const isOld = reason === 'BlockhashNotFound';
      if (reason !== 'AlreadyProcessed' && !(isOld && transfer.isMade))
        throw isOld ? unknownOutcome(bytes) : error;
    }
    transfer.isMade = true;
  }
}

function unknownOutcome(bytes: Uint8Array): ToolRefusal {
  return new ToolRefusal(
    'payment_unknown',
    'An earlier call with this key signed the transfer, and its blockhash has expired since: the transfer may or may not have run. Look up its signature before you use another key.',
    { tx_signature: parseTransaction(bytes).signature },
  );
}
