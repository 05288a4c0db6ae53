import * as web3 from '@solana/web3.js';
import * as spl from '@solana/spl-token';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { SYSTEM_PROGRAM as SYSTEM } from '../../../src/chain/solana/addresses.js';
import { ENGINES, world } from '../../support/world.js';
import { base64, call, compiled, rpcMessage, result, valueOf, words } from './support.js';

/** A world with the addresses that its callers need. */
async function scene(engine: (typeof ENGINES)[number]) {
  const sim = await world({ engine });
  const payer = web3.Keypair.fromSecretKey(bs58.decode(sim.wallets[0]?.secretKey ?? ''));
  const mint = sim.facts.usdcMint;
  const ata = spl.getAssociatedTokenAddressSync(new web3.PublicKey(mint), payer.publicKey).toBase58();
  return { sim, payer, address: payer.publicKey.toBase58(), ata, mint };
}

type Scene = Awaited<ReturnType<typeof scene>>;

function signed(
  { sim, payer }: Scene,
  instructions: web3.TransactionInstruction[],
  blockhash = sim.chain.latestBlockhash().blockhash,
): string {
  const transaction = new web3.VersionedTransaction(compiled(payer.publicKey, instructions, blockhash));
  transaction.sign([payer]);
  return base64(transaction.serialize());
}

const pay = ({ payer }: Scene, to: web3.PublicKey, lamports: number | bigint) =>
  web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports });

const BASE64 = { encoding: 'base64' } as const;
const ANY_VERSION = { maxSupportedTransactionVersion: 0 };

const aKey = () => web3.Keypair.generate().publicKey;

/** Methods that need no parameters. */
const BARE = words(`
  getHealth getVersion getGenesisHash getSlot getBlockHeight getEpochInfo getLatestBlockhash getEpochSchedule
  getSupply getIdentity getSlotLeader getFirstAvailableBlock minimumLedgerSlot getRecentPrioritizationFees
  getTransactionCount getInflationGovernor getInflationRate getVoteAccounts getClusterNodes getLeaderSchedule
  getBlockProduction getLargestAccounts getRecentPerformanceSamples getStakeMinimumDelegation
`);

describe.each(ENGINES)('RPC methods on %s', (engine) => {
  it('respond with a result', async () => {
    const { sim, address, ata, mint } = await scene(engine);
    // All others are called where their results are tested.
    const calls: [string, ...unknown[]][] = [
      ...BARE.map((name): [string] => [name]),
      ['getTokenAccountBalance', ata],
      ['getTokenAccountsByOwner', address, { mint }, BASE64],
      ['getTokenAccountsByDelegate', address, { mint }, BASE64],
      ['getTokenLargestAccounts', mint],
      ['getBlockTime', 0],
    ];
    for (const [method, ...params] of calls) {
      const answer = await call(sim, method, ...params);
      expect(answer.error, method).toBeUndefined();
      expect(answer.result, method).toBeDefined();
    }
  });

  it('return accounts in every encoding, with exact 64-bit integers', async () => {
    const { sim, ata, mint, address } = await scene(engine);
    const text = await sim.rpc(rpcMessage('getAccountInfo', ata, BASE64));
    expect(text).toContain('"rentEpoch":18446744073709551615,"space":165');
    const data = async (config: object) =>
      (await valueOf<{ data: unknown }>(sim, 'getAccountInfo', ata, config)).data;
    const [text64] = (await data(BASE64)) as [string];
    const bytes = Buffer.from(text64, 'base64');
    expect(bytes.subarray(0, 32)).toEqual(Buffer.from(bs58.decode(mint)));
    const owner = { encoding: 'base58', dataSlice: { offset: 32, length: 32 } };
    expect(await data(owner)).toEqual([address, 'base58']);
    const [zstd] = (await data({ encoding: 'base64+zstd' })) as [string];
    expect(Buffer.from(zstd, 'base64').subarray(0, 4).toString('hex')).toBe('28b52ffd');
    expect(Buffer.from(zstd, 'base64').subarray(-165)).toEqual(bytes);
    const info = { mint, owner: address, tokenAmount: { uiAmountString: '100000' } };
    const parsed = { type: 'account', info };
    expect(await data({ encoding: 'jsonParsed' })).toMatchObject({
      program: 'spl-token',
      parsed,
      space: 165,
    });
    expect((await call(sim, 'getAccountInfo', ata)).error?.message).toContain('please use Base64');
    expect(await valueOf(sim, 'getAccountInfo', aKey().toBase58())).toBeNull();
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: address } }];
    const program = spl.TOKEN_PROGRAM_ID.toBase58();
    const filtered = { ...BASE64, filters };
    const found = await result<{ pubkey: string }[]>(sim, 'getProgramAccounts', program, filtered);
    expect(found.map(({ pubkey }) => pubkey)).toContain(ata);
    expect(found).toHaveLength(2);
  });
});

