import { NATIVE_MINT, SYSTEM_PROGRAM, SYSVARS, TOKEN_PROGRAM } from '../../src/chain/solana/addresses.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Chain, type ChainOptions } from '../../src/chain/chain.js';
import type { Engine } from '../../src/chain/engine.js';
import { genesisAccounts, USDC_MINTS, walletAccount } from '../../src/chain/genesis.js';
import { createTokenAccount, transferLamports, transferTokens } from '../../src/chain/solana/instructions.js';
import {
  associatedTokenAddress,
  rentExemptLamports,
  tokenAmount,
} from '../../src/chain/solana/token-accounts.js';
import { type Instruction, buildTransaction, compileTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';

const SOL = 1_000_000_000n;
const keys = new KeyRing('conformance');
const [alice, bob, nobody] = [keys.derive('alice'), keys.derive('bob'), keys.derive('nobody')];
const mint = USDC_MINTS.mainnet;

class Scene {
  nowMs = Date.UTC(2026, 0, 1);
  readonly chain: Chain;

  constructor(
    readonly engine: Engine,
    options: Partial<ChainOptions> = {},
  ) {
    const startedMs = this.nowMs;
    const clock = { nowMs: () => this.nowMs, slotMs: () => this.nowMs - startedMs, isFrozen: () => true };
    const atOnce = { confirmed: 0, finalized: 0 };
    this.chain = new Chain({ engine, clock, seed: 'test', confirmationSlots: atOnce, ...options });
  }

  build(
    instructions: Instruction[],
    blockhash = this.chain.latestBlockhash().blockhash,
    signer = alice,
  ): Uint8Array {
    return buildTransaction(instructions, [signer], blockhash);
  }

  pay(lamports: bigint, blockhash?: string): Uint8Array {
    return this.build([transferLamports(alice.address, bob.address, lamports)], blockhash);
  }

  async lamports(address: string): Promise<bigint> {
    return (await this.chain.getAccount(address))?.lamports ?? 0n;
  }

  /** Everything that a rejected transaction must leave unchanged. */
  async state(): Promise<unknown> {
    const accounts = await Promise.all([alice, bob].map(({ address }) => this.engine.getAccount(address)));
    const { history, extraSlots } = this.chain.snapshot();
    return { accounts, transactions: history.log.size, extraSlots };
  }
}

/** Where the runtimes themselves differ, as clusters of their versions do. */
interface Differences {
  /** The error of a transaction whose program does not exist. */
  readonly missingProgram: string;
  /** The error of a transfer to a deployed program; null where it is accepted. */
  readonly transferToProgram: object | null;
}

/** What every engine must do under the chain. */
export function conformance(name: string, start: () => Promise<Engine>, differs: Differences): void {
  async function scene(options: Partial<ChainOptions> = {}): Promise<Scene> {
    const made = new Scene(await start(), options);
    onTestFinished(() => made.chain.release());
    const wallets = [
      { address: alice.address, lamports: 100n * SOL, usdcBase: 1_000_000_000n },
      { address: bob.address, lamports: SOL, usdcBase: 0n },
    ];
    await made.chain.setAccounts(genesisAccounts(alice.address, wallets));
    return made;
  }

  async function refused(made: Scene, bytes: Uint8Array, error: unknown): Promise<void> {
    const before = await made.state();
    expect(await made.chain.submit(bytes)).toMatchObject({ kind: 'refused', error });
    expect(await made.state()).toEqual(before);
  }

  describe(`engine conformance: ${name}`, () => {
    it('transfers tokens, creates token accounts at the rent-exempt minimum, and records balances before and after', async () => {
      const made = await scene();
      const { address } = nobody;
      const token = { mint, amountBase: 2_500_000n, decimals: 6 };
      const instructions = [
        createTokenAccount(alice.address, address, mint),
        transferTokens(alice.address, address, token),
      ];
      const submission = await made.chain.submit(made.build(instructions));
      if (submission.kind !== 'processed') throw new Error(JSON.stringify(submission));
      const ata = associatedTokenAddress(address, mint);
      expect(tokenAmount(await made.chain.getAccount(ata))).toBe(2_500_000n);
      const { record } = submission;
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
      const made = await scene();
      const bytes = made.pay(1n);
      bytes[10] = (bytes[10] as number) ^ 1;
      await refused(made, bytes, 'SignatureFailure');
      const stolen = made.pay(1n);
      stolen[stolen.length - 1] = (stolen[stolen.length - 1] as number) ^ 1;
      await refused(made, stolen, 'SignatureFailure');
    });

    it('accepts a blockhash for 150 slots and rejects an expired or unknown one', async () => {
      const made = await scene();
      const { blockhash } = made.chain.latestBlockhash();
      made.nowMs += 150 * 400;
      expect((await made.chain.submit(made.pay(1n, blockhash))).kind).toBe('processed');
      made.nowMs += 400;
      await refused(made, made.pay(2n, blockhash), 'BlockhashNotFound');
      await refused(made, made.pay(3n, bob.address), 'BlockhashNotFound');
    });

    it('rejects a replayed transaction', async () => {
      const made = await scene();
      const bytes = made.pay(7n);
      expect((await made.chain.submit(bytes)).kind).toBe('processed');
      for (let round = 0; round < 40; round += 1) await made.chain.submit(made.pay(BigInt(100 + round)));
      await refused(made, bytes, 'AlreadyProcessed');
    });

    it('rejects an overspend of SOL and of tokens in preflight', async () => {
      const made = await scene();
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
      const made = await scene();
      const sent = Buffer.from(made.pay(SOL));
      const before = sent.toString('base64');
      const submission = await made.chain.submit(sent);
      expect(submission.kind).toBe('processed');
      expect(sent.toString('base64')).toBe(before);
      if (submission.kind === 'processed')
        expect(Buffer.from(submission.record.bytes).toString('base64')).toBe(before);
    });

    it('rejects a fee payer without an account, and an account below its rent-exempt minimum', async () => {
      const made = await scene();
      const poor = made.build([transferLamports(nobody.address, bob.address, 1n)], undefined, nobody);
      await refused(made, poor, 'AccountNotFound');
      const least = rentExemptLamports(0);
      const open = (lamports: bigint) =>
        made.build([transferLamports(alice.address, nobody.address, lamports)]);
      await refused(made, open(least - 1n), { InsufficientFundsForRent: { account_index: 1 } });
      expect(await made.chain.submit(open(least))).toMatchObject({ record: { error: null } });
    });

    it('refuses lamports for accounts of Solana itself, and for deployed programs by its version', async () => {
      const made = await scene();
      const pay = (to: string) => made.build([transferLamports(alice.address, to, SOL / 1_000n)]);
      for (const address of [SYSTEM_PROGRAM, SYSVARS.clock, 'Vote111111111111111111111111111111111111111'])
        await refused(made, pay(address), { InstructionError: [0, 'ReadonlyLamportChange'] });
      const { transferToProgram: error } = differs;
      const submission = await made.chain.submit(pay(TOKEN_PROGRAM));
      expect(submission).toMatchObject(error === null ? { kind: 'processed' } : { kind: 'refused', error });
    });

    it('begins with the mint of wrapped SOL as a cluster does', async () => {
      const { chain } = await scene();
      expect(await chain.getAccount(NATIVE_MINT)).toMatchObject({ lamports: SOL, owner: TOKEN_PROGRAM });
    });

    it('never charges a fee payer whom the fee would leave below its rent-exempt minimum', async () => {
      const made = await scene();
      await made.chain.submit(made.build([transferLamports(alice.address, nobody.address, 892_000n)]));
      const error = { InsufficientFundsForRent: { account_index: 0 } };
      const before = await made.state();
      for (const lamports of [1n, 10n * SOL]) {
        const poor = made.build([transferLamports(nobody.address, bob.address, lamports)], undefined, nobody);
        expect(await made.chain.submit(poor, { skipPreflight: true })).toMatchObject({
          kind: 'refused',
          error,
        });
      }
      expect(await made.state()).toEqual(before);
    });

    it('rejects a missing program and malformed transactions', async () => {
      const made = await scene();
      const { blockhash } = made.chain.latestBlockhash();
      const unknown = { program: nobody.address, accounts: [], data: new Uint8Array(0) };
      await refused(made, made.build([unknown]), differs.missingProgram);
      for (const bytes of [
        new Uint8Array(0),
        new Uint8Array(2_000),
        made.pay(1n, blockhash).subarray(0, 100),
      ]) {
        await refused(made, bytes, 'SanitizeFailure');
      }
    });

    it('writes and removes accounts directly', async () => {
      const made = await scene();
      await made.chain.setAccounts(new Map([[nobody.address, walletAccount(5n * SOL)]]));
      expect((await made.engine.getAccount(nobody.address))?.lamports).toBe(5n * SOL);
      await made.chain.setAccounts(new Map([[nobody.address, null]]));
      expect(await made.engine.getAccount(nobody.address)).toBeNull();
      expect(await made.chain.getAccount(nobody.address)).toBeNull();
    });

    it("verifies predictions for the bank's own transfers and reports a wrong one", async () => {
      const made = await scene();
      const transfer = (lamports: bigint) => {
        const instruction = transferLamports(alice.address, bob.address, lamports);
        return compileTransaction([instruction], [alice], made.chain.latestBlockhash().blockhash);
      };
      const expected = (lamports: bigint) => ({
        lamports: new Map([
          [alice.address, -lamports - 5_000n],
          [bob.address, lamports],
        ]),
        tokens: new Map<string, bigint>(),
      });
      for (let round = 1n; round <= 100n; round += 1n) {
        const submission = await made.chain.submitOwn(transfer(round), { changes: expected(round) });
        expect(submission).toMatchObject({ kind: 'processed', record: { feeLamports: 5_000n } });
      }
      await made.chain.verifyPredictions();
      expect(await made.chain.getAccount(bob.address)).toEqual(await made.engine.getAccount(bob.address));
      const snapshot = made.chain.snapshot();
      await made.chain.submitOwn(transfer(7n), { changes: expected(8n) });
      await expect(made.chain.getAccount(bob.address)).rejects.toThrow('differs from the prediction');
      await made.chain.restore(snapshot);
      expect(await made.lamports(bob.address)).toBe(SOL + 5_050n);
    });

    it('gives all transactions of a slot the same block time', async () => {
      let nowMs = Date.UTC(2026, 0, 1);
      const clock = { nowMs: () => nowMs, slotMs: () => 0, isFrozen: () => false };
      const made = await scene({ clock });
      const [first, second, third] = [made.pay(1n), made.pay(2n), made.pay(3n)];
      // The first ends its slot, since it uses the latest blockhash.
      const submissions = [await made.chain.submit(first)];
      nowMs += 900;
      submissions.push(await made.chain.submit(second));
      nowMs += 200;
      submissions.push(await made.chain.submit(third));
      for (const submission of submissions) expect(submission.kind).toBe('processed');
      const times = made.chain
        .snapshot()
        .history.log.map(({ slot, blockTimeSeconds }) => [slot, blockTimeSeconds]);
      const [, ...later] = times.slice(-3).map(String);
      expect(new Set(later).size).toBe(1);
    });

    it('puts genesis accounts into slot 0, however long startup takes', async () => {
      const made = await scene();
      made.nowMs += 5_000;
      await made.chain.setGenesis(new Map([[nobody.address, walletAccount(SOL)]]));
      expect(made.chain.snapshot().history.log.last()?.slot).toBe(0);
    });

    it('confirms after the configured number of slots', async () => {
      const made = await scene({ confirmationSlots: { confirmed: 3, finalized: 5 } });
      const submission = await made.chain.submit(made.pay(1n));
      if (submission.kind !== 'processed') throw new Error('refused');
      expect(made.chain.isConfirmed(submission.record)).toBe(false);
      made.nowMs += 4 * 400;
      expect(made.chain.isConfirmed(submission.record)).toBe(true);
    });
  });
}
