import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { WebSocket } from 'ws';
import { Collector } from '../support/waiting.js';

export const SYSTEM = '11111111111111111111111111111111';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const TABLES = 'AddressLookupTab1e1111111111111111111111111';

/** An account of an instruction. */
export interface Meta {
  readonly address: string;
  readonly signer?: boolean;
  readonly writable?: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly Meta[];
  readonly data: Uint8Array;
}

/** The address of a key pair. */
export const addressOf = (keys: nacl.SignKeyPair): string => bs58.encode(keys.publicKey);
export const randomAddress = (): string => addressOf(nacl.sign.keyPair());

/** Concatenates bytes: a number is one byte, a bigint eight little-endian bytes, a string a base58 address. */
export function bytes(...parts: (number | bigint | string | Uint8Array | readonly number[])[]): Uint8Array {
  const buffers = parts.map((part) => {
    if (typeof part === 'number') return Buffer.of(part);
    if (typeof part === 'string') return Buffer.from(bs58.decode(part));
    if (typeof part !== 'bigint') return Buffer.from(part);
    const eight = Buffer.alloc(8);
    eight.writeBigUInt64LE(part);
    return eight;
  });
  return new Uint8Array(Buffer.concat(buffers));
}

const u32 = (value: number): number[] => [value, 0, 0, 0];

/** Instructions as their programs document them. */
export const instructions = {
  transfer: (from: string, to: string, lamports: bigint): Instruction => ({
    program: SYSTEM,
    accounts: [
      { address: from, signer: true, writable: true },
      { address: to, writable: true },
    ],
    data: bytes(u32(2), lamports),
  }),
  create: (
    payer: string,
    made: string,
    given: { lamports: bigint; space: bigint; owner: string },
  ): Instruction => ({
    program: SYSTEM,
    accounts: [
      { address: payer, signer: true, writable: true },
      { address: made, signer: true, writable: true },
    ],
    data: bytes(u32(0), given.lamports, given.space, given.owner),
  }),
  initializeMint: (mint: string, decimals: number, authority: string): Instruction => ({
    program: TOKEN,
    accounts: [{ address: mint, writable: true }],
    data: bytes(20, decimals, authority, 0),
  }),
  initializeAccount: (account: string, mint: string, owner: string): Instruction => ({
    program: TOKEN,
    accounts: [{ address: account, writable: true }, { address: mint }],
    data: bytes(18, owner),
  }),
  mintTo: (mint: string, account: string, authority: string, amount: bigint): Instruction => ({
    program: TOKEN,
    accounts: [
      { address: mint, writable: true },
      { address: account, writable: true },
      { address: authority, signer: true },
    ],
    data: bytes(7, amount),
  }),
  transferChecked: (from: string, mint: string, to: string, owner: string, amount: bigint): Instruction => ({
    program: TOKEN,
    accounts: [
      { address: from, writable: true },
      { address: mint },
      { address: to, writable: true },
      { address: owner, signer: true },
    ],
    data: bytes(12, amount, 6),
  }),
  memo: (text: string): Instruction => ({ program: MEMO, accounts: [], data: Buffer.from(text) }),
  createTable: (table: string, authority: string, recent: { slot: bigint; bump: number }): Instruction => ({
    program: TABLES,
    accounts: [
      { address: table, writable: true },
      { address: authority, signer: true },
      { address: authority, signer: true, writable: true },
      { address: SYSTEM },
    ],
    data: bytes(u32(0), recent.slot, recent.bump),
  }),
  extendTable: (table: string, authority: string, addresses: readonly string[]): Instruction => ({
    program: TABLES,
    accounts: [
      { address: table, writable: true },
      { address: authority, signer: true },
      { address: authority, signer: true, writable: true },
      { address: SYSTEM },
    ],
    data: bytes(u32(2), BigInt(addresses.length), ...addresses),
  }),
};

const P = 2n ** 255n - 19n;
const D =
  37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n;

function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, base % P];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * factor) % P;
    factor = (factor * factor) % P;
  }
  return result;
}

