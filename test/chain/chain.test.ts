import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SYSTEM_PROGRAM, addressOf, bytesOf } from '../../src/chain/solana/addresses.js';
import type { ChainSnapshot } from '../../src/chain/chain.js';
import { BankrunEngine } from '../../src/chain/engines/bankrun.js';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { createTokenAccount, transferLamports, transferTokens } from '../../src/chain/solana/instructions.js';
import { KeyRing } from '../../src/world/keys.js';
import { ChainScene, PEOPLE, SOL, alice, bob, carol, mint, nobody } from '../support/chain-scene.js';
import { tableAccount } from '../support/lookup-table.js';
import { ENGINES } from '../support/world.js';
import { forAll, forAllAsync } from '../support/for-all.js';

/** A v0 transaction built by web3.js and signed by alice's key. */
function v0(
  one: ChainScene,
  instructions: web3.TransactionInstruction[],
  tables: web3.AddressLookupTableAccount[],
) {
  const message = new web3.TransactionMessage({
    payerKey: new web3.PublicKey(alice.address),
    recentBlockhash: one.chain.latestBlockhash().blockhash,
    instructions,
  }).compileToV0Message(tables);
  const transaction = new web3.VersionedTransaction(message);
  transaction.addSignature(new web3.PublicKey(alice.address), alice.sign(message.serialize()));
  return transaction.serialize();
}

function lookupTable(addresses: readonly string[]) {
  const account = tableAccount(addresses);
  const state = web3.AddressLookupTableAccount.deserialize(account.data);
  const key = new web3.PublicKey(new KeyRing('chain-test').derive('table').address);
  return { account, table: new web3.AddressLookupTableAccount({ key, state }) };
}

