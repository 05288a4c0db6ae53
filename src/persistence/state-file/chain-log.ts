import { List, Map as PMap } from 'immutable';
import type { Execution, InnerInstruction } from '../../chain/engine.js';
import {
  type ChainRecord,
  EMPTY_HISTORY,
  type History,
  type TransactionRecord,
  type WriteRecord,
} from '../../chain/history.js';
import { touchedAccounts } from './accounts.js';
import { anything } from './anything.js';
import { Reader, Writer } from './bytes.js';
import { type Codec, array, big, bytes, flag, nullable, number, struct, text, union } from './codec.js';

/** Records per block, which is decoded as a whole. */
const BLOCK = 256;

/** Members needed of every record; the rest is decoded on demand. */
type Head = 'signature' | 'slot' | 'blockTimeSeconds';
type TransactionBody = Omit<TransactionRecord, Head>;
type Body = TransactionBody | Omit<WriteRecord, Head>;

const inner = struct<InnerInstruction>({
  programIdIndex: number,
  accounts: array(number),
  data: bytes,
  stackHeight: number,
});

/** The result of an execution. Engines provide it lazily; a state file holds all of it. */
const execution = struct<Execution>({
  executed: flag,
  error: anything(),
  logs: array(text),
  unitsConsumed: big,
  returnData: nullable(struct({ programId: text, data: bytes })),
  innerInstructions: nullable(array(array(inner))),
});

const bodies = array(
  union<Body>({
    transaction: {
      bytes,
      requiredSignatures: number,
      accountKeys: array(text),
      error: anything(),
      feeLamports: big,
      execution,
      touched: touchedAccounts,
    },
    write: { touched: touchedAccounts },
  }),
);

/** An encoded block of records. */
class Block {
  readonly #bytes: Uint8Array;
  #bodies: readonly Body[] | null = null;

  constructor(blockBytes: Uint8Array) {
    this.#bytes = blockBytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  at(index: number): Body {
    this.#bodies ??= bodies.read(new Reader(this.#bytes));
    return this.#bodies[index] as Body;
  }
}

/** The position of a record in a state file. */
interface Place {
  readonly block: Block;
  readonly index: number;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/** A transaction from a state file, decoded lazily: for most, only their existence is ever needed. */
class StateTransaction implements TransactionRecord {
  readonly kind = 'transaction';

  constructor(
    readonly signature: string,
    readonly place: Place,
  ) {}

  get slot(): number {
    return this.place.slot;
  }

  get blockTimeSeconds(): number {
    return this.place.blockTimeSeconds;
  }

  get bytes(): Uint8Array {
    return this.#body.bytes;
  }

  get requiredSignatures(): number {
    return this.#body.requiredSignatures;
  }

  get accountKeys(): TransactionRecord['accountKeys'] {
    return this.#body.accountKeys;
  }

  get error(): TransactionRecord['error'] {
    return this.#body.error;
  }

  get feeLamports(): bigint {
    return this.#body.feeLamports;
  }

  get execution(): Execution {
    return this.#body.execution;
  }

  get touched(): TransactionRecord['touched'] {
    return this.#body.touched;
  }

  get #body(): TransactionBody {
    return this.place.block.at(this.place.index) as TransactionBody;
  }
}

/** Accounts written directly, bypassing transactions, from a state file. */
class StateWrite implements WriteRecord {
  readonly kind = 'write';

  constructor(readonly place: Place) {}

  get slot(): number {
    return this.place.slot;
  }

  get blockTimeSeconds(): number {
    return this.place.blockTimeSeconds;
  }

  get touched(): WriteRecord['touched'] {
    return this.place.block.at(this.place.index).touched;
  }
}

/** The block of a record that came from a state file; null for others. */
function blockOf(record: ChainRecord | undefined): Block | null {
  return record instanceof StateTransaction || record instanceof StateWrite ? record.place.block : null;
}

/** The bytes of one block's records. A full block from a state file is reused: a log with its last record has all of it. */
function bytesOfBlock(records: List<ChainRecord>): Uint8Array {
  const known = records.size === BLOCK ? blockOf(records.last()) : null;
  if (known !== null) return known.bytes;
  const to = new Writer();
  bodies.write(to, records.toArray());
  return to.bytes();
}

function writeHeads(to: Writer, log: Iterable<ChainRecord> & ({ size: number } | { length: number })): void {
  to.count('size' in log ? log.size : log.length);
  let [lastSlot, lastSeconds] = [0, 0];
  for (const record of log) {
    const { kind, slot, blockTimeSeconds } = record;
    to.count(kind === 'write' ? 0 : 1);
    if (kind === 'transaction') to.text(record.signature);
    to.number(slot - lastSlot);
    to.number(blockTimeSeconds - lastSeconds);
    [lastSlot, lastSeconds] = [slot, blockTimeSeconds];
  }
}

function writeLog(to: Writer, { log }: History): void {
  writeHeads(to, log);
  for (let at = 0; at < log.size; at += BLOCK) to.raw(bytesOfBlock(log.slice(at, at + BLOCK)));
}

interface ReadHead {
  readonly signature: string | null;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

function readHeads(from: Reader): ReadHead[] {
  const heads: ReadHead[] = [];
  let [slot, blockTimeSeconds] = [0, 0];
  for (let left = from.size(); left > 0; left -= 1) {
    const signature = flag.read(from) ? from.text() : null;
    slot += from.number();
    blockTimeSeconds += from.number();
    heads.push({ signature, slot, blockTimeSeconds });
  }
  return heads;
}

function readLog(from: Reader): History {
  const heads = readHeads(from);
  const blocks = Array.from({ length: Math.ceil(heads.length / BLOCK) }, () => new Block(from.raw()));
  const bySignature = PMap<string, TransactionRecord>().asMutable();
  const log = heads.map(({ signature, slot, blockTimeSeconds }, at): ChainRecord => {
    const block = blocks[Math.floor(at / BLOCK)] as Block;
    const place = { block, index: at % BLOCK, slot, blockTimeSeconds };
    if (signature === null) return new StateWrite(place);
    const record = new StateTransaction(signature, place);
    bySignature.set(signature, record);
    return record;
  });
  return { ...EMPTY_HISTORY, log: List(log), bySignature: bySignature.asImmutable() };
}

/** The history of a chain is its log; the rest is an index of it. */
export const history: Codec<History> = {
  layout: `[kind signature +slot +seconds]${BLOCK}${bodies.layout}`,
  write: writeLog,
  read: readLog,
};

/** A few records, decoded at once. */
export const records: Codec<readonly ChainRecord[]> = {
  layout: `[kind signature +slot +seconds]${bodies.layout}`,
  write: (to, some) => {
    writeHeads(to, some);
    bodies.write(to, some);
  },
  read: (from) => {
    const heads = readHeads(from);
    const read = bodies.read(from);
    if (read.length !== heads.length) throw from.wrong();
    return read.map((body, at): ChainRecord => {
      const { signature, ...when } = heads[at] as ReadHead;
      if (body.kind === 'write') return { ...body, ...when };
      if (signature === null) throw from.wrong();
      return { ...body, ...when, signature };
    });
  },
};
