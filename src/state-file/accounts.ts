import type { Account } from '../chain/engine.js';
import type { TouchedAccount } from '../chain/history.js';
import { array, big, bytes, flag, nullable, shared, struct, text } from './codec.js';

/** Accounts stand in records before and after: each that is the same is written once. */
export const account = shared(
  struct<Account>({ lamports: big, data: bytes, owner: text, executable: flag }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

/** What a record has done to accounts. */
export const touchedAccounts = array(
  struct<TouchedAccount>({ address: text, pre: nullable(account), post: nullable(account) }),
);
