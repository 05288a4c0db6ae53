import { onTestFinished } from 'vitest';
import { Chain, type ChainOptions } from '../../src/chain/chain.js';
import type { Engine } from '../../src/chain/engine.js';
import { startEngine } from '../../src/chain/engines/start.js';
import { type GenesisWallet, USDC_MINTS, genesisAccounts } from '../../src/chain/genesis.js';
import type { TransactionRecord } from '../../src/chain/history.js';
import { transferLamports } from '../../src/chain/solana/instructions.js';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { type Instruction, buildTransaction } from '../../src/chain/solana/wire.js';
import { type SubmitOptions, processed } from '../../src/chain/submission.js';
import { type KeyPair, KeyRing } from '../../src/world/keys.js';
import type { ENGINES } from './world.js';

export const SOL = 1_000_000_000n;
export const START = Date.UTC(2026, 0, 1);
export const mint = USDC_MINTS.mainnet;

const keys = new KeyRing('chain scene');
export const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => keys.derive(name)) as [
  KeyPair,
  KeyPair,
  KeyPair,
];
export const PEOPLE = [alice, bob, carol];

/** Whoever has not been on the chain. */
export const nobody = keys.derive('nobody');

/** A chain on an engine, without a bank, on which alice, bob and carol have 10 SOL and 1 USDC each. */
export class ChainScene {
  readonly time = { nowMs: START, isFrozen: true };
  readonly chain: Chain;

  private constructor(
    readonly engine: Engine,
    options: Partial<ChainOptions>,
  ) {
    const { time } = this;
    const clock = {
      nowMs: () => time.nowMs,
      slotMs: () => time.nowMs - START,
      isFrozen: () => time.isFrozen,
    };
    const confirmationSlots = { confirmed: 0, finalized: 0 };
    this.chain = new Chain({ engine, clock, seed: 'test', confirmationSlots, ...options });
  }

  /** Starts the chain; it is released when the test ends, unless `isKept` says that the test does it. */
  static async on(
    name: (typeof ENGINES)[number],
    { isKept = false, ...options }: Partial<ChainOptions> & { isKept?: boolean } = {},
  ): Promise<ChainScene> {
    const scene = new ChainScene(await startEngine(name), options);
    if (!isKept) onTestFinished(() => scene.chain.release());
    const wallets = PEOPLE.map(({ address }): GenesisWallet => ({
      address,
      lamports: 10n * SOL,
      usdcBase: 1_000_000n,
    }));
    await scene.chain.setAccounts(genesisAccounts(alice.address, wallets));
    return scene;
  }

  build(
    instructions: Instruction[],
    { signers = [alice], blockhash = this.chain.latestBlockhash().blockhash } = {},
  ): Uint8Array {
    return buildTransaction(instructions, signers, blockhash);
  }

  /** A transfer of lamports from alice to bob, unless said otherwise. */
  pay(
    lamports: bigint,
    { from = alice, to = bob.address, blockhash }: { from?: KeyPair; to?: string; blockhash?: string } = {},
  ): Uint8Array {
    const signed = { signers: [from], ...(blockhash === undefined ? {} : { blockhash }) };
    return this.build([transferLamports(from.address, to, lamports)], signed);
  }

  /** Submits a transaction that is not refused. */
  async run(bytes: Uint8Array, options: SubmitOptions = {}): Promise<TransactionRecord> {
    return processed(await this.chain.submit(bytes, options));
  }

  async lamports(address: string): Promise<bigint> {
    return (await this.engine.getAccount(address))?.lamports ?? 0n;
  }

  /** The engine's version of every account of the three, and what a rejected transaction must also leave unchanged. */
  async state(): Promise<unknown> {
    const { history, extraSlots } = this.chain.snapshot();
    const addresses = PEOPLE.flatMap(({ address }) => [address, associatedTokenAddress(address, mint)]);
    const accounts = (await this.engine.getAccounts([...addresses, mint])).map(
      (account) => account && { ...account, data: Buffer.from(account.data).toString('hex') },
    );
    return { accounts, log: history.log.size, names: [...history.bySignature.keys()], extraSlots };
  }
}