describe.each(ENGINES)('chain on %s', (name) => {
  it('charges the first signer 5,000 lamports for each signature', async () => {
    const one = await ChainScene.on(name);
    const instructions = [
      transferLamports(bob.address, carol.address, 7n),
      transferTokens(carol.address, bob.address, { mint, amountBase: 3n, decimals: 6 }),
    ];
    const record = await one.run(one.build(instructions, { signers: PEOPLE }));
    expect([record.feeLamports, record.requiredSignatures]).toEqual([15_000n, 3]);
    expect(await one.lamports(alice.address)).toBe(10n * SOL - 15_000n);
    expect(await one.lamports(bob.address)).toBe(10n * SOL - 7n);
  });

  it('executes all instructions of a transaction or none', async () => {
    const one = await ChainScene.on(name);
    const instructions = [
      transferLamports(alice.address, bob.address, SOL),
      transferLamports(alice.address, carol.address, 100n * SOL),
    ];
    const before = await one.state();
    const bytes = one.build(instructions);
    expect(await one.chain.submit(bytes)).toMatchObject({
      kind: 'refused',
      error: { InstructionError: [1, { Custom: 1 }] },
    });
    expect(await one.state()).toEqual(before);
    const record = await one.run(bytes, { skipPreflight: true });
    expect(record).toMatchObject({ error: { InstructionError: [1, { Custom: 1 }] }, feeLamports: 5_000n });
    expect(await one.lamports(bob.address)).toBe(10n * SOL);
    expect(one.chain.transaction(record.signature)).toBe(record);
    expect(await one.chain.submit(bytes)).toMatchObject({ kind: 'refused', error: 'AlreadyProcessed' });
  });

  it('treats an emptied account as missing and recreates it at the same address', async () => {
    const one = await ChainScene.on(name);
    const emptied = [transferLamports(bob.address, alice.address, 10n * SOL)];
    await one.run(one.build(emptied, { signers: [alice, bob] }));
    expect(await one.chain.getAccount(bob.address)).toBeNull();
    const snapshot = one.chain.snapshot();
    await one.run(one.pay(SOL));
    expect((await one.chain.getAccount(bob.address))?.lamports).toBe(SOL);
    await one.chain.restore(snapshot);
    expect(await one.engine.getAccount(bob.address)).toBeNull();
  });

  it('runs a transaction with a lookup table and indexes the looked-up accounts in the history', async () => {
    const one = await ChainScene.on(name);
    const { account, table } = lookupTable([carol.address, bob.address]);
    const transfer = web3.SystemProgram.transfer({
      fromPubkey: new web3.PublicKey(alice.address),
      toPubkey: new web3.PublicKey(bob.address),
      lamports: 5n,
    });
    const before = await one.state();
    const early = await one.chain.submit(v0(one, [transfer], [table]), { skipPreflight: true });
    expect(early).toMatchObject({ kind: 'refused', error: 'AddressLookupTableNotFound' });
    expect(await one.state()).toEqual(before);
    await one.chain.setAccounts(new Map([[table.key.toBase58(), account]]));
    one.time.nowMs += 4_000; // A lookup table can be used from the slot after the one that wrote it.
    const record = await one.run(v0(one, [transfer], [table]));
    expect([record.error, record.feeLamports]).toEqual([null, 5_000n]);
    expect(record.accountKeys).toContain(bob.address);
    expect(one.chain.transactionCount(bob.address)).toBe(1);
    expect((await one.chain.getAccount(bob.address))?.lamports).toBe(10n * SOL + 5n);
    expect(await one.lamports(bob.address)).toBe(10n * SOL + 5n);
  });

  it('never throws for a validly signed random transaction; a rejected one changes nothing', async () => {
    const one = await ChainScene.on(name);
    const index = fc.nat(8);
    const nonsense = fc.record({
      readonlyUnsigned: fc.nat(4),
      keys: fc.array(
        fc.constantFrom(bob.address, SYSTEM_PROGRAM, mint, 'Sysvar1111111111111111111111111111111111111'),
        {
          maxLength: 4,
        },
      ),
      instructions: fc.array(
        fc.record({
          program: index,
          accounts: fc.array(index, { maxLength: 4 }),
          data: fc.uint8Array({ maxLength: 20 }),
        }),
        { maxLength: 3 },
      ),
      version: fc.constantFrom('legacy', 'v0'),
      lookups: fc.array(fc.array(fc.nat(2), { maxLength: 2 }), { maxLength: 2 }),
      skipPreflight: fc.boolean(),
    });
    await forAllAsync(150, nonsense, async (plan) => {
      const body = [
        ...(plan.version === 'v0' ? [0x80] : []),
        1,
        0,
        plan.readonlyUnsigned,
        plan.keys.length + 1,
        ...[alice.address, ...plan.keys].flatMap((address) => [...bytesOf(address)]),
        ...bytesOf(one.chain.latestBlockhash().blockhash),
        plan.instructions.length,
        ...plan.instructions.flatMap(({ program, accounts, data }) => [
          program,
          accounts.length,
          ...accounts,
          data.length,
          ...data,
        ]),
        ...(plan.version === 'v0'
          ? [
              plan.lookups.length,
              ...plan.lookups.flatMap((indices) => [...bytesOf(mint), indices.length, ...indices, 0]),
            ]
          : []),
      ];
      const message = Uint8Array.from(body);
      const bytes = Uint8Array.from([1, ...alice.sign(message), ...message]);
      const before = await one.state();
      const submission = await one.chain.submit(bytes, { skipPreflight: plan.skipPreflight });
      if (submission.kind === 'refused') expect(await one.state()).toEqual(before);
      else {
        expect(submission.record.feeLamports).toBe(5_000n);
        for (const { address, post } of submission.record.touched) {
          if (!address.startsWith('Sysvar')) expect(await one.engine.getAccount(address)).toEqual(post);
        }
      }
    });
  });

  it('serializes concurrent submissions: no transfer is lost, and the one without funds is rejected', async () => {
    const one = await ChainScene.on(name);
    const transfers = Array.from({ length: 12 }, (_, at) => one.pay(SOL - BigInt(at)));
    const all = await Promise.all(transfers.map((bytes) => one.chain.submit(bytes)));
    const ran = all.filter(({ kind }) => kind === 'processed').length;
    expect(ran).toBe(10 - 1);
    const held = (await one.lamports(alice.address)) + (await one.lamports(bob.address));
    expect(held).toBe(20n * SOL - BigInt(ran) * 5_000n);
    const again = { from: bob, to: alice.address };
    const same = await Promise.all([1, 2, 3].map(() => one.chain.submit(one.pay(9n, again))));
    expect(same.map(({ kind }) => kind)).toEqual(['processed', 'refused', 'refused']);
  });

  it('reports external transactions that were executed, including failed ones, but not rejected ones', async () => {
    const one = await ChainScene.on(name);
    const reported: string[] = [];
    one.chain.onForeignTransaction(({ signature }) => reported.push(signature));
    const tooMuch = one.pay(99n * SOL);
    await one.chain.submit(tooMuch);
    expect(reported).toEqual([]);
    const failed = await one.run(tooMuch, { skipPreflight: true });
    const good = await one.run(one.pay(1n));
    const unpaid = one.pay(1n, { from: nobody });
    expect(await one.chain.submit(unpaid, { skipPreflight: true })).toMatchObject({
      kind: 'refused',
      error: 'AccountNotFound',
    });
    expect(reported).toEqual([failed.signature, good.signature]);
  });

  it('restores any snapshot in any order to the same balances and history', async () => {
    const one = await ChainScene.on(name);
    const transfer = fc.record({
      from: fc.constantFrom(...PEOPLE),
      to: fc.constantFrom(...PEOPLE),
      amount: fc.bigInt(1n, 4n * SOL),
      token: fc.boolean(),
    });
    const genesis = one.chain.snapshot();
    await forAllAsync(
      25,
      fc.array(transfer, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (transfers, picks) => {
        await one.chain.restore(genesis);
        const points: { snapshot: ChainSnapshot; state: unknown; next?: Uint8Array; kind?: string }[] = [];
        for (const { from, to, amount, token } of transfers) {
          const instruction = token
            ? transferTokens(from.address, to.address, {
                mint,
                amountBase: amount % 1_000_000n,
                decimals: 6,
              })
            : transferLamports(from.address, to.address, amount);
          const next = one.build([instruction], { signers: [from] });
          const [taken, state] = [one.chain.snapshot(), await one.state()];
          points.push({ snapshot: taken, state, next, kind: (await one.chain.submit(next)).kind });
        }
        points.push({ snapshot: one.chain.snapshot(), state: await one.state() });
        for (const pick of picks) {
          const { snapshot, state, next, kind } = points[pick % points.length] as (typeof points)[number];
          await one.chain.restore(snapshot);
          expect(await one.state()).toEqual(state);
          // Transactions sent after the snapshot can be sent again, with the same result.
          if (next !== undefined) expect((await one.chain.submit(next)).kind).toBe(kind);
        }
      },
    );
  });

  it('discards the blockhashes of a reverted future', async () => {
    const one = await ChainScene.on(name);
    const snapshot = one.chain.snapshot();
    const startedMs = one.time.nowMs;
    one.time.nowMs += 100 * 400;
    const late = one.pay(1n);
    one.time.nowMs = startedMs;
    await one.chain.restore(snapshot);
    expect(await one.chain.submit(late)).toMatchObject({ kind: 'refused', error: 'BlockhashNotFound' });
    one.time.nowMs += 100 * 400;
    expect((await one.chain.submit(late)).kind).toBe('processed');
  });

  it('continues from the snapshot of another chain with the blockhashes that it issued after a revert', async () => {
    const [one, other] = [await ChainScene.on(name), await ChainScene.on(name)];
    const snapshot = one.chain.snapshot();
    one.chain.issuedBlockhash('processed');
    await one.chain.restore(snapshot);
    const signed = one.pay(1n, one.chain.issuedBlockhash('processed'));
    await other.chain.restore(one.chain.snapshot());
    expect((await other.chain.submit(signed)).kind).toBe('processed');
  });

  it('counts a slot for each 400 ms on a running clock and for each transaction with the latest blockhash', async () => {
    const one = await ChainScene.on(name);
    const slotOf = async (lamports: bigint) => (await one.run(one.pay(lamports))).slot;
    expect([await slotOf(1n), await slotOf(2n)]).toEqual([1, 2]);
    one.time.isFrozen = false;
    one.time.nowMs += 10 * 400;
    const earlier = [3n, 4n].map((lamports) => one.pay(lamports));
    expect([await slotOf(5n), await slotOf(6n)]).toEqual([12, 13]);
    for (const bytes of earlier) expect((await one.run(bytes)).slot).toBe(14);
    one.time.nowMs += 399;
    expect(one.chain.slot()).toBe(14);
    one.time.nowMs += 1;
    expect(one.chain.slot()).toBe(15);
  });
});

it('bankrun context pool returns a clean context after a chain is released', async () => {
  const newcomer = new KeyRing('chain-test').derive('newcomer').address;
  const use = async () => {
    const one = await ChainScene.on('bankrun', { isKept: true });
    const { kind } = await one.chain.submit(
      one.build([
        transferLamports(alice.address, newcomer, SOL),
        createTokenAccount(alice.address, newcomer, mint),
      ]),
    );
    const held = [await one.lamports(alice.address), await one.lamports(newcomer)];
    await one.chain.release();
    return { kind, held };
  };
  const before = await use();
  expect(before.kind).toBe('processed');
  // The pool returns the most recently released context, so this is the same one.
  const engine = await BankrunEngine.start();
  const touched = [alice.address, newcomer, mint, associatedTokenAddress(newcomer, mint)];
  expect(await engine.getAccounts(touched)).toEqual([null, null, null, null]);
  engine.release();
  expect(await use()).toEqual(before);
});

it('address encoding round-trips bytes through base58 and rejects text that is not 32 bytes', () => {
  forAll(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
    expect([...bytesOf(addressOf(bytes))]).toEqual([...bytes]);
  });
  for (const text of ['', '1', '1'.repeat(33), '0'.repeat(32)]) expect(() => bytesOf(text)).toThrow();
});
