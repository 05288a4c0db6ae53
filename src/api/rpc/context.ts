import type { Chain } from '../../chain/chain.js';
import type { Account } from '../../chain/engine.js';
import { ChainUnreachable } from '../../chain/backend.js';
import type { TransactionFaultInjector } from '../../chain/transaction-faults.js';
import type { Faucet } from '../../chain/faucet.js';
import type { Submission, SubmitOptions } from '../../chain/submission.js';
import type { WireTransaction } from '../../chain/solana/wire.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import type { Commitment } from '../../chain/slots.js';
import { CommitmentReader } from '../../chain/commitment-reader.js';
import { PendingRequest } from '../pipeline/pending-request.js';
import type { RequestPipeline } from '../pipeline/pipeline.js';
import { type Decimals, decimalsIn } from './encoding/account.js';
import { RPC_CODES, RpcError } from './errors.js';
import type { RpcLimits } from './limits.js';
import type { Config, Params } from './params.js';

export interface RpcWorld {
  readonly chain: Chain;
  readonly faucet: Faucet;
  /** Faults that lose or delay transactions or their confirmation. */
  readonly transactionFaults: TransactionFaultInjector;
  /** The genesis hash of the cluster whose addresses the world uses. */
  readonly genesisHash: string;
  /** The address of the only validator. */
  readonly identity: string;
  readonly limits: RpcLimits;
  /** The milliseconds that transactions over HTTP wait while the clock runs. */
  readonly landingDelayMs: number;
  readonly pipeline: RequestPipeline;
}

/** The versions of Solana's runtime in the engines, for getVersion. */
const CORE_VERSIONS: Readonly<Record<string, string>> = { bankrun: '1.18.0', litesvm: '3.0.0' };

/** What methods share: the chain, a reader of it, and response shapes that many use. */
export class RpcContext {
  readonly chain: Chain;
  readonly view: CommitmentReader;
  readonly coreVersion: string;

  constructor(readonly world: RpcWorld) {
    this.chain = world.chain;
    this.view = new CommitmentReader(world.chain);
    this.coreVersion = CORE_VERSIONS[world.chain.engine.name] ?? '3.0.0';
  }

  /** The commitment of a call. Throws when the chain has not reached its `minContextSlot`. */
  commitment(config: Config): Commitment {
    const commitment = config.commitment();
    this.requireSlot(config, commitment);
    return commitment;
  }

  /** Logs a transaction that was sent without preflight and could not run; a cluster drops it silently. */
  dropped(signature: string, reason: string, requestId: string): void {
    const path = 'sendTransaction';
    const pending = new PendingRequest({ requestId, interface: 'rpc', method: 'RPC', path });
    const message = `dropped, since it was sent with skipPreflight: ${reason}`;
    const code = RPC_CODES.preflightFailure;
    Object.assign(pending.record, { operation: path, status: 200, code, message, input: signature });
    this.world.pipeline.log(pending);
  }

  /** Submits an external transaction; null when it was accepted and its outcome is unknown. Throws RpcError. */
  async submit(wire: WireTransaction, options: SubmitOptions): Promise<Submission | null> {
    if (options.cause?.trouble == null) return this.chain.submitWire(wire, options);
    try {
      return await this.world.transactionFaults.submit(wire, options);
    } catch (error) {
      if (!(error instanceof ChainUnreachable)) throw error;
      throw new RpcError(RPC_CODES.nodeUnhealthy, `Node is unhealthy: ${error.message}`);
    }
  }

  requireSlot(config: Config, commitment: Commitment): void {
    const least = config.integer('minContextSlot');
    const contextSlot = this.chain.slotAt(commitment);
    if (least !== undefined && contextSlot < least) {
      throw new RpcError(RPC_CODES.minContextSlotNotReached, 'Minimum context slot has not been reached', {
        contextSlot,
      });
    }
  }

  /** A result with the slot that it is valid for. */
  at(commitment: Commitment, value: unknown): object {
    return { context: { apiVersion: this.coreVersion, slot: this.chain.slotAt(commitment) }, value };
  }

  decimals(accounts: Iterable<Account | null>): Promise<Decimals> {
    return decimalsIn(accounts, (address) => this.chain.getAccount(address));
  }
}

/** A method of the RPC. Throws RpcError. */
export type Method = (params: Params, context: RpcContext, cause: RequestContext) => unknown;

export type MethodTable = Readonly<Record<string, Method>>;
