import { SYSTEM_PROGRAM, SYSVARS, TOKEN_PROGRAM } from '../../src/chain/solana/addresses.js';
import { describe, expect, it } from 'vitest';
import { walletAccount } from '../../src/chain/genesis.js';
import { createTokenAccount, transferLamports, transferTokens } from '../../src/chain/solana/instructions.js';
import {
  associatedTokenAddress,
  rentExemptLamports,
  tokenAmount,
} from '../../src/chain/solana/token-accounts.js';
import { compileTransaction } from '../../src/chain/solana/wire.js';
import { ChainScene, SOL, START, alice, bob, mint, nobody } from '../support/chain-scene.js';
import type { ENGINES } from '../support/world.js';

/** Where the runtimes themselves differ, as clusters of their versions do. */
interface Differences {
  /** The error of a transaction whose program does not exist. */
  readonly missingProgram: string;
  /** The error of a transfer to a deployed program; null where it is accepted. */
  readonly transferToProgram: object | null;
}

/** What every engine must do under the chain. */
export function conformance(name: (typeof ENGINES)[number], differs: Differences): void {
  async function refused(made: ChainScene, bytes: Uint8Array, error: unknown): Promise<void> {
    const before = await made.state();
    expect(await made.chain.submit(bytes)).toMatchObject({ kind: 'refused', error });
    expect(await made.state()).toEqual(before);
  }

  describe(`engine conformance: ${name}`, () => {
    it('transfers tokens, creates token accounts at the rent-exempt minimum, and records balances before and after', async () => {
      const made = await ChainScene.on(name);
      const { address } = nobody;
      const token = { mint, amountBase: 250_000n, decimals: 6 };
      const instructions = [
        createTokenAccount(alice.address, address, mint),
        transferTokens(alice.address, address, token),
      ];
      const record = await made.run(made.build(instructions));
      const ata = associatedTokenAddress(address, mint);
      expect(tokenAmount(await made.chain.getAccount(ata))).toBe(250_000n);
      expect(made.chain.transaction(record.signature)).toBe(record);
      const touched = new Map(record.touched.map((account) => [account.address, account]));
      expect([...touched.keys()].toSorted()).toEqual(
        [alice.address, ata, associatedTokenAddress(alice.address, mint)].toSorted(),
      );
      expect(touched.get(ata)).toMatchObject({ pre: null, post: { lamports: rentExemptLamports(165) } });
      const payer = touched.get(alice.address);
      expect((payer?.pre?.lamports ?? 0n) - (payer?.post?.lamports ?? 0n)).toBe(
        5_000n + rentExemptLamports(165),
      );
      expect(record.execution.logs.length).toBeGreaterThan(2);
      expect(record.execution.unitsConsumed).toBeGreaterThan(0n);
      expect(record.execution.innerInstructions).not.toEqual([]);
      expect(made.chain.transactionCount(ata)).toBe(1);
      expect(made.chain.firstTransaction(mint)).toBe(record);
    });

    it('rejects a forged signature', async () => {
      const made = await ChainScene.on(name);
      const bytes = made.pay(1n);
      bytes[10] = (bytes[10] as number) ^ 1;
      await refused(made, bytes, 'SignatureFailure');
      const stolen = made.pay(1n);
      stolen[stolen.length - 1] = (stolen[stolen.length - 1] as number) ^ 1;
      await refused(made, stolen, 'SignatureFailure');
    });

    it('accepts a blockhash for 150 slots and rejects an expired or unknown one', async () => {
      const made = await ChainScene.on(name);
      const { blockhash } = made.chain.latestBlockhash();
      made.time.nowMs += 150 * 400;
      expect((await made.chain.submit(made.pay(1n, { blockhash }))).kind).toBe('processed');
      made.time.nowMs += 400;
      await refused(made, made.pay(2n, { blockhash }), 'BlockhashNotFound');
      await refused(made, made.pay(3n, { blockhash: bob.address }), 'BlockhashNotFound');
    });

    it('rejects a replayed transaction', async () => {
      const made = await ChainScene.on(name);
      const bytes = made.pay(7n);
      expect((await made.chain.submit(bytes)).kind).toBe('processed');
      for (let round = 0; round < 40; round += 1) await made.chain.submit(made.pay(BigInt(100 + round)));
      await refused(made, bytes, 'AlreadyProcessed');
    });

    it('rejects an overspend of SOL and of tokens in preflight', async () => {
      const made = await ChainScene.on(name);
      await refused(made, made.pay(1_000n * SOL), { InstructionError: [0, { Custom: 1 }] });
      const token = { mint, amountBase: 10n ** 12n, decimals: 6 };
      const tooMuch = made.build([
        transferTokens(alice.address, alice.address, { mint, amountBase: 1n, decimals: 5 }),
      ]);
      await refused(made, tooMuch, { InstructionError: [0, { Custom: 18 }] });
      await refused(made, made.build([transferTokens(alice.address, bob.address, token)]), {
        InstructionError: [0, { Custom: 1 }],
      });
    });

    it('does not modify the submitted bytes, including those of a Buffer', async () => {
      const made = await ChainScene.on(name);
      const sent = Buffer.from(made.pay(SOL));
      const before = sent.toString('base64');
      const { bytes } = await made.run(sent);
      expect([sent, Buffer.from(bytes)].map((each) => each.toString('base64'))).toEqual([before, before]);
    });

    it('rejects a fee payer without an account, and an account below its rent-exempt minimum', async () => {
      const made = await ChainScene.on(name);
      await refused(made, made.pay(1n, { from: nobody }), 'AccountNotFound');
      const least = rentExemptLamports(0);
      const open = (lamports: bigint) => made.pay(lamports, { to: nobody.address });
      await refused(made, open(least - 1n), { InsufficientFundsForRent: { account_index: 1 } });
      expect(await made.chain.submit(open(least))).toMatchObject({ record: { error: null } });
    });

    it('refuses lamports for accounts of Solana itself, and for deployed programs by its version', async () => {
      const made = await ChainScene.on(name);
      const pay = (to: string) => made.pay(SOL / 1_000n, { to });
      for (const address of [SYSTEM_PROGRAM, SYSVARS.clock, 'Vote111111111111111111111111111111111111111'])
        await refused(made, pay(address), { InstructionError: [0, 'ReadonlyLamportChange'] });
      const { transferToProgram: error } = differs;
      const submission = await made.chain.submit(pay(TOKEN_PROGRAM));
      expect(submission).toMatchObject(error === null ? { kind: 'processed' } : { kind: 'refused', error });
    });

    it('never charges a fee payer whom the fee would leave below its rent-exempt minimum', async () => {
      const made = await ChainScene.on(name);
      await made.run(made.pay(892_000n, { to: nobody.address }));
      const error = { InsufficientFundsForRent: { account_index: 0 } };
      const before = await made.state();
      for (const lamports of [1n, 10n * SOL]) {
        const poor = made.pay(lamports, { from: nobody });
        expect(await made.chain.submit(poor, { skipPreflight: true })).toMatchObject({
          kind: 'refused',
          error,
        });
      }
      expect(await made.state()).toEqual(before);
    });

    it('rejects a missing program and malformed transactions', async () => {
      const made = await ChainScene.on(name);
      const { blockhash } = made.chain.latestBlockhash();
      const unknown = { program: nobody.address, accounts: [], data: new Uint8Array(0) };
      await refused(made, made.build([unknown]), differs.missingProgram);
      for (const bytes of [
        new Uint8Array(0),
        new Uint8Array(2_000),
        made.pay(1n, { blockhash }).subarray(0, 100),
      ]) {
        await refused(made, bytes, 'SanitizeFailure');
      }
    });

    it("verifies predictions for the bank's own transfers and reports a wrong one", async () => {
      const made = await ChainScene.on(name);
      const transfer = (lamports: bigint) => {
        const instruction = transferLamports(alice.address, bob.address, lamports);
        return compileTransaction([instruction], [alice], made.chain.latestBlockhash().blockhash);
      };
      for (let round = 1n; round <= 100n; round += 1n) {
        const submission = await made.chain.submitOwn(transfer(round), {});
        expect(submission).toMatchObject({ kind: 'processed', record: { feeLamports: 5_000n } });
      }
      await made.chain.verifyPredictions();
      expect(await made.chain.getAccount(bob.address)).toEqual(await made.engine.getAccount(bob.address));
      const snapshot = made.chain.snapshot();
      await made.chain.submitOwn(transfer(7n), {});
      made.engine.setAccount(bob.address, walletAccount(8n * SOL));
      await expect(made.chain.getAccount(bob.address)).rejects.toThrow('differs from the prediction');
      await made.chain.restore(snapshot);
      expect(await made.lamports(bob.address)).toBe(10n * SOL + 5_050n);
    });

    it('gives all transactions of a slot the same block time', async () => {
      let nowMs = START;
      const clock = { nowMs: () => nowMs, slotMs: () => 0, isFrozen: () => false };
      const made = await ChainScene.on(name, { clock });
      const [first, second, third] = [made.pay(1n), made.pay(2n), made.pay(3n)];
      // The first ends its slot, since it uses the latest blockhash.
      await made.run(first);
      nowMs += 900;
      const earlier = await made.run(second);
      nowMs += 200;
      const later = await made.run(third);
      expect([later.slot, later.blockTimeSeconds]).toEqual([earlier.slot, earlier.blockTimeSeconds]);
    });

    it('puts genesis accounts into slot 0, however long startup takes', async () => {
      const made = await ChainScene.on(name);
      made.time.nowMs += 5_000;
      await made.chain.setGenesis(new Map([[nobody.address, walletAccount(SOL)]]));
      expect(made.chain.snapshot().history.log.last()?.slot).toBe(0);
    });
  });
}
