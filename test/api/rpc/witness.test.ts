import {
  AccountRole,
  type Address,
  type Blockhash,
  type Instruction,
  type Nonce,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairFromBytes,
  createTransactionMessage,
  getBase58Decoder,
  getTransactionEncoder,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
} from '@solana/kit';
import { AddressLookupTableProgram, PublicKey, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { NoncePayer } from '../../support/nonce-payer.js';
import { ENGINES, world } from '../../support/world.js';
import { type RpcAnswer, call, result, valueOf } from './support.js';
import { forAllAsync } from '../../support/for-all.js';

const SYSTEM = address('11111111111111111111111111111111');
const BUDGET = address('ComputeBudget111111111111111111111111111111');
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const NOWHERE = bs58.encode(new Uint8Array(32).fill(5));
const AT = { commitment: 'processed' };

/** A number in so many bytes, the lowest first. */
function little(value: number | bigint, bytes: 4 | 8): Uint8Array {
  const data = new DataView(new ArrayBuffer(bytes));
  if (bytes === 4) data.setUint32(0, Number(value), true);
  else data.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(data.buffer);
}

const DAMAGES = {
  signature: (bytes: Uint8Array) => bytes.with(5, (bytes[5] as number) ^ 1),
  last: (bytes: Uint8Array) => bytes.subarray(0, -1),
  more: (bytes: Uint8Array) => Uint8Array.from([...bytes, 0]),
  fewerSignatures: (bytes: Uint8Array) => Uint8Array.from([0, ...bytes.subarray(65)]),
};

/** What a client sends. */
const wish = fc.record({
  version: fc.constantFrom<'legacy' | 0>('legacy', 0),
  hasTable: fc.boolean(),
  transfers: fc.array(
    fc.record({
      to: fc.nat({ max: 5 }),
      lamports: fc.constantFrom(1, 890_879, 890_880, 5_000_000, 2_500_000_000, 4e15),
    }),
    { maxLength: 3 },
  ),
  memo: fc.option(fc.constantFrom('a', 'für später', '"quoted" [7] text')),
  isCosigned: fc.boolean(),
  units: fc.option(fc.constantFrom(300, 60_000, 200_001, 1_400_000, 1_400_001)),
  price: fc.option(fc.constantFrom(1, 999_999, 1_000_000)),
  lifetime: fc.oneof(
    { weight: 4, arbitrary: fc.constant('latest') },
    { weight: 2, arbitrary: fc.constant('nonce') },
    { weight: 1, arbitrary: fc.constant('unknown') },
  ),
  encoding: fc.constantFrom('base64', 'base58'),
  skipPreflight: fc.boolean(),
  isSentAgain: fc.boolean(),
  damage: fc.oneof(
    { weight: 7, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(DAMAGES) as (keyof typeof DAMAGES)[])) },
  ),
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  readonly slot: number;
  readonly blockTime: number;
  readonly version: 'legacy' | 0;
  readonly transaction: {
    readonly signatures: string[];
    readonly message: {
      readonly accountKeys: { pubkey: string; signer: boolean; writable: boolean; source: string }[];
      readonly addressTableLookups?: object[];
    };
  };
  readonly meta: {
    readonly err: unknown;
    readonly fee: number;
    readonly preBalances: number[];
    readonly postBalances: number[];
    readonly logMessages: string[];
    readonly computeUnitsConsumed: number;
    readonly loadedAddresses: object;
  };
}

/** A node's client with a wallet, a nonce account and a lookup table of the wallets. */
class Client {
  readonly #sim: Simulator;
  readonly #wallets: readonly Address[];

  private constructor(
    sim: Simulator,
    readonly nonce: NoncePayer,
    readonly table: Address,
  ) {
    this.#sim = sim;
    this.#wallets = sim.wallets.slice(0, 6).map((each) => address(each.address));
  }

