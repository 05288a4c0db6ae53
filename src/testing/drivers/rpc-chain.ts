import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { blockhashAnswer, statusesAnswer, preflightError } from '../../chain/cluster/answers.js';
import { ClusterReader } from '../../chain/cluster/reader.js';
import { RpcError, RpcNode } from '../../chain/cluster/rpc.js';
import { errorSentence } from '../../chain/solana/errors.js';
import { associatedTokenAddress, tokenAmount } from '../../chain/solana/token-accounts.js';
import type { ChainConnection } from '../../sdk/client/wallet.js';
import { ChainRefusal } from '../../chain/submission.js';
import type { ChainAccess, OnChain } from '../scenario/target.js';
import { tokenUnits } from '../../core/domain/money.js';

const POLL_MS = 250;
const PATIENCE_MS = 60_000;

export interface RpcChainOptions {
  readonly url: string;
  readonly usdcMint: () => Promise<string>;
  /** Whether to wait for confirmation; a simulator executes at once, and its clock may be frozen. */
  readonly waits: boolean;
  /** Calls the node in another way than over the network. */
  readonly fetch?: typeof fetch;
}

export class RpcChain implements ChainAccess {
  readonly #node: RpcNode;
  readonly #reader: ClusterReader;
  readonly #options: RpcChainOptions;
  readonly withoutPreflight: ChainConnection;

  constructor(options: RpcChainOptions) {
    this.#node = new RpcNode(options.url, options.fetch);
    this.#reader = new ClusterReader(this.#node);
    this.#options = options;
    this.withoutPreflight = {
      latestBlockhash: () => this.latestBlockhash(),
      sendTransaction: (bytes) => this.#send(bytes, true),
    };
  }

  async latestBlockhash(): Promise<{ blockhash: string }> {
    const params = [{ commitment: 'confirmed' }];
    return (await this.#node.read('getLatestBlockhash', params, blockhashAnswer)).value;
  }

  sendTransaction(bytes: Uint8Array): Promise<{ signature: string }> {
    return this.#send(bytes, false);
  }

  async balances(address: string): Promise<OnChain> {
    const tokens = associatedTokenAddress(address, await this.#options.usdcMint());
    const [wallet, account] = await this.#reader.accounts([address, tokens]);
    return {
      usdc: tokenUnits('USDC', tokenAmount(account ?? null)),
      sol: tokenUnits('SOL', wallet?.lamports ?? 0n),
    };
  }

  /** Requests SOL from the cluster's faucet. Rejects if the cluster has none. */
  async airdrop(address: string, sol: number): Promise<void> {
    const params = [address, Math.ceil(sol * 1e9)];
    await this.#confirmed(await this.#node.send('requestAirdrop', params, z.string()));
  }

  async #send(bytes: Uint8Array, skipPreflight: boolean): Promise<{ signature: string }> {
    const options = { encoding: 'base64', skipPreflight, preflightCommitment: 'confirmed' };
    const params = [Buffer.from(bytes).toString('base64'), options];
    let signature: string;
    try {
      signature = await this.#node.send('sendTransaction', params, z.string());
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const trial = preflightError(error.data);
      throw new ChainRefusal(trial === null ? error.message : errorSentence(trial.error), trial?.error);
    }
    if (!this.#options.waits) return { signature };
    const error = await this.#confirmed(signature);
    if (error !== null && !skipPreflight) throw new ChainRefusal(errorSentence(error), error);
    return { signature };
  }

  /** Waits until a transaction is confirmed; returns its error, or null. Rejects with ChainRefusal. */
  async #confirmed(signature: string) {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      const { value } = await this.#node.read('getSignatureStatuses', [[signature]], statusesAnswer);
      const { confirmationStatus, err = null } = value[0] ?? {};
      if (confirmationStatus === 'confirmed' || confirmationStatus === 'finalized') return err;
      await pause(POLL_MS);
    }
    throw new ChainRefusal(`not confirmed within ${PATIENCE_MS / 1_000} s`);
  }
}
