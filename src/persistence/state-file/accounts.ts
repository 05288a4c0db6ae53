import type { Account } from '../../chain/engine.js';
import type { TouchedAccount } from '../../chain/history.js';
import { isAddress } from '../../core/domain/inputs.js';
import { type Codec, array, big, bytes, checked, flag, nullable, shared, struct, text } from './codec.js';

/** The address of an account: base58 of 32 bytes, since an engine takes nothing else. */
export const address: Codec<string> = checked(text, isAddress);

/** Accounts stand in records before and after: each that is the same is written once. */
export const account = shared(
  struct<Account>({ lamports: big, data: bytes, owner: address, executable: flag }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

/** What a record has done to accounts. */
export const touchedAccounts = array(
  struct<TouchedAccount>({ address, pre: nullable(account), post: nullable(account) }),
);
