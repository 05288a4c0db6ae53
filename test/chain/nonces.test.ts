import { Keypair, NonceAccount, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { valueOf } from '../api/rpc/support.js';
import { NoncePayer, RENT } from '../support/nonce-payer.js';
import { ENGINES, world } from '../support/world.js';

describe('durable nonces', () => {
  it('have the same values on both engines, and again after a restore', async () => {
    const values: string[][] = [];
    for (const engine of ENGINES) {
      const sim = await world({ engine });
      const payer = await NoncePayer.of(sim);
      const snapshot = await sim.snapshot();
      const seen = [await payer.value()];
      for (const round of [0, 1]) {
        if (round === 1) await sim.revert(snapshot);
        await sim.chain.sendTransaction(await payer.signed(payer.pay(1)));
        seen.push(await payer.value());
      }
      values.push(seen);
    }
    const [first, second, again] = values[0] as string[];
    expect(new Set([first, second]).size).toBe(2);
    expect(again).toBe(second);
    expect(values[1]).toEqual(values[0]);
  });

  it.each(ENGINES)('keep their value when they receive lamports on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const before = await payer.value();
    await sim.faucet(payer.nonce.publicKey.toBase58(), 1, 'SOL');
    expect(await payer.value()).toBe(before);
  });

  it.each(ENGINES)('have the value after a simulation that they then have on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const bytes = await payer.signed(payer.pay(1));
    const address = payer.nonce.publicKey.toBase58();
    const options = { encoding: 'base64', accounts: { encoding: 'base64', addresses: [address] } };
    const text = Buffer.from(bytes).toString('base64');
    const told = await valueOf<{ accounts: { data: [string] }[] }>(sim, 'simulateTransaction', text, options);
    const data = Buffer.from(told.accounts[0]?.data[0] ?? '', 'base64');
    const simulated = NonceAccount.fromAccountData(data).nonce;
    const before = await payer.value();
    await sim.chain.sendTransaction(bytes);
    expect(simulated).toBe(await payer.value());
    expect(simulated).not.toBe(before);
  });

  it.each(ENGINES)('keep a transaction valid longer than any blockhash on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const bytes = await payer.signed(payer.pay(5));
    await sim.advance('30d');
    await sim.chain.sendTransaction(bytes);
    await expect(sim.chain.sendTransaction(bytes)).rejects.toThrow('Blockhash not found');
    const account = await sim.chain.getAccount(payer.nonce.publicKey.toBase58());
    expect(account?.lamports).toBe(BigInt(RENT + 5));
  });

  it.each(ENGINES)(
    'are advanced at once by a transaction with the newest blockhash on %s',
    async (engine) => {
      const sim = await world({ engine });
      const payer = await NoncePayer.of(sim);
      for (let round = 0; round < 3; round += 1) {
        const before = await payer.value();
        const { blockhash, lastValidBlockHeight } = sim.chain.latestBlockhash();
        const feePayer = payer.keys.publicKey;
        const advance = new Transaction({ feePayer, blockhash, lastValidBlockHeight });
        const accounts = { noncePubkey: payer.nonce.publicKey, authorizedPubkey: feePayer };
        advance.add(SystemProgram.nonceAdvance(accounts)).sign(payer.keys);
        await sim.chain.sendTransaction(advance.serialize());
        expect(await payer.value()).not.toBe(before);
      }
    },
  );

  it.each(ENGINES)('cannot be used without the signature of their authority on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const stranger = Keypair.fromSecretKey(bs58.decode(sim.wallets[1]?.secretKey ?? ''));
    const authorizedPubkey = stranger.publicKey;
    const advance = SystemProgram.nonceAdvance({ noncePubkey: payer.nonce.publicKey, authorizedPubkey });
    const nonceInfo = { nonce: await payer.value(), nonceInstruction: advance };
    const stolen = new Transaction({ feePayer: authorizedPubkey, nonceInfo, minContextSlot: 0 });
    stolen.sign(stranger);
    await expect(sim.chain.sendTransaction(stolen.serialize())).rejects.toThrow('Blockhash not found');
  });

  it.each(ENGINES)('are advanced by a transaction that fails, which pays its fee, on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const [before, { lamports }] = [
      await payer.value(),
      await sim.chain.balances(payer.keys.publicKey.toBase58()),
    ];
    const tooMuch = await payer.signed(payer.pay(1e13));
    const sent = await sim.chain.submit(tooMuch, { skipPreflight: true });
    expect(sent).toMatchObject({ record: { error: { InstructionError: [1, { Custom: 1 }] } } });
    expect(await payer.value()).not.toBe(before);
    expect((await sim.chain.balances(payer.keys.publicKey.toBase58())).lamports).toBe(lamports - 5_000n);
  });

  it.each(ENGINES)('cannot be advanced in the transaction that creates them on %s', async (engine) => {
    const sim = await world({ engine });
    const payer = await NoncePayer.of(sim);
    const nonce = Keypair.generate();
    const authority = payer.keys.publicKey;
    const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce.publicKey, authorizedPubkey: authority });
    const transaction = payer.creation(nonce).add(advance);
    transaction.sign(payer.keys, nonce);
    // NonceBlockhashNotExpired of the system program.
    await expect(sim.chain.sendTransaction(transaction.serialize())).rejects.toThrow(
      /custom program error: 0x7$/,
    );
  });
});
