import { List, Map as PMap } from 'immutable';
import type { Account, Execution, InnerInstruction } from '../../chain/engine.js';
import {
  type ChainRecord,
  EMPTY_HISTORY,
  type History,
  type TouchedAccount,
  withJump,
} from '../../chain/history.js';
import { isAddress } from '../../core/domain/inputs.js';
import { anyValue } from './any-value.js';
import {
  type Codec,
  array,
  big,
  bytes,
  checked,
  flag,
  nullable,
  number,
  shared,
  struct,
  text,
  union,
  via,
} from './codec.js';

/** The address of an account: base58 of 32 bytes, the only form that engines take. */
export const address: Codec<string> = checked(text, isAddress);

/** Records contain accounts before and after; equal ones are written once. */
export const account = shared(
  struct<Omit<Account, 'rentEpoch'>>({ lamports: big, data: bytes, owner: address, executable: flag }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

const touched = array(struct<TouchedAccount>({ address, pre: nullable(account), post: nullable(account) }));

const inner = struct<InnerInstruction>({
  programIdIndex: number,
  accounts: array(number),
  data: bytes,
  stackHeight: number,
});

/** The result of an execution. Engines provide it lazily; a state file holds all of it. */
const execution = struct<Execution>({
  executed: flag,
  error: anyValue(),
  logs: array(text),
  unitsConsumed: big,
  returnData: nullable(struct({ programId: text, data: bytes })),
  innerInstructions: nullable(array(array(inner))),
});

export const records: Codec<readonly ChainRecord[]> = array(
  union<ChainRecord>({
    transaction: {
      signature: text,
      slot: number,
      blockTimeSeconds: number,
      bytes,
      requiredSignatures: number,
      accountKeys: array(text),
      error: anyValue(),
      feeLamports: big,
      execution,
      touched,
    },
    write: { slot: number, blockTimeSeconds: number, isAfterJump: flag, touched },
  }),
);

/** The indices of a history follow from its log. */
export const history: Codec<History> = checked(
  via(records, {
    encode: ({ log }) => log.toArray(),
    decode: (log) => ({
      ...EMPTY_HISTORY,
      log: List(log),
      bySignature: PMap(
        log.flatMap((record) => (record.kind === 'transaction' ? [[record.signature, record] as const] : [])),
      ),
      jumps: log.reduce((found, record, at) => withJump(found, record, log[at - 1]), EMPTY_HISTORY.jumps),
    }),
  }),
  ({ jumps }) => jumps.every(({ slot, skipped }) => skipped >= 0 && slot > skipped),
);
