import bs58 from 'bs58';
import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { SIGNATURE_FEE } from '../model/chain-count.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Step } from '../step.js';
import type { FuzzEngine, RpcMishap } from '../world.js';
import {
  NATIVE_PROGRAMS,
  SYSVARS,
  advanceNonce,
  computeUnitLimit,
  computeUnitPrice,
  createNonce,
  createTable,
  memo,
  tableAddress,
  transferLamports,
} from './instructions.js';
import { type Content, PACKET_BYTES, compiled, signed } from './message.js';
import type { ENCODINGS } from './attempt.js';
import type { Witness } from './witness.js';

export interface RpcSend {
  readonly version: 'legacy' | 0;
  readonly transfers: readonly { readonly to: string; readonly lamports: number }[];
  readonly memo?: string;
  /** Fills the memo until the transaction has as many bytes as a packet takes, and so many more. */
  readonly fill?: number;
  readonly units?: number;
  /** Millionths of a lamport for each unit. */
  readonly price?: number;
  /** The agent that signs the memo too. */
  readonly cosigner?: string;
  /** `unknown`, or the nonce account whose value takes the place of a blockhash; the latest blockhash when left out. */
  readonly lifetime?: string;
  readonly table?: string;
  readonly creates?: 'nonce' | 'table';
  readonly encoding: (typeof ENCODINGS)[number];
  readonly skipPreflight: boolean;
  readonly flaw?: string;
  /** A fault that keeps it from the chain. */
  readonly mishap?: RpcMishap;
  /** Whether it is sent again, after the fault or after it has run. */
  readonly again?: boolean;
}

/** A blockhash that no slot has. */
const UNKNOWN = bs58.encode(new Uint8Array(32).fill(5));

export interface NewTable {
  readonly address: string;
  readonly slot: bigint;
  readonly bump: number;
  readonly addresses: readonly string[];
}

/** The fee in lamports: for each signature, and for the units that are allowed. Source: docs.solana.com, Fees; docs/fidelity.md. */
export function feeOf(
  { instructions }: Content,
  signatures: number,
  { units, price = 0 }: RpcSend,
  engine: FuzzEngine,
): bigint {
  // The runtime of bankrun allows native programs as much as others, and those that set the budget nothing.
  const counted = instructions.filter(
    ({ program }) => engine !== 'bankrun' || !program.startsWith('ComputeBudget'),
  );
  const allowed = counted.reduce(
    (sum, { program }) => sum + (engine === 'litesvm' && NATIVE_PROGRAMS.has(program) ? 3_000 : 200_000),
    0,
  );
  const limit = BigInt(Math.min(units ?? allowed, 1_400_000));
  return BigInt(signatures) * SIGNATURE_FEE + (BigInt(price) * limit + 999_999n) / 1_000_000n;
}

/** Builds the transaction of a step; null when what it refers to is not there. */
export class Builder {
  readonly #step: Step;
  readonly #runner: ModelRunner;
  readonly #args: RpcSend;
  readonly #payer: string;
  readonly wallets: readonly AgentWallet[];
  readonly #blockhash: string;
  readonly #witness: Witness;

  constructor(
    step: Step,
    args: RpcSend,
    { runner, witness, blockhash }: { runner: ModelRunner; witness: Witness; blockhash: string },
  ) {
    const { by = '' } = step;
    this.#step = step;
    this.#runner = runner;
    this.#args = args;
    this.#payer = runner.address(by);
    this.wallets = [by, ...(args.cosigner === undefined ? [] : [args.cosigner])].map((name) =>
      runner.wallet(name),
    );
    this.#blockhash = blockhash;
    this.#witness = witness;
  }

  /** The seed of the nonce account that the step creates. */
  get nonceSeed(): string {
    return `nonce ${this.#step.id}`;
  }

  async content(table: NewTable | null): Promise<Content | null> {
    const { version, transfers, lifetime, table: used, units, price, creates } = this.#args;
    const { memory } = this.#runner;
    const nonce = lifetime === undefined || lifetime === 'unknown' ? null : lifetime;
    const value = nonce === null ? null : await this.#nonceIn(nonce);
    if (nonce !== null && value === null) return null;
    const known = used === undefined ? null : memory.tables.find(({ address }) => address === used);
    if (known === undefined) return null;
    const { memo: text, cosigner } = this.#args;
    const cosigners = cosigner === undefined ? [] : [this.#runner.address(cosigner)];
    return {
      version,
      payer: this.#payer,
      lifetime: lifetime === 'unknown' ? UNKNOWN : (value ?? this.#blockhash),
      table: known,
      instructions: [
        ...(nonce === null ? [] : [advanceNonce(nonce, this.#payer)]),
        ...(units === undefined ? [] : [computeUnitLimit(units)]),
        ...(price === undefined ? [] : [computeUnitPrice(price)]),
        ...transfers.map(({ to, lamports }) => transferLamports(this.#payer, to, BigInt(lamports))),
        ...(creates === 'nonce' ? createNonce(this.#payer, this.nonceSeed) : []),
        ...(table === null ? [] : createTable(this.#payer, table)),
        ...(text === undefined ? [] : [memo(text, [this.#payer, ...cosigners])]),
      ],
    };
  }

  /** The content with a memo that fills a packet, and so many bytes more. */
  filled(content: Content): Content {
    const { fill } = this.#args;
    const note = content.instructions.at(-1);
    if (fill === undefined || note === undefined) return content;
    const lengthened = (by: number): Content => {
      const data = Buffer.concat([note.data, Buffer.alloc(by, 'x')]);
      return { ...content, instructions: [...content.instructions.slice(0, -1), { ...note, data }] };
    };
    // The length of a memo takes another byte from 128 on.
    const missing = PACKET_BYTES - signed(compiled(lengthened(128)), this.wallets).length;
    return missing + 128 < 0 ? content : lengthened(128 + missing + fill);
  }

  /** What a new lookup table consists of: the program accepts the highest bump whose address no key has. */
  async newTable(): Promise<NewTable | null> {
    if (this.#args.creates !== 'table') return null;
    // The newest of the slots whose hashes are known.
    const slot = (await this.#witness.dataOf(SYSVARS.slotHashes)).readBigUInt64LE(8);
    const { strangers, names } = this.#runner;
    const addresses = [
      ...strangers,
      this.#runner.world.modelConfig.treasury,
      ...names.map((name) => this.#runner.address(name)),
    ];
    for (let bump = 255; bump > 240; bump -= 1) {
      const table = { address: tableAddress(this.#payer, slot, bump), slot, bump, addresses };
      const content: Content = {
        version: 'legacy',
        payer: this.#payer,
        lifetime: this.#blockhash,
        instructions: createTable(this.#payer, table),
        table: null,
      };
      const text = Buffer.from(signed(compiled(content), this.wallets)).toString('base64');
      const options = { encoding: 'base64', commitment: 'processed' };
      type Simulated = { value: { err: unknown } };
      const { value } = await this.#witness.result<Simulated>('simulateTransaction', text, options);
      if (!JSON.stringify(value.err ?? null).includes('InvalidSeeds')) return table;
    }
    return null;
  }

  async #nonceIn(address: string): Promise<string | null> {
    if (!this.#runner.memory.nonces.some((each) => this.#runner.resolve(each.reference) === address))
      return null;
    const data = await this.#witness.dataOf(address);
    return data.length === 80 ? bs58.encode(data.subarray(40, 72)) : null;
  }
}