/** Whether 32 bytes are a point of ed25519: x² = (y² − 1) / (d y² + 1) must be a square. */
function isOnCurve(point: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from([...point].toReversed()).toString('hex')}`) & (2n ** 255n - 1n);
  const square = (y * y) % P;
  const [over, under] = [square - 1n + P, D * square + 1n];
  return power((over * under) % P, (P - 1n) / 2n) !== P - 1n;
}

/** An address that a program derives from seeds, and its bump. */
export function derived(
  program: string,
  ...seeds: readonly (bigint | string)[]
): { address: string; bump: number } {
  for (let bump = 255; ; bump -= 1) {
    const hashed = createHash('sha256')
      .update(bytes(...seeds, bump, program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(hashed)) return { address: bs58.encode(hashed), bump };
  }
}

/** A lookup table and its addresses. */
export interface Table {
  readonly address: string;
  readonly addresses: readonly string[];
}

/** A signed transaction; version 0 when a table is given, else legacy. All lengths stay below 128. */
export function signed(
  blockhash: string,
  signers: readonly nacl.SignKeyPair[],
  list: readonly Instruction[],
  table?: Table,
): Uint8Array {
  const metas = [
    ...signers.map((keys) => ({ address: addressOf(keys), signer: true, writable: true })),
    ...list.flatMap(({ accounts }) => accounts),
    ...list.map(({ program }) => ({ address: program })),
  ];
  const all = [...new Set(metas.map(({ address }) => address))].map((address) => {
    const same = metas.filter((meta: Meta) => meta.address === address) as Meta[];
    return {
      address,
      signer: same.some((meta) => meta.signer),
      writable: same.some((meta) => meta.writable),
    };
  });
  const programs = new Set(list.map(({ program }) => program));
  const inTable = (meta: Meta) =>
    meta.signer !== true && !programs.has(meta.address) && table?.addresses.includes(meta.address) === true;
  const fixed = all.filter((meta) => !inTable(meta));
  const rank = (meta: Meta) => (meta.signer === true ? 0 : 2) + (meta.writable === true ? 0 : 1);
  const keys = fixed.toSorted((a, b) => rank(a) - rank(b));
  const loaded = all.filter(inTable).toSorted((a, b) => rank(a) - rank(b));
  const order = [...keys, ...loaded].map(({ address }) => address);
  const count = (wanted: number) => keys.filter((meta) => rank(meta) === wanted).length;
  const indices = (isWritable: boolean) => {
    const found = loaded
      .filter(({ writable }) => writable === isWritable)
      .map(({ address }) => table?.addresses.indexOf(address) ?? 0);
    return [found.length, ...found];
  };
  const message = bytes(
    table === undefined ? [] : [0x80],
    [signers.length, count(1), count(3), keys.length],
    ...keys.map(({ address }) => address),
    blockhash,
    list.length,
    ...list.map(({ program, accounts, data }) =>
      bytes(
        order.indexOf(program),
        accounts.length,
        accounts.map(({ address }) => order.indexOf(address)),
        data.length,
        data,
      ),
    ),
    ...(table === undefined ? [] : [1, table.address, indices(true), indices(false)]),
  );
  const signatures = signers.map(({ secretKey }) => nacl.sign.detached(message, secretKey));
  return bytes(signers.length, ...signatures, message);
}

/** The signature that identifies a transaction: its first one. */
export const nameOf = (transaction: Uint8Array): string => bs58.encode(transaction.subarray(1, 65));

/** The response to one JSON-RPC call. */
export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

/** JSON-RPC over fetch. */
export class PlainRpc {
  constructor(readonly url: string) {}

  async post(body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  }

  async answer(method: string, ...params: readonly unknown[]): Promise<Answer> {
    return (await this.post({ jsonrpc: '2.0', id: 1, method, params })) as Answer;
  }

  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.answer(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result as T;
  }

  /** The `value` of a response that carries its slot. */
  async value<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return (await this.call<{ value: T }>(method, ...params)).value;
  }
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly params?: { readonly subscription: number; readonly result: unknown };
}

/** Subscriptions over a WebSocket. */
export class PlainSocket {
  readonly #heard = new Collector<Message>();
  #calls = 0;
  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.#heard.add(JSON.parse(data.toString('utf8')) as Message));
  }

  static async open(url: string): Promise<PlainSocket> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new PlainSocket(socket);
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return (await this.#heard.first((message) => message.id === id)).result;
  }

  /** The first notification of a subscription that satisfies the predicate. */
  async first<T>(subscription: unknown, holds: (notification: T) => boolean = () => true): Promise<T> {
    const isIt = ({ params }: Message) => params?.subscription === subscription && holds(params?.result as T);
    return (await this.#heard.first(isIt)).params?.result as T;
  }

  /** The number of notifications of a subscription. */
  count(subscription: unknown): number {
    return this.#heard.all.filter(({ params }) => params?.subscription === subscription).length;
  }

  async close(): Promise<void> {
    const closing = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.close();
    await closing;
  }
}
