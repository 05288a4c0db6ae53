// @module-tag slow
import * as kit from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS,
  SYSTEM_PROGRAM_ADDRESS,
  isSystemError,
} from '@solana-program/system';
import * as token from '@solana-program/token';
import { beforeAll, describe, expect, it } from 'vitest';
import { KitClient, kitAddress, kitTransfer, tokenAccountOf } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { FEE, Collector, settled } from '../support/waiting.js';

const SOL = 1_000_000_000n;
const COST = BigInt(FEE);
const PREFLIGHT_FAILURE = kit.SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE;
const TABLES = kit.address('AddressLookupTab1e1111111111111111111111111');

type Signer = kit.KeyPairSigner;

/** Instructions that create a lookup table; its client package is not installed here. */
async function tableOf(authority: Signer, slot: bigint, addresses: readonly kit.Address[]) {
  const recent = kit.getU64Encoder().encode(slot);
  const encoder = kit.getAddressEncoder();
  const seeds = [encoder.encode(authority.address), recent];
  const [table, bump] = await kit.getProgramDerivedAddress({ programAddress: TABLES, seeds });
  const signer = { address: authority.address, role: kit.AccountRole.WRITABLE_SIGNER, signer: authority };
  const accounts = [
    { address: table, role: kit.AccountRole.WRITABLE },
    { ...signer, role: kit.AccountRole.READONLY_SIGNER },
    signer,
    { address: SYSTEM_PROGRAM_ADDRESS, role: kit.AccountRole.READONLY },
  ];
  const u32 = kit.getU32Encoder();
  const create = Uint8Array.from([...u32.encode(0), ...recent, bump]);
  const count = kit.getU64Encoder().encode(addresses.length);
  const extend = Uint8Array.from([
    ...u32.encode(2),
    ...count,
    ...addresses.flatMap((one) => [...encoder.encode(one)]),
  ]);
  return {
    table,
    instructions: [create, extend].map((data) => ({ programAddress: TABLES, accounts, data })),
  };
}