describe.each(ENGINES)('RPC transaction on %s', (engine) => {
  it('is rejected with code, message and data of a cluster, and is not charged', async () => {
    const one = await scene(engine);
    const { sim, address } = one;
    const to = aKey();
    const before = await valueOf<number>(sim, 'getBalance', address);
    const send = (transaction: string, config = {}) =>
      call(sim, 'sendTransaction', transaction, { ...BASE64, ...config });

    const poor = await send(signed(one, [pay(one, to, 10n ** 15n)]));
    expect(poor.error).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: {
        err: { InstructionError: [0, { Custom: 1 }] },
        accounts: null,
        unitsConsumed: expect.any(Number),
        fee: 5_000,
      },
    });
    const absent = ['accounts', 'innerInstructions', 'replacementBlockhash', 'loadedAddresses'];
    absent.push('preBalances', 'postBalances', 'preTokenBalances', 'postTokenBalances');
    const data = poor.error?.data as Record<string, unknown>;
    for (const name of absent) expect(data[name], name).toBeNull();
    const present = ['err', 'fee', 'loadedAccountsDataSize', 'logs', 'returnData', 'unitsConsumed'];
    expect(Object.keys(data).toSorted()).toEqual([...absent, ...present].toSorted());
    expect(JSON.stringify(data)).toContain('insufficient lamports');

    const stale = await send(signed(one, [pay(one, to, 1)], SYSTEM));
    expect(stale.error).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: Blockhash not found',
      data: { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0, loadedAccountsDataSize: 0, fee: null },
    });

    const forged = Buffer.from(signed(one, [pay(one, to, 1)]), 'base64');
    forged[5] = (forged[5] as number) ^ 1;
    const refusal = { code: -32_003, message: 'Transaction signature verification failure' };
    for (const config of [{}, { preflightCommitment: 'processed' }])
      expect((await send(forged.toString('base64'), config)).error).toEqual(refusal);
    expect(await valueOf<number>(sim, 'getBalance', address)).toBe(before);

    const transaction = signed(one, [pay(one, to, 1_000_000)]);
    expect((await send(transaction)).result).toEqual(expect.any(String));
    expect((await send(transaction)).error).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed' },
    });
    expect(await valueOf<number>(sim, 'getBalance', address)).toBe(before - 1_005_000);
  });

  it(
    'has a status for 300 blocks, and afterwards only in the history; a jump makes one block',
    { tags: ['slow'] },
    async () => {
      const { sim, address } = await scene(engine);
      const { signature } = await sim.faucet(address, 1, 'SOL');
      const status = (...config: object[]) => valueOf(sim, 'getSignatureStatuses', [signature], ...config);
      const found = [{ err: null, confirmationStatus: 'finalized' }];
      await sim.advance('30d');
      expect(await status()).toMatchObject(found);
      for (let block = 0; block < 299; block += 1) await sim.faucet(address, 0.001, 'SOL');
      expect(await status()).toMatchObject(found);
      await sim.faucet(address, 0.001, 'SOL');
      expect(await status()).toEqual([null]);
      expect(await status({ searchTransactionHistory: false })).toEqual([null]);
      expect(await status({ searchTransactionHistory: true })).toMatchObject(found);
    },
  );

  it('is simulated without effect, unsigned and with any blockhash too, with the resulting accounts', async () => {
    const one = await scene(engine);
    const { sim, address, payer } = one;
    const to = aKey();
    const before = await valueOf<number>(sim, 'getBalance', address);
    const message = compiled(payer.publicKey, [pay(one, to, 2_000_000)], SYSTEM);
    const unsigned = base64(new web3.VersionedTransaction(message).serialize());
    const simulate = (config: object) => call(sim, 'simulateTransaction', unsigned, { ...BASE64, ...config });
    expect((await simulate({})).result).toMatchObject({ value: { err: 'BlockhashNotFound' } });
    expect((await simulate({ sigVerify: true })).error?.code).toBe(-32_003);
    const accounts = { addresses: [to.toBase58(), address], encoding: 'base64' };
    expect((await simulate({ replaceRecentBlockhash: true, accounts })).result).toMatchObject({
      value: {
        err: null,
        fee: 5_000,
        unitsConsumed: 150,
        accounts: [{ lamports: 2_000_000 }, { lamports: before - 2_005_000 }],
        preBalances: [before, 0, 1],
        postBalances: [before - 2_005_000, 2_000_000, 1],
        replacementBlockhash: sim.chain.latestBlockhash(),
        loadedAddresses: { writable: [], readonly: [] },
      },
    });
    expect(await valueOf<number>(sim, 'getBalance', address)).toBe(before);
    expect(await valueOf(sim, 'getBalance', to.toBase58())).toBe(0);
    expect(await sim.invariants()).toEqual([]);
  });

  it('shows the balance at that time of an account that was only read, after later changes', async () => {
    const here = await scene(engine);
    const { sim, payer, address } = here;
    const read = aKey();
    await sim.setBalance(read.toBase58(), 2, 'SOL');
    const transfer = pay(here, payer.publicKey, 1);
    transfer.keys.push({ pubkey: read, isSigner: false, isWritable: false });
    // Without an encoding the text is base58.
    const text = bs58.encode(Buffer.from(signed(here, [transfer]), 'base64'));
    const signature = await result<string>(sim, 'sendTransaction', text);
    await sim.setBalance(read.toBase58(), 3, 'SOL');
    await result(sim, 'requestAirdrop', read.toBase58(), 1_000_000_000);
    type Told = {
      transaction: { message: { accountKeys: string[] } };
      meta: { preBalances: number[]; postBalances: number[] };
    };
    const { transaction, meta } = await result<Told>(sim, 'getTransaction', signature, ANY_VERSION);
    const at = transaction.message.accountKeys.indexOf(read.toBase58());
    expect([meta.preBalances[at], meta.postBalances[at]]).toEqual([2_000_000_000, 2_000_000_000]);
    expect(transaction.message.accountKeys[0]).toBe(address);
  });

  it('is found by cursors of its chain, and never by one that is not there', async () => {
    const here = await scene(engine);
    const { sim, address } = here;
    const send = (instruction: web3.TransactionInstruction) =>
      result<string>(sim, 'sendTransaction', signed(here, [instruction]), BASE64);
    const to = aKey();
    const first = await send(pay(here, to, 1_000_000));
    const other = await result<string>(sim, 'requestAirdrop', aKey().toBase58(), 1_000_000_000);
    const second = await send(pay(here, to, 1));
    const third = await send(pay(here, to, 2));
    const listed = async (config: object, of = to.toBase58()) => {
      const found = await result<{ signature: string }[]>(sim, 'getSignaturesForAddress', of, config);
      return found.map(({ signature }) => signature);
    };
    const unknown = bs58.encode(new Uint8Array(64).fill(7));
    for (const [config, signatures] of [
      [{}, [third, second, first]],
      [{ before: third }, [second, first]],
      [{ before: first }, []],
      [{ until: first }, [third, second]],
      [{ before: unknown }, []],
      [{ until: unknown }, [third, second, first]],
      // A cursor stands for its place in the chain, whichever accounts its transaction mentions.
      [{ before: other }, [first]],
      [{ until: other }, [third, second]],
    ] as const)
      expect(await listed(config)).toEqual(signatures);
    expect(await listed({ before: third }, address)).toContain(first);
  });
});
