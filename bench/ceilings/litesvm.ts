import { createRequire } from 'node:module';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { SYSTEM_PROGRAM, bytesOf } from '../../src/chain/solana/addresses.js';
import { ensure } from '../measure.js';
import { type RawEngine, rawAccounts, signedTransfers } from './engine.js';

type KitTransaction = Parameters<LiteSVM['sendTransaction']>[0];
type KitAccount = Parameters<LiteSVM['setAccount']>[0];

interface Kit {
  getTransactionDecoder(): { decode(bytes: Uint8Array): KitTransaction };
}

interface NativeVm {
  setBlockhashCheck(check: boolean): void;
  setAccount(address: Uint8Array, account: object): void;
  sendLegacyTransaction(bytes: Uint8Array): object;
}

interface Native {
  LiteSvm: new () => NativeVm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => object;
}

const require = createRequire(import.meta.url);
// litesvm's public API takes transactions of its own @solana/kit.
const kit = createRequire(require.resolve('litesvm'))('@solana/kit') as Kit;
// Any value will do: the blockhash check is off.
const BLOCKHASH = SYSTEM_PROGRAM;

/** litesvm through its public API: signatures checked, blockhashes not. */
export function litesvm(): RawEngine {
  const vm = new LiteSVM().withBlockhashCheck(false);
  for (const [address, { owner, data, ...account }] of rawAccounts()) {
    const encoded = { ...account, address, data, programAddress: owner, space: BigInt(data.length) };
    vm.setAccount(encoded as object as KitAccount);
  }
  return {
    prepare: async (count) => {
      const decoder = kit.getTransactionDecoder();
      const transactions = signedTransfers(count, BLOCKHASH).map((bytes) => decoder.decode(bytes));
      return async () => {
        for (const transaction of transactions) {
          const result = await Promise.resolve(vm.sendTransaction(transaction));
          ensure(!(result instanceof FailedTransactionMetadata), 'a transfer failed');
        }
      };
    },
  };
}

/** litesvm below its JavaScript wrapper, which encodes every transaction again. */
export function litesvmInternal(): RawEngine {
  const native = require('litesvm/dist/internal.js') as Native;
  const vm = new native.LiteSvm();
  vm.setBlockhashCheck(false);
  for (const [address, { lamports, data, owner, executable }] of rawAccounts()) {
    vm.setAccount(bytesOf(address), new native.Account(lamports, data, bytesOf(owner), executable, 0n));
  }
  return {
    prepare: async (count) => {
      const transactions = signedTransfers(count, BLOCKHASH);
      return async () => {
        for (const bytes of transactions) {
          const result = await Promise.resolve(vm.sendLegacyTransaction(bytes));
          ensure(!(result instanceof FailedTransactionMetadata), 'a transfer failed');
        }
      };
    },
  };
}