describe.each(ENGINES)('@solana/kit in depth on %s', (engine) => {
  const sim = simulator(engine);
  let client: KitClient;
  beforeAll(() => {
    // kit.test.ts confirms on the HTTP port, which serves both; this suite uses the WebSocket port.
    client = new KitClient(sim().rpcUrl, sim().webSocketUrl);
  });

  it('sends a transfer twice under two blockhashes, and is rejected twice under one', async () => {
    const alice = await client.funded();
    const bob = await kitAddress();
    const first = await client.build(alice, [kitTransfer(alice, bob, 2_000_000n)]);
    await client.confirmed(first);
    const twice = await client.rpc
      .sendTransaction(kit.getBase64EncodedWireTransaction(first), { encoding: 'base64' })
      .send()
      .catch((error: unknown) => error);
    if (!kit.isSolanaError(twice, PREFLIGHT_FAILURE)) return expect.fail(String(twice));
    expect(kit.isSolanaError(twice.cause, kit.SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)).toBe(true);
    const { blockhash } = first.lifetimeConstraint;
    await settled(
      async () => (await client.rpc.getLatestBlockhash().send()).value.blockhash,
      (latest) => latest !== blockhash,
    );
    await client.confirmed(await client.build(alice, [kitTransfer(alice, bob, 2_000_000n)]));
    expect(await client.balance(bob)).toBe(4_000_000n);
    expect(await client.balance(alice.address)).toBe(SOL - 4_000_000n - 2n * COST);
  });

  it('receives typed errors of programs, the runtime and blockhash lifetimes', async () => {
    const alice = await client.funded();
    const bob = await kitAddress();
    const tooMuch = [kitTransfer(alice, bob, 2n * SOL)];
    const refused = await client
      .confirmed(await client.build(alice, tooMuch))
      .catch((error: unknown) => error);
    if (!kit.isSolanaError(refused, PREFLIGHT_FAILURE)) return expect.fail(String(refused));
    const why = `Transfer: insufficient lamports ${SOL - COST}, need ${2n * SOL}`;
    expect(refused.context.logs).toContain(why);
    const message = { instructions: { 0: { programAddress: SYSTEM_PROGRAM_ADDRESS } } };
    expect(isSystemError(refused.cause, message, SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL);
    const blind = await client.build(alice, tooMuch);
    const failed = await client.confirmed(blind, { skipPreflight: true }).catch((error: unknown) => error);
    expect(kit.isSolanaError(failed, kit.SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL - COST);
    // Its blockhash is not of this chain, so it is dropped silently, and its last valid block height has passed.
    const height = (await client.rpc.getBlockHeight().send()) - 1n;
    const lifetime = { blockhash: kit.blockhash(await kitAddress()), lastValidBlockHeight: height };
    const lost = await client.build(alice, [kitTransfer(alice, bob, 1n)], { lifetime });
    const late = await client.confirmed(lost, { skipPreflight: true }).catch((error: unknown) => error);
    expect(kit.isSolanaError(late, kit.SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL - COST);
  });

  it('simulates with signatures, with another blockhash and with accounts', async () => {
    const alice = await client.funded();
    const bob = await kitAddress();
    const transaction = await client.build(alice, [kitTransfer(alice, bob, 3_000_000n)]);
    const wire = kit.getBase64EncodedWireTransaction(transaction);
    const good = await client.rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }).send();
    expect(good.value).toMatchObject({ err: null, fee: COST, replacementBlockhash: null });
    const spoilt = Buffer.from(wire, 'base64');
    spoilt[3] = (spoilt[3] ?? 0) ^ 1;
    const bad = spoilt.toString('base64') as kit.Base64EncodedWireTransaction;
    await expect(
      client.rpc.simulateTransaction(bad, { encoding: 'base64', sigVerify: true }).send(),
    ).rejects.toSatisfy((error) =>
      kit.isSolanaError(
        error,
        kit.SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
      ),
    );
    const { value } = await client.rpc
      .simulateTransaction(bad, {
        encoding: 'base64',
        replaceRecentBlockhash: true,
        innerInstructions: true,
        accounts: { addresses: [alice.address, bob], encoding: 'base64' },
      })
      .send();
    expect(value.accounts.map((account) => account?.lamports)).toEqual([SOL - 3_000_000n - COST, 3_000_000n]);
    expect(value.replacementBlockhash.lastValidBlockHeight).toBeGreaterThan(140n);
    expect(await client.balance(bob)).toBe(0n);
  });

  it('loads addresses from a lookup table that it created', async () => {
    const alice = await client.funded();
    const to = await Promise.all([kitAddress(), kitAddress(), kitAddress()]);
    const { table, instructions } = await tableOf(alice, await client.rpc.getSlot().send(), to);
    await client.confirmed(await client.build(alice, instructions));
    const extended = await client.rpc.getSlot().send();
    await settled(
      () => client.rpc.getSlot().send(),
      (slot) => slot > extended,
    );
    const tables = await kit.fetchAddressesForLookupTables([table], client.rpc);
    expect(tables).toEqual({ [table]: to });
    const before = await client.balance(alice.address);
    const pay = to.map((one) => kitTransfer(alice, one, 1_000_000n));
    const transaction = await client.build(alice, [...pay, getAddMemoInstruction({ memo: 'zu dritt' })], {
      tables,
    });
    const compiled = kit.getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    expect(compiled.staticAccounts).toHaveLength(3);
    const signature = await client.confirmed(transaction);
    for (const one of to) expect(await client.balance(one)).toBe(1_000_000n);
    expect(await client.balance(alice.address)).toBe(before - 3_000_000n - COST);
    const received = await client.rpc
      .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    // The library orders them itself.
    const loaded = received?.meta?.loadedAddresses;
    expect(loaded?.readonly).toEqual([]);
    expect(loaded?.writable.toSorted()).toEqual(to.toSorted());
    const writableIndexes = loaded?.writable.map((one) => to.indexOf(one));
    expect(received?.transaction.message).toMatchObject({
      addressTableLookups: [{ accountKey: table, writableIndexes, readonlyIndexes: [] }],
    });
    const known = await client.rpc.getSignaturesForAddress(to[2]).send();
    expect(known).toMatchObject([{ signature, memo: '[8] zu dritt', err: null }]);
  });

  it("reads several accounts, and a program's accounts by filters", async () => {
    const { usdcMint, treasury, wallets } = sim();
    const [mint, owner] = [kit.address(usdcMint), kit.address(wallets[8]?.address ?? '')];
    const { value } = await client.rpc
      .getMultipleAccounts([mint, await kitAddress(), kit.address(treasury)])
      .send();
    expect(value.map((account) => account?.owner ?? null)).toEqual([
      token.TOKEN_PROGRAM_ADDRESS,
      null,
      SYSTEM_PROGRAM_ADDRESS,
    ]);
    const at = (offset: bigint, address: string) => {
      const bytes = address as unknown as kit.Base58EncodedBytes;
      return { memcmp: { offset, bytes, encoding: 'base58' as const } };
    };
    const filters = [{ dataSize: 165n }, at(0n, usdcMint), at(32n, owner)];
    const found = await client.rpc
      .getProgramAccounts(token.TOKEN_PROGRAM_ADDRESS, { encoding: 'base64', filters })
      .send();
    const ata = await tokenAccountOf(owner, mint);
    expect(found.map(({ pubkey }) => pubkey)).toEqual([ata]);
    const { data } = token.decodeToken(
      kit.parseBase64RpcAccount(ata, found[0]?.account ?? expect.fail('no account')),
    );
    expect(data).toMatchObject({ mint, owner, amount: 100_000_000_000n });
    expect((await token.fetchMint(client.rpc, mint)).data.decimals).toBe(6);
  });

  it('receives program, account, log, signature and slot notifications, and none after it aborts', async () => {
    const alice = await client.funded();
    const bob = await kitAddress();
    const abort = new AbortController();
    const ends: Promise<void>[] = [];
    const heard = async <T>(wanted: kit.PendingRpcSubscriptionsRequest<T>): Promise<Collector<T>> => {
      const received = new Collector<T>();
      const notifications = await wanted.subscribe({ abortSignal: abort.signal });
      const listen = async () => {
        for await (const one of notifications) received.add(one);
      };
      ends.push(listen());
      return received;
    };
    const shape = { encoding: 'base64', commitment: 'confirmed' } as const;
    const filters = [{ dataSize: 0n }];
    const programs = await heard(
      client.rpcSubscriptions.programNotifications(SYSTEM_PROGRAM_ADDRESS, { ...shape, filters }),
    );
    const accounts = await heard(client.rpcSubscriptions.accountNotifications(bob, shape));
    const logs = await heard(
      client.rpcSubscriptions.logsNotifications({ mentions: [bob] }, { commitment: 'confirmed' }),
    );
    const slots = await heard(client.rpcSubscriptions.slotNotifications());
    const transaction = await client.build(alice, [kitTransfer(alice, bob, 1_234_567n)]);
    const name = kit.getSignatureFromTransaction(transaction);
    const signatures = await heard(
      client.rpcSubscriptions.signatureNotifications(name, { commitment: 'confirmed' }),
    );
    const wire = kit.getBase64EncodedWireTransaction(transaction);
    await client.rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    expect((await signatures.first()).value).toEqual({ err: null });
    const { value } = await programs.first((one) => one.value.pubkey === bob);
    expect(value.account).toMatchObject({ lamports: 1_234_567n, owner: SYSTEM_PROGRAM_ADDRESS });
    expect((await accounts.first()).value.lamports).toBe(1_234_567n);
    expect((await logs.first()).value).toMatchObject({ signature: name, err: null });
    const { slot } = await slots.first();
    expect(await slots.first((one) => one.slot === slot + 1n)).toMatchObject({ parent: slot });
    abort.abort();
    await Promise.all(ends);
    expect([accounts.all.length, signatures.all.length]).toEqual([1, 1]);
  });
});
