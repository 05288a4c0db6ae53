// @module-tag slow
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Instruction,
  PlainRpc,
  PlainSocket,
  SYSTEM,
  TABLES,
  TOKEN,
  type Table,
  addressOf,
  derived,
  instructions as make,
  nameOf,
  signed,
  randomAddress,
} from './plain-client.js';
import { Customer, ENGINES, secretOf, simulator } from './support.js';
import { FEE, settled } from '../support/waiting.js';

const SOL = 1_000_000_000;
const CONFIRMED = { commitment: 'confirmed' };
const PARSED = { ...CONFIRMED, encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
const BASE64 = { encoding: 'base64' };

interface Status {
  readonly err: unknown;
  readonly confirmationStatus: string;
}

const text = (transaction: Uint8Array): string => Buffer.from(transaction).toString('base64');

describe.each(ENGINES)('fetch, ws, tweetnacl and bs58 on %s', (engine) => {
  const sim = simulator(engine);
  let rpc: PlainRpc;
  beforeAll(() => {
    rpc = new PlainRpc(sim().rpcUrl);
  });

  const latest = async () =>
    (await rpc.value<{ blockhash: string }>('getLatestBlockhash', CONFIRMED)).blockhash;
  const balance = (address: string) => rpc.value<number>('getBalance', address, CONFIRMED);
  const confirmed = async (signature: string): Promise<Status> => {
    const [status] = await settled(
      () => rpc.value<(Status | null)[]>('getSignatureStatuses', [signature]),
      ([found]) => found?.confirmationStatus === 'confirmed' || found?.confirmationStatus === 'finalized',
    );
    return status as Status;
  };
  const send = async (signers: readonly nacl.SignKeyPair[], list: readonly Instruction[], table?: Table) => {
    const transaction = signed(await latest(), signers, list, table);
    const signature = await rpc.call<string>('sendTransaction', text(transaction), BASE64);
    expect(signature).toBe(nameOf(transaction));
    expect((await confirmed(signature)).err).toBeNull();
    return signature;
  };
  const funded = async (): Promise<nacl.SignKeyPair> => {
    const keys = nacl.sign.keyPair();
    await confirmed(await rpc.call<string>('requestAirdrop', addressOf(keys), SOL));
    return keys;
  };
  /** A mint of the payer, and two token accounts, the first with a balance. */
  const minted = async (payer: nacl.SignKeyPair, amount: bigint) => {
    const [mint, first, second] = [nacl.sign.keyPair(), nacl.sign.keyPair(), nacl.sign.keyPair()];
    const [owner, bob] = [addressOf(payer), randomAddress()];
    const rent = async (space: number) =>
      BigInt(await rpc.call<number>('getMinimumBalanceForRentExemption', space));
    const made = { mint: addressOf(mint), from: addressOf(first), to: addressOf(second), bob };
    const [mintRent, accountRent] = [await rent(82), await rent(165)];
    await send(
      [payer, mint],
      [
        make.create(owner, made.mint, { lamports: mintRent, space: 82n, owner: TOKEN }),
        make.initializeMint(made.mint, 6, owner),
      ],
    );
    const account = { lamports: accountRent, space: 165n, owner: TOKEN };
    await send(
      [payer, first, second],
      [
        make.create(owner, made.from, account),
        make.initializeAccount(made.from, made.mint, owner),
        make.create(owner, made.to, account),
        make.initializeAccount(made.to, made.mint, bob),
        make.mintTo(made.mint, made.from, owner, amount),
      ],
    );
    const paid = Number(mintRent + 2n * accountRent) + 5 * FEE;
    expect(await balance(owner)).toBe(SOL - paid);
    return made;
  };

  it('airdrops, sends a transaction and reads it back', async () => {
    const keys = await funded();
    const [from, to] = [addressOf(keys), randomAddress()];
    const blockhash = await latest();
    const transaction = signed(blockhash, [keys], [make.transfer(from, to, 3_000_000n), make.memo('zwölf')]);
    // Without an encoding the text is base58.
    const signature = await rpc.call<string>('sendTransaction', bs58.encode(transaction));
    expect(await confirmed(signature)).toMatchObject({ err: null, confirmationStatus: 'finalized' });
    expect([await balance(from), await balance(to)]).toEqual([SOL - 3_000_000 - FEE, 3_000_000]);
    const again = await rpc.answer('sendTransaction', text(transaction), BASE64);
    expect(again.error).toMatchObject({ code: -32_002, data: { err: 'AlreadyProcessed' } });
    await settled(latest, (next) => next !== blockhash);
    await send([keys], [make.transfer(from, to, 3_000_000n), make.memo('zwölf')]);
    expect(await balance(to)).toBe(6_000_000);
    const received = await rpc.call('getTransaction', signature, {
      ...BASE64,
      maxSupportedTransactionVersion: 0,
    });
    expect(received).toMatchObject({
      transaction: [text(transaction), 'base64'],
      version: 'legacy',
      meta: { err: null, fee: FEE },
    });
    expect(await rpc.call('getTransaction', signature, PARSED)).toMatchObject({
      transaction: {
        signatures: [signature],
        message: {
          recentBlockhash: blockhash,
          instructions: [
            {
              program: 'system',
              parsed: { type: 'transfer', info: { source: from, destination: to, lamports: 3_000_000 } },
            },
            { program: 'spl-memo', parsed: 'zwölf' },
          ],
        },
      },
    });
    expect(await rpc.call('getSignaturesForAddress', to)).toMatchObject([
      { memo: '[6] zwölf' },
      { signature, memo: '[6] zwölf', err: null },
    ]);
  });

  it('creates a mint and token accounts, and transfers between them', async () => {
    const keys = await funded();
    const { mint, from, to, bob } = await minted(keys, 5_000_000n);
    const signature = await send([keys], [make.transferChecked(from, mint, to, addressOf(keys), 1_250_000n)]);
    const tokenAmount = { amount: '1250000', decimals: 6, uiAmount: 1.25, uiAmountString: '1.25' };
    expect(await rpc.value('getTokenAccountBalance', to)).toEqual(tokenAmount);
    expect(await rpc.value('getTokenSupply', mint)).toMatchObject({ amount: '5000000' });
    const info = { mint, owner: bob, state: 'initialized', isNative: false, tokenAmount };
    const parsed = {
      lamports: 2_039_280,
      owner: TOKEN,
      data: { program: 'spl-token', space: 165, parsed: { type: 'account', info } },
    };
    expect(await rpc.value('getAccountInfo', to, PARSED)).toMatchObject(parsed);
    const owned = await rpc.value('getTokenAccountsByOwner', bob, { mint }, PARSED);
    expect(owned).toMatchObject([{ pubkey: to, account: parsed }]);
    expect(await rpc.call('getTransaction', signature, PARSED)).toMatchObject({
      meta: {
        preTokenBalances: [
          { uiTokenAmount: { amount: '5000000' } },
          { owner: bob, uiTokenAmount: { amount: '0' } },
        ],
        postTokenBalances: [
          { uiTokenAmount: { amount: '3750000' } },
          { owner: bob, mint, uiTokenAmount: tokenAmount },
        ],
      },
    });
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }];
    const holders = await rpc.call<{ pubkey: string }[]>('getProgramAccounts', TOKEN, { ...BASE64, filters });
    expect(holders.map(({ pubkey }) => pubkey).toSorted()).toEqual([from, to].toSorted());
    const several = await rpc.value<unknown[]>('getMultipleAccounts', [to, randomAddress()], PARSED);
    expect(several).toMatchObject([parsed, null]);
  });

  it('receives errors for rejected requests, alone and in a batch', async () => {
    const keys = await funded();
    const [from, to] = [addressOf(keys), randomAddress()];
    const tooMuch = text(signed(await latest(), [keys], [make.transfer(from, to, BigInt(2 * SOL))]));
    const { error } = await rpc.answer('sendTransaction', tooMuch, BASE64);
    expect(error).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: { err: { InstructionError: [0, { Custom: 1 }] }, accounts: null },
    });
    expect(error?.data?.['logs']).toContain(`Transfer: insufficient lamports ${SOL - FEE}, need ${2 * SOL}`);
    const foreign = signed(await latest(), [keys], [make.transfer(from, to, 1n)]);
    foreign[7] = (foreign[7] ?? 0) ^ 1;
    const call = (id: number, method: string, ...params: unknown[]) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    });
    const batch = [
      call(1, 'sendTransaction', text(foreign), BASE64),
      call(2, 'getBalance', from),
      call(3, 'getNothing'),
      call(4, 'sendTransaction', 'AAAA', BASE64),
    ];
    expect(await rpc.post(batch)).toMatchObject([
      { id: 1, error: { code: -32_003 } },
      { id: 2, result: { value: SOL } },
      { id: 3, error: { code: -32_601 } },
      { id: 4, error: { code: -32_602 } },
    ]);
    expect(await rpc.call('sendTransaction', tooMuch, { ...BASE64, skipPreflight: true })).toBe(
      nameOf(Buffer.from(tooMuch, 'base64')),
    );
    expect(await balance(from)).toBe(SOL - FEE);
  });

  it('simulates with signatures, another blockhash and accounts', async () => {
    const keys = await funded();
    const [from, to] = [addressOf(keys), randomAddress()];
    const transaction = text(signed(randomAddress(), [keys], [make.transfer(from, to, 1_000_000n)]));
    const stale = await rpc.value('simulateTransaction', transaction, { ...BASE64, sigVerify: true });
    expect(stale).toMatchObject({ err: 'BlockhashNotFound' });
    const accounts = { addresses: [from, to], encoding: 'base64' };
    const options = { ...BASE64, replaceRecentBlockhash: true, accounts };
    expect(await rpc.value('simulateTransaction', transaction, options)).toMatchObject({
      err: null,
      fee: FEE,
      accounts: [{ lamports: SOL - 1_000_000 - FEE }, { lamports: 1_000_000 }],
      replacementBlockhash: { blockhash: expect.any(String) },
    });
    const both = await rpc.answer('simulateTransaction', transaction, { ...options, sigVerify: true });
    expect(both.error).toMatchObject({ code: -32_602 });
  });

  it('creates a lookup table and loads addresses from it', async () => {
    const keys = await funded();
    const [from, to] = [addressOf(keys), [randomAddress(), randomAddress(), randomAddress()]];
    const slot = BigInt(await rpc.call<number>('getSlot'));
    const { address, bump } = derived(TABLES, from, slot);
    const signature = await send(
      [keys],
      [make.createTable(address, from, { slot, bump }), make.extendTable(address, from, to)],
    );
    const { slot: extended } = await rpc.call<{ slot: number }>('getTransaction', signature, PARSED);
    await settled(
      () => rpc.call<number>('getSlot'),
      (now) => now > extended,
    );
    expect(await rpc.value('getAccountInfo', address, PARSED)).toMatchObject({
      data: { parsed: { type: 'lookupTable', info: { authority: from, addresses: to } } },
    });
    const before = await balance(from);
    const pay = to.map((one) => make.transfer(from, one, 2_000_000n));
    const name = await send([keys], pay, { address, addresses: to });
    for (const one of to) expect(await balance(one)).toBe(2_000_000);
    expect(await balance(from)).toBe(before - 6_000_000 - FEE);
    expect(await rpc.call('getTransaction', name, { maxSupportedTransactionVersion: 0 })).toMatchObject({
      version: 0,
      meta: { loadedAddresses: { writable: to, readonly: [] } },
      transaction: {
        message: {
          accountKeys: [from, SYSTEM],
          addressTableLookups: [{ accountKey: address, writableIndexes: [0, 1, 2], readonlyIndexes: [] }],
        },
      },
    });
    expect((await rpc.answer('getTransaction', name)).error).toMatchObject({ code: -32_015 });
  });

  it.each(['webSocketUrl', 'rpcUrl'] as const)(
    'receives notifications at %s until it unsubscribes',
    async (url) => {
      const socket = await PlainSocket.open(sim()[url].replace('http', 'ws'));
      const keys = await funded();
      const [from, to] = [addressOf(keys), randomAddress()];
      const transaction = signed(await latest(), [keys], [make.transfer(from, to, 9_000_000n)]);
      const name = nameOf(transaction);
      const wanted = { ...BASE64, ...CONFIRMED };
      const account = await socket.call('accountSubscribe', to, wanted);
      const program = await socket.call('programSubscribe', SYSTEM, {
        ...wanted,
        filters: [{ dataSize: 0 }],
      });
      const logs = await socket.call('logsSubscribe', { mentions: [to] }, CONFIRMED);
      const signature = await socket.call('signatureSubscribe', name, CONFIRMED);
      const slot = await socket.call('slotSubscribe');
      await rpc.call('sendTransaction', text(transaction), BASE64);
      expect(await socket.first(signature)).toMatchObject({ value: { err: null } });
      const value = { lamports: 9_000_000, owner: SYSTEM, data: ['', 'base64'] };
      expect(await socket.first(account)).toMatchObject({ value });
      await socket.first<{ value: { pubkey: string } }>(program, (received) => received.value.pubkey === to);
      expect(await socket.first(logs)).toMatchObject({ value: { signature: name, err: null } });
      const first = await socket.first<{ slot: number }>(slot);
      const next = await socket.first<{ slot: number }>(slot, (received) => received.slot > first.slot);
      expect(next).toMatchObject({ slot: first.slot + 1, parent: first.slot });
      for (const [kind, id] of Object.entries({ account, program, logs, slot }))
        expect(await socket.call(`${kind}Unsubscribe`, id)).toBe(true);
      await send([keys], [make.transfer(from, to, 1_000_000n)]);
      expect([socket.count(account), socket.count(logs), socket.count(signature)]).toEqual([1, 1, 1]);
      await socket.close();
    },
  );

  it('deposits SOL and USDC into the bank', async () => {
    const { treasury, usdcMint } = sim();
    const keys = nacl.sign.keyPair.fromSecretKey(secretOf(sim(), 5));
    const wallet = addressOf(keys);
    const customer = await Customer.signedIn(sim(), keys.secretKey);
    const accountOf = async (owner: string): Promise<string> => {
      const [held] = await rpc.value<{ pubkey: string }[]>(
        'getTokenAccountsByOwner',
        owner,
        { mint: usdcMint },
        PARSED,
      );
      return held?.pubkey ?? expect.fail(`${owner} has no USDC`);
    };
    const [from, to] = [await accountOf(wallet), await accountOf(treasury)];
    expect(to).toBe(
      derived('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', treasury, TOKEN, usdcMint).address,
    );
    const sol = await send([keys], [make.transfer(wallet, treasury, BigInt(2 * SOL))]);
    const usdc = await send([keys], [make.transferChecked(from, usdcMint, to, wallet, 150_000_000n)]);
    await customer.record(2, 'SOL', sol);
    await customer.record(150, 'USDC', usdc);
    expect(await customer.checking()).toEqual({ usdc: 150, sol: 2 });
    expect(await balance(wallet)).toBe(998 * SOL - 2 * FEE);
    expect(await rpc.value('getTokenAccountBalance', from)).toMatchObject({ amount: '99850000000' });
  });
});
