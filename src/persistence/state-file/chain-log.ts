import { List, Map as PMap } from 'immutable';
import type { Account, Execution, InnerInstruction } from '../../chain/engine.js';
import {
  type ChainRecord,
  EMPTY_HISTORY,
  type History,
  type TouchedAccount,
  type TransactionRecord,
  type WriteRecord,
  indexed,
  withJump,
} from '../../chain/history.js';
import { isAddress } from '../../core/domain/inputs.js';
import { anyValue } from './any-value.js';
import { type Blocking, Blocks, writeBlocks } from './blocks.js';
import {
  type Codec,
  type Kinds,
  array,
  big,
  bytes,
  checked,
  differences,
  flag,
  nullable,
  number,
  shared,
  struct,
  sums,
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

/** A record's effects on accounts. */
const touchedAccounts = array(
  struct<TouchedAccount>({ address, pre: nullable(account), post: nullable(account) }),
);

/** Members needed of every record; the rest is decoded on demand. */
interface Head {
  /** Null for accounts that were written directly, empty for those after a jump of time. */
  readonly signature: string | null;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

type Body = Omit<TransactionRecord, keyof Head> | Omit<WriteRecord, keyof Head | 'isAfterJump'>;

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

const BODIES: Kinds<Body> = {
  transaction: {
    bytes,
    requiredSignatures: number,
    accountKeys: array(text),
    error: anyValue(),
    feeLamports: big,
    execution,
    touched: touchedAccounts,
  },
  write: { touched: touchedAccounts },
};

const bodies = array(union<Body>(BODIES));

const BLOCKING: Blocking<Body> = { length: 256, ...bodies };

/** A record from a state file. Its body is decoded on access: for most records, only their existence is ever needed. */
class StateRecord {
  readonly #blocks: Blocks<Body>;
  readonly #index: number;

  constructor({ signature, ...when }: Head, blocks: Blocks<Body>, index: number) {
    Object.assign(this, isWrite(signature) ? written(signature) : { kind: 'transaction', signature }, when);
    this.#blocks = blocks;
    this.#index = index;
  }

  static {
    for (const name of Object.keys(BODIES.transaction) as (keyof Body)[])
      Object.defineProperty(this.prototype, name, {
        get(this: StateRecord) {
          return this.#blocks.at(this.#index)[name];
        },
      });
  }

  /** The blocks of a record that came from a state file; null for others. */
  static blocksOf(record: unknown): Blocks<Body> | null {
    return record instanceof StateRecord ? record.#blocks : null;
  }
}

/** Slots and times are written as differences. */
const heads: Codec<readonly Head[]> = via(
  array(struct<Head>({ signature: nullable(text), slot: number, blockTimeSeconds: number })),
  {
    encode: (all) => withTimes(all, differences),
    decode: (coded) => withTimes(coded, sums),
  },
);

function withTimes(all: readonly Head[], change: (numbers: readonly number[]) => number[]): Head[] {
  const slots = change(all.map(({ slot }) => slot));
  const seconds = change(all.map(({ blockTimeSeconds }) => blockTimeSeconds));
  return all.map(({ signature }, at) => ({
    signature,
    slot: slots[at] as number,
    blockTimeSeconds: seconds[at] as number,
  }));
}

function headOf(record: ChainRecord): Head {
  const { slot, blockTimeSeconds } = record;
  const signature = record.kind === 'transaction' ? record.signature : record.isAfterJump ? '' : null;
  return { signature, slot, blockTimeSeconds };
}

const isWrite = (signature: string | null): signature is '' | null => signature === null || signature === '';

const written = (signature: '' | null): Pick<WriteRecord, 'kind' | 'isAfterJump'> => ({
  kind: 'write',
  isAfterJump: signature !== null,
});

export const history: Codec<History> = {
  layout: `[kind signature +slot +seconds]${BLOCKING.length}${bodies.layout}`,
  write: (to, { log }) => {
    heads.write(to, log.toArray().map(headOf));
    const at = (index: number) => log.get(index) as ChainRecord;
    const blocksOf = (index: number) => StateRecord.blocksOf(at(index));
    writeBlocks(to, { size: log.size, at, blocksOf }, BLOCKING);
  },
  read: (from) => {
    const all = heads.read(from);
    const blocks = Blocks.from(from, all.length, BLOCKING);
    const log = all.map((head, at) => new StateRecord(head, blocks, at) as unknown as ChainRecord);
    const bySignature = PMap(
      log.flatMap((record) => (record.kind === 'transaction' ? [[record.signature, record] as const] : [])),
    );
    const jumps = log.reduce(
      (found, record, at) => withJump(found, record, log[at - 1]),
      EMPTY_HISTORY.jumps,
    );
    if (jumps.some(({ slot, skipped }) => !(skipped >= 0 && slot > skipped))) throw from.wrong();
    return { ...EMPTY_HISTORY, log: List(log), bySignature, jumps };
  },
};

/**
 * The history with its full blocks of records as bytes, which take a fraction of the memory and keep nothing of the engine alive; the last
 * records stay as they are. The index by address is brought up to date first, so that it needs none of them.
 */
export function compactedHistory(given: History): History {
  const { length } = BLOCKING;
  const whole = indexed(given);
  const { log } = whole;
  const count = Math.floor(log.size / length);
  let first = count;
  while (first > 0 && StateRecord.blocksOf(log.get(first * length - 1)) === null) first -= 1;
  if (first === count) return whole;
  const before = first === 0 ? null : StateRecord.blocksOf(log.get(first * length - 1));
  const added = log.slice(first * length, count * length).toArray();
  const blocks = (before ?? Blocks.empty(BLOCKING)).with(
    Array.from({ length: count - first }, (_, at) => added.slice(at * length, (at + 1) * length)),
  );
  const records = added.map(
    (record, at) => new StateRecord(headOf(record), blocks, first * length + at) as unknown as ChainRecord,
  );
  return {
    ...whole,
    log: log.withMutations((all) => {
      for (const [at, record] of records.entries()) all.set(first * length + at, record);
    }),
    bySignature: whole.bySignature.withMutations((all) => {
      for (const record of records) if (record.kind === 'transaction') all.set(record.signature, record);
    }),
  };
}

/** A few records, decoded at once. */
export const records: Codec<readonly ChainRecord[]> = {
  layout: `[kind signature +slot +seconds]${bodies.layout}`,
  write: (to, some) => {
    heads.write(to, some.map(headOf));
    bodies.write(to, some);
  },
  read: (from) => {
    const all = heads.read(from);
    const read = bodies.read(from);
    if (read.length !== all.length) throw from.wrong();
    return read.map((body, at): ChainRecord => {
      const { signature, ...when } = all[at] as Head;
      if (body.kind === 'write') {
        if (!isWrite(signature)) throw from.wrong();
        return { ...body, ...when, ...written(signature) };
      }
      if (isWrite(signature)) throw from.wrong();
      return { ...body, ...when, signature };
    });
  },
};