  static async of(sim: Simulator): Promise<Client> {
    const nonce = await NoncePayer.of(sim);
    const { keys } = nonce;
    const payer = keys.publicKey;
    const own = { authority: payer, payer };
    const recentSlot = (await result<number>(sim, 'getSlot', AT)) - 1;
    const [create, table] = AddressLookupTableProgram.createLookupTable({ ...own, recentSlot });
    const addresses = sim.wallets.slice(2, 6).map((each) => new PublicKey(each.address));
    const extend = AddressLookupTableProgram.extendLookupTable({ ...own, lookupTable: table, addresses });
    const transaction = new Transaction({ feePayer: payer, ...sim.chain.latestBlockhash() });
    transaction.add(create, extend).sign(keys);
    await sim.chain.sendTransaction(transaction.serialize());
    await sim.advance('1s');
    return new Client(sim, nonce, address(table.toBase58()));
  }

  /** The transaction that a client wants, as bytes. */
  async signed(of: Wish): Promise<Uint8Array> {
    const [payer, cosigner] = this.#wallets as [Address, Address];
    const signer = { address: payer, role: AccountRole.WRITABLE_SIGNER };
    const notes = of.isCosigned ? [{ address: cosigner, role: AccountRole.READONLY_SIGNER }] : [];
    const budget = (code: number, value: number | null, bytes: 4 | 8) =>
      value === null
        ? []
        : [{ programAddress: BUDGET, data: Uint8Array.from([code, ...little(value, bytes)]) }];
    const instructions: Instruction[] = [
      ...budget(2, of.units, 4),
      ...budget(3, of.price, 8),
      ...of.transfers.map(({ to, lamports }) => ({
        programAddress: SYSTEM,
        accounts: [signer, { address: this.#wallets[to] as Address, role: AccountRole.WRITABLE }],
        data: Uint8Array.from([...little(2, 4), ...little(lamports, 8)]),
      })),
      ...(of.memo === null
        ? []
        : [{ programAddress: MEMO, accounts: notes, data: new TextEncoder().encode(of.memo) }]),
    ];
    const base = pipe(createTransactionMessage({ version: of.version }), (message) =>
      setTransactionMessageFeePayer(payer, message),
    );
    const { blockhash, lastValidBlockHeight } = this.#sim.chain.latestBlockhash();
    const lifetime = {
      blockhash: (of.lifetime === 'unknown' ? NOWHERE : blockhash) as Blockhash,
      lastValidBlockHeight: BigInt(lastValidBlockHeight),
    };
    const timed =
      of.lifetime === 'nonce'
        ? setTransactionMessageLifetimeUsingDurableNonce(
            {
              nonce: (await this.nonce.value()) as Nonce,
              nonceAccountAddress: address(this.nonce.nonce.publicKey.toBase58()),
              nonceAuthorityAddress: payer,
            },
            base,
          )
        : setTransactionMessageLifetimeUsingBlockhash(lifetime, base);
    const whole = appendTransactionMessageInstructions(instructions, timed);
    const tables = { [this.table]: this.#wallets.slice(2, 6) };
    const message =
      of.hasTable && whole.version === 0
        ? compressTransactionMessageUsingAddressLookupTables(whole as never, tables)
        : whole;
    const wallets = this.#sim.wallets.slice(0, of.memo !== null && of.isCosigned ? 2 : 1);
    const keys = await Promise.all(
      wallets.map((each) => createKeyPairFromBytes(bs58.decode(each.secretKey))),
    );
    const compiled = compileTransaction(message as Parameters<typeof compileTransaction>[0]);
    return Uint8Array.from(getTransactionEncoder().encode(await partiallySignTransaction(keys, compiled)));
  }

  accounts(addresses: readonly string[]): Promise<({ lamports: number } | null)[]> {
    return valueOf(this.#sim, 'getMultipleAccounts', addresses, { ...AT, encoding: 'base64' });
  }

  result<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return result<T>(this.#sim, method, ...params);
  }

  /** Sends what is wanted; what all methods tell of it must agree. */
  async send(of: Wish): Promise<'ran' | 'failed' | 'refused'> {
    const sim = this.#sim;
    const whole = await this.signed(of);
    const bytes = of.damage === null ? whole : DAMAGES[of.damage](whole);
    const text = of.encoding === 'base64' ? Buffer.from(bytes).toString('base64') : bs58.encode(bytes);
    const signature = getBase58Decoder().decode(whole.subarray(1, 65));
    const written = [...this.#wallets, this.nonce.nonce.publicKey.toBase58()];
    const before = await this.accounts(written);
    const count = await this.result<number>('getTransactionCount', AT);
    const accounts = { encoding: 'base64', addresses: this.#wallets.slice(0, 1) };
    const verified = { ...AT, encoding: of.encoding, sigVerify: true, accounts };
    const trial = await call(sim, 'simulateTransaction', text, verified);
    const message = Buffer.from(whole.subarray(1 + 64 * (whole[0] as number))).toString('base64');
    const fee = await valueOf<number | null>(sim, 'getFeeForMessage', message, AT);
    const { encoding, skipPreflight } = of;
    const send = () =>
      call(sim, 'sendTransaction', text, { encoding, skipPreflight, preflightCommitment: 'processed' });
    const told = await send();
    const after = await this.accounts(written);
    const counted = (await this.result<number>('getTransactionCount', AT)) - count;
    type Status = { err: unknown; slot: number } | null;
    const [status] = await valueOf<Status[]>(sim, 'getSignatureStatuses', [signature]);
    const simulated = (trial.result as { value: Simulated } | undefined)?.value;
    if (status == null) {
      expect(simulated?.err, 'a simulation fails as well').not.toBeNull();
      if (of.lifetime === 'unknown' && of.damage === null) expect(simulated?.err).toBe('BlockhashNotFound');
      // Without preflight, a node only reads what it takes.
      const isTaken = skipPreflight && (of.damage === null || of.damage === 'signature');
      expect(told.error === undefined).toBe(isTaken);
      if (!skipPreflight && of.damage === null)
        expect(told.error?.data).toMatchObject({ err: simulated?.err });
      expect([counted, after]).toEqual([0, before]);
      return 'refused';
    }
    expect(of.damage).toBeNull();
    expect(told).toMatchObject({ result: signature });
    expect(simulated?.err).toEqual(status.err);
    const { slot } = status;
    await this.#landed({ of, signature, fee, before, after, simulated: simulated as Simulated, slot });
    expect(counted).toBe(1);
    if (of.isSentAgain) {
      const twice: RpcAnswer = await send();
      if (!skipPreflight) expect(twice.error).toBeDefined();
      expect(await this.accounts(written)).toEqual(after);
    }
    return status.err === null ? 'ran' : 'failed';
  }

  async #landed({ of, signature, fee, before, after, simulated, slot }: Landed): Promise<void> {
    const options = { maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
    const tell = (encoding: string) =>
      this.result<Told>('getTransaction', signature, { ...options, encoding });
    const [told, asJson] = [await tell('jsonParsed'), await tell('json')];
    const { transaction } = asJson;
    const { meta, version } = told;
    const unread = await call(this.#sim, 'getTransaction', signature, { commitment: 'confirmed' });
    expect(unread.error?.code).toBe(version === 0 ? -32_015 : undefined);
    const keys = told.transaction.message.accountKeys;
    expect([told.slot, version, meta.err]).toEqual([slot, of.version, simulated.err]);
    expect([meta.fee, simulated.fee]).toEqual([fee, fee]);
    expect([simulated.logs, simulated.unitsConsumed]).toEqual([meta.logMessages, meta.computeUnitsConsumed]);
    expect([simulated.preBalances, simulated.postBalances]).toEqual([meta.preBalances, meta.postBalances]);
    if (meta.err === null) expect(simulated.accounts).toMatchObject([{ lamports: after[0]?.lamports }]);
    expect(transaction.signatures).toEqual(told.transaction.signatures);
    expect(transaction.signatures[0]).toBe(signature);
    expect(transaction.signatures).toHaveLength(keys.filter(({ signer }) => signer).length);
    const loaded = keys.filter(({ source }) => source === 'lookupTable').map(({ pubkey }) => pubkey);
    expect(asJson.meta.loadedAddresses).toEqual({ writable: loaded, readonly: [] });
    const writableIndexes = loaded.map((pubkey) => this.#wallets.indexOf(pubkey as Address) - 2);
    const lookups = [{ accountKey: this.table, writableIndexes, readonlyIndexes: [] }];
    const { addressTableLookups } = transaction.message;
    expect(addressTableLookups ?? []).toEqual(loaded.length === 0 ? [] : lookups);
    const moved = new Map<string, number>([[this.#wallets[0] as string, -meta.fee]]);
    const add = (to: string, lamports: number) => moved.set(to, (moved.get(to) ?? 0) + lamports);
    if (meta.err === null)
      for (const { to, lamports } of of.transfers) {
        add(this.#wallets[0] as string, -lamports);
        add(this.#wallets[to] as string, lamports);
      }
    for (const [at, wallet] of this.#wallets.entries()) {
      const place = keys.findIndex(({ pubkey }) => pubkey === wallet);
      expect(after[at]?.lamports).toBe((before[at]?.lamports ?? 0) + (moved.get(wallet) ?? 0));
      if (place < 0) continue;
      const shown = [meta.preBalances[place], meta.postBalances[place]];
      expect(shown).toEqual([before[at]?.lamports, after[at]?.lamports]);
      const isLoaded = of.hasTable && of.version === 0 && at >= 2;
      expect(keys[place]?.source).toBe(isLoaded ? 'lookupTable' : 'transaction');
      expect(keys[place]?.writable).toBe(at !== 1 || of.transfers.some(({ to }) => to === 1));
    }
    const newest = { limit: 1, commitment: 'confirmed' };
    const listed = await this.result<object[]>('getSignaturesForAddress', this.#wallets[0], newest);
    const memo =
      of.memo === null || meta.err !== null ? {} : { memo: `[${Buffer.byteLength(of.memo)}] ${of.memo}` };
    expect(listed).toMatchObject([{ signature, err: meta.err, slot, ...memo }]);
    type Block = { signatures: string[]; blockTime: number };
    const brief = { ...options, transactionDetails: 'signatures', rewards: false };
    const block = await this.result<Block>('getBlock', slot, brief);
    expect(block.signatures).toContain(signature);
    expect(block.blockTime).toBe(told.blockTime);
    const isFinal = slot <= (await this.result<number>('getSlot', { commitment: 'finalized' }));
    const final = await this.result('getTransaction', signature, { ...options, commitment: 'finalized' });
    expect(final !== null).toBe(isFinal);
  }
}

interface Simulated {
  readonly err: unknown;
  readonly fee: number | null;
  readonly accounts: unknown[];
  readonly preBalances: number[];
  readonly postBalances: number[];
  readonly logs: string[];
  readonly unitsConsumed: number;
}

interface Landed {
  readonly of: Wish;
  readonly signature: string;
  readonly fee: number | null;
  readonly before: readonly ({ lamports: number } | null)[];
  readonly after: readonly ({ lamports: number } | null)[];
  readonly simulated: Simulated;
  readonly slot: number;
}

it.each(ENGINES)('a transaction of any form looks the same through all methods on %s', async (engine) => {
  const sim = await world({ engine, confirmationSlots: [0, 31] });
  const client = await Client.of(sim);
  const snapshot = await sim.snapshot();
  const seen = { ran: 0, failed: 0, refused: 0 };
  await forAllAsync(100, fc.array(wish, { minLength: 1, maxLength: 5 }), async (wishes) => {
    await sim.revert(snapshot);
    for (const each of wishes) seen[await client.send(each)] += 1;
  });
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
});
