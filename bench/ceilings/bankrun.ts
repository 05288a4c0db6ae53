import { createRequire } from 'node:module';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { start } from 'solana-bankrun';
import { bytesOf } from '../../src/chain/solana/addresses.js';
import { ensure } from '../measure.js';
import { type RawEngine, rawAccounts, signedTransfers } from './engine.js';

interface NativeContext {
  readonly banksClient: {
    getLatestBlockhash(): Promise<{ readonly blockhash: string } | null>;
    tryProcessVersionedTransaction(bytes: Uint8Array): Promise<{ readonly result: string | null }>;
  };
  setAccount(address: Uint8Array, account: object): void;
}

interface Native {
  start(programs: [], accounts: []): Promise<NativeContext>;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => object;
}

/** bankrun through its public API. */
export async function bankrun(): Promise<RawEngine> {
  const context = await start([], []);
  for (const [address, { lamports, data, owner, executable }] of rawAccounts()) {
    const info = { lamports: Number(lamports), data, owner: new PublicKey(owner), executable, rentEpoch: 0 };
    context.setAccount(new PublicKey(address), info);
  }
  const client = context.banksClient;
  return {
    prepare: async (count) => {
      const latest = await client.getLatestBlockhash();
      ensure(latest !== null, 'bankrun has no blockhash');
      const transactions = signedTransfers(count, latest[0]).map((bytes) =>
        VersionedTransaction.deserialize(bytes),
      );
      return async () => {
        for (const transaction of transactions) {
          const { result } = await client.tryProcessTransaction(transaction);
          ensure(result === null, `a transfer failed: ${result}`);
        }
      };
    },
  };
}

/** bankrun below its JavaScript wrapper, which serializes every transaction again. */
export async function bankrunInternal(): Promise<RawEngine> {
  const native = createRequire(import.meta.url)('solana-bankrun/dist/internal.js') as Native;
  const context = await native.start([], []);
  for (const [address, { lamports, data, owner, executable }] of rawAccounts()) {
    context.setAccount(bytesOf(address), new native.Account(lamports, data, bytesOf(owner), executable, 0n));
  }
  const client = context.banksClient;
  return {
    prepare: async (count) => {
      const latest = await client.getLatestBlockhash();
      ensure(latest !== null, 'bankrun has no blockhash');
      const transactions = signedTransfers(count, latest.blockhash);
      return async () => {
        for (const bytes of transactions) {
          const { result } = await client.tryProcessVersionedTransaction(bytes);
          ensure(result === null, `a transfer failed: ${result}`);
        }
      };
    },
  };
}
