import type { Account } from '../../chain/engine.js';
import type { TouchedAccount } from '../../chain/history.js';
import { isAddress } from '../../core/domain/inputs.js';
import { type Codec, array, big, bytes, checked, flag, nullable, shared, struct, text } from './codec.js';

/** The address of an account: base58 of 32 bytes, the only form that engines take. */
export const address: Codec<string> = checked(text, isAddress);

/** Records contain accounts before and after; equal ones are written once. */
export const account = shared(
  struct<Account>({ lamports: big, data: bytes, owner: address, executable: flag }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

/** A record's effects on accounts. */
export const touchedAccounts = array(
  struct<TouchedAccount>({ address, pre: nullable(account), post: nullable(account) }),
);
