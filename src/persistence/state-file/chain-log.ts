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
import * as c from './codec.js';

/** The address of an account: base58 of 32 bytes, the only form that engines take. */
export const address: c.Codec<string> = c.checked(c.text, isAddress);

/** Records contain accounts before and after; equal ones are written once. */
export const account = c.shared(
  c.struct<Omit<Account, 'rentEpoch'>>({
    lamports: c.big,
    data: c.bytes,
    owner: address,
    executable: c.flag,
  }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

const touched = c.array(
  c.struct<TouchedAccount>({ address, pre: c.nullable(account), post: c.nullable(account) }),
);

const inner = c.struct<InnerInstruction>({
  programIdIndex: c.number,
  accounts: c.array(c.number),
  data: c.bytes,
  stackHeight: c.number,
});

/** The result of an execution. Engines provide it lazily; a state file holds all of it. */
const execution = c.struct<Execution>({
  executed: c.flag,
  error: anyValue(),
  logs: c.array(c.text),
  unitsConsumed: c.big,
  returnData: c.nullable(c.struct({ programId: c.text, data: c.bytes })),
  innerInstructions: c.nullable(c.array(c.array(inner))),
});

export const records: c.Codec<readonly ChainRecord[]> = c.array(
  c.union<ChainRecord>({
    transaction: {
      signature: c.text,
      slot: c.number,
      blockTimeSeconds: c.number,
      bytes: c.bytes,
      requiredSignatures: c.number,
      accountKeys: c.array(c.text),
      error: anyValue(),
      feeLamports: c.big,
      execution,
      touched,
    },
    write: { slot: c.number, blockTimeSeconds: c.number, isAfterJump: c.flag, touched },
  }),
);

/** The indices of a history follow from its log. */
export const history: c.Codec<History> = c.checked(
  c.via(records, {
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
