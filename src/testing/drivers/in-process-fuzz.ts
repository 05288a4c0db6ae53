import { z } from 'zod';
import { USDC_MINTS } from '../../chain/genesis.js';
import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import { NO_REQUEST } from '../../core/domain/request-context.js';
import { isObject } from '../../core/json.js';
import { dueItems } from '../../core/domain/due.js';
import type { Outgoing } from '../../sdk/client/outgoing.js';
import { AgentWallet } from '../../sdk/client/wallet.js';
import { COMMANDS as CONTROL_COMMANDS, CONTROL_PATH, type Command } from '../../api/control/commands.js';
import { problemOf } from '../../api/control/problems.js';
import { BASE_PATH, type Endpoint, endpoints } from '../../contract/endpoints.js';
import {
  type FuzzTarget,
  type FuzzTransport,
  type FuzzWorld,
  type KilledAt,
  MISHAPS,
  type Mishap,
  type OperatorCall,
  type RanTransaction,
  type WorldOptions,
} from '../fuzz/world.js';
import type { Answer, ApiCall, ModelToken, ModelConfig } from '../fuzz/model/types.js';
import { ChainRefusal, processed } from '../../chain/submission.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import { killedDuring } from './killed-world.js';
import { spelledBody, spelledHeaders } from './spellings.js';
import { filledPath } from '../../contract/match-path.js';
import { madeKey } from '../../runtime/dev-wallets.js';

/**
 * Transactions are confirmed immediately, as the bank requires, but final only later, as on Solana: otherwise all commitments look alike.
 */
const FINALITY: [number, number] = [0, 31];

/** Start time of every world, so that runs do not depend on the date. */
const START = '2026-01-01T12:00:00Z';

const NEVER = new AbortController().signal;

type Caller = (call: ApiCall) => Promise<Answer | null>;

/** Calls the service by HTTP requests with bodies and headers, as a socket delivers them. */
function byHttp(sim: Simulator): Caller {
  const table: Readonly<Record<string, Endpoint>> = endpoints(sim.config.variants, sim.config.bankLimits);
  return async ({ operation, authorization, params, query, body, key, spelling }) => {
    const { method, path } = table[operation] as Endpoint;
    const id = encodeURIComponent(params['id'] ?? '');
    const url = BASE_PATH + filledPath(path, id, query);
    const headers: Record<string, string> = {};
    if (authorization !== null) headers['authorization'] = authorization;
    if (key !== null) headers['idempotency-key'] = key;
    const sent = body === undefined ? {} : { body: spelledBody(body, spelling) };
    try {
      const response = await sim.fetch(url, { method, headers: spelledHeaders(headers, spelling), ...sent });
      const { status } = response;
      return { status, body: await response.json() };
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
}

/** Makes function calls, except when a body is too long: only a text has a length. */
function directly(sim: Simulator): Caller {
  const http = byHttp(sim);
  return async (call) =>
    call.spelling === 'overfull' && call.body !== undefined ? http(call) : (await sim.api.call(call)).body;
}

function settingOf(sim: Simulator): ModelConfig {
  const { facts, config, oracle, bank } = sim;
  const protocol = bank.addresses.protocol.address;
  const wallets = sim.wallets.map(({ address }) => address);
  const { idempotencyKeys, loanApplications, openApplications } = config.limits;
  return {
    variants: config.variants,
    limits: config.bankLimits,
    callerLimits: { idempotencyKeys, loanApplications, openApplications },
    startMs: sim.now().getTime(),
    treasury: facts.treasury,
    protocol,
    holdings: Object.fromEntries(
      [facts.treasury, protocol, ...wallets].map((address) => [address, holdings(sim, address)]),
    ),
    tokenHolders: wallets,
    receiptIssuer: facts.issuerPublicKey,
    usdcMint: facts.usdcMint,
    network: facts.network,
    collectionOf: (wallet) => bank.addresses.collection(wallet).address,
    tokenAccountOf: (wallet) => associatedTokenAddress(wallet, facts.usdcMint),
    apy: { USDC: oracle.apy('USDC'), SOL: oracle.apy('SOL') },
    price: { USDC: oracle.price('USDC'), SOL: oracle.price('SOL') },
    oracleMaxAgeMs: config.oracle.maxAgeMs,
    withdrawalDelayMs: config.withdrawalDelayMs,
    creditsBelowRent: config.engine === 'litesvm',
  };
}

function holdings(sim: Simulator, address: string): { USDC: bigint; SOL: bigint } {
  const { lamports, usdcBase } = sim.chain.balancesByCopy(address);
  return { USDC: usdcBase, SOL: lamports };
}

/** A simulator as a world for fuzzing. Overlapping calls pause at the bank's transfers only while a hook is set. */
export class InProcessFuzzWorld implements FuzzWorld {
  readonly engine;
  readonly modelConfig: ModelConfig;
  readonly otherMint: string;
  readonly wallets: readonly AgentWallet[];
  /** The bank itself, for rules that need more than the API shows. */
  readonly sim: Simulator;
  readonly #caller: Caller;
  readonly #transport: FuzzTransport;
  readonly #transfers: { pause: (() => Promise<void>) | null };
  #other: InProcessFuzzWorld | null = null;

  constructor(
    sim: Simulator,
    options: Pick<WorldOptions, 'engine' | 'transport'>,
    transfers: { pause: (() => Promise<void>) | null },
  ) {
    this.sim = sim;
    this.#caller = options.transport === 'direct' ? directly(sim) : byHttp(sim);
    this.#transport = options.transport;
    this.#transfers = transfers;
    this.engine = options.engine;
    this.modelConfig = settingOf(sim);
    this.otherMint = sim.facts.usdcMint === USDC_MINTS.mainnet ? USDC_MINTS.devnet : USDC_MINTS.mainnet;
    this.wallets = sim.wallets.map(({ secretKey }) => AgentWallet.fromSecretKey(secretKey));
  }

  async call(call: ApiCall, mishap: Mishap | null): Promise<Answer | null> {
    if (mishap === null) return this.#caller(call);
    const named = call.operation === 'challenge' && isObject(call.body) ? call.body['wallet'] : undefined;
    const wallet = this.wallets.find(({ address }) => address === named)?.address;
    const when = wallet === undefined ? {} : { when: { wallet } };
    const { faults } = this.sim;
    const { id } = faults.add({ endpoint: call.operation, ...when, ...MISHAPS[mishap] });
    try {
      return await this.#caller(call);
    } finally {
      faults.clear(id);
    }
  }

  onTransfer(pause: (() => Promise<void>) | null): void {
    this.#transfers.pause = pause;
  }

  async send(
    wallet: AgentWallet,
    outgoing: readonly Outgoing[],
    { isTried, cosigners }: { isTried: boolean; cosigners: readonly AgentWallet[] },
  ): Promise<RanTransaction | { refused: string }> {
    const { chain } = this.sim;
    const connection = {
      latestBlockhash: () => chain.latestBlockhash(),
      sendTransaction: async (bytes: Uint8Array) => {
        const { signature } = processed(await chain.submit(bytes, { skipPreflight: !isTried }));
        return { signature };
      },
    };
    try {
      return this.ran(await wallet.sendAll(connection, outgoing, cosigners));
    } catch (error) {
      if (error instanceof ChainRefusal) return { refused: error.message };
      throw error;
    }
  }

  ran(signature: string): RanTransaction {
    const record = this.sim.chain.getTransaction(signature);
    if (record === null) throw new Error(`${signature} was executed, but the bank does not know`);
    const { error, feeLamports, slot, blockTimeSeconds, accountKeys, requiredSignatures } = record;
    const signers = accountKeys.slice(0, requiredSignatures);
    const [feePayer = ''] = signers;
    return { signature, hasFailed: error !== null, feePayer, feeLamports, signers, slot, blockTimeSeconds };
  }

  async drain(token: ModelToken, leftBase: bigint, to: string): ReturnType<FuzzWorld['drain']> {
    const { treasury, usdcMint } = this.sim.bank.addresses;
    const amountBase = this.holdings(treasury.address)[token] - leftBase;
    if (amountBase <= 0n) return null;
    const wallet = AgentWallet.fromSecretKey(treasury.secretKey);
    const outgoing: Outgoing =
      token === 'SOL' ? { kind: 'sol', to, amountBase } : { kind: 'token', to, amountBase, mint: usdcMint };
    const ran = await this.send(wallet, [outgoing], { isTried: false, cosigners: [] });
    return 'refused' in ran ? null : { ran, amountBase };
  }

  control(call: OperatorCall): Promise<Answer> {
    return this.#transport === 'direct' ? this.#runCommand(call) : this.#sendCommand(call);
  }

  /** Runs a command by a function call: over HTTP, campaigns play a tenth fewer steps a second. */
  async #runCommand({ command: name, id = '', body }: OperatorCall): Promise<Answer> {
    const command = CONTROL_COMMANDS[name] as Command;
    const parsed = (command.body ?? z.unknown()).safeParse(body ?? {});
    if (!parsed.success)
      return { status: 400, body: { error: z.prettifyError(parsed.error), code: 'invalid_request' } };
    const about = { query: {}, bytes: new Uint8Array(), origin: '', cause: NO_REQUEST, signal: NEVER };
    try {
      return { status: 200, body: await command.run(this.sim, { id, body: parsed.data, ...about }) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem?.status == null) throw error;
      return { status: problem.status, body: { error: problem.message, code: problem.code } };
    }
  }

  async #sendCommand({ command, id = '', body }: OperatorCall): Promise<Answer> {
    const { method, path } = CONTROL_COMMANDS[command] as Command;
    const url = CONTROL_PATH + filledPath(path, encodeURIComponent(id));
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.sim.fetch(url, { method, headers, ...sent });
    return { status: response.status, body: await response.json() };
  }

  nowMs(): number {
    return this.sim.now().getTime();
  }

  advance(ms: number): Promise<Answer> {
    return this.control({ command: 'advance', body: { by: `${ms}ms` } });
  }

  tokenAccountOf = (wallet: string): string => this.modelConfig.tokenAccountOf(wallet);

  holdings(address: string): { USDC: bigint; SOL: bigint } {
    return holdings(this.sim, address);
  }

  queued(): readonly string[] {
    const { bank } = this.sim;
    return dueItems(bank.books.state.due).flatMap(({ task }) =>
      task.kind === 'withdrawal.execute' ? [bank.reservations.outflowId(task.outflow)] : [],
    );
  }

  invariants(): ReturnType<FuzzWorld['invariants']> {
    return this.sim.invariants();
  }

  snapshot(): Promise<string> {
    return this.sim.snapshot();
  }

  restore(snapshot: string): Promise<void> {
    return this.sim.revert(snapshot);
  }

  deleteSnapshot(snapshot: string): void {
    this.sim.deleteSnapshot(snapshot);
  }

  async reload(): Promise<void> {
    await this.sim.importState(await this.sim.exportState());
  }

  async kill(call: ApiCall, at: KilledAt): Promise<void> {
    const { engine } = this;
    await this.sim.importState(
      await killedDuring(
        await this.sim.exportState(),
        { engine, limits: this.modelConfig.callerLimits },
        { at, call: (sim) => directly(sim)(call) },
      ),
    );
  }

  async onOtherEngine(): Promise<FuzzWorld> {
    const state = await this.sim.exportState();
    if (this.#other === null) {
      const engine = this.engine === 'litesvm' ? 'bankrun' : 'litesvm';
      const sim = await createSimulator({ engine, state, limits: this.modelConfig.callerLimits });
      this.#other = new InProcessFuzzWorld(sim, { engine, transport: this.#transport }, { pause: null });
    } else await this.#other.sim.importState(state);
    return this.#other;
  }

  async close(): Promise<void> {
    await this.#other?.close();
    await this.sim.close();
  }
}

/** Opens a world in this process that can be reverted by up to `history` requests. */
async function openFuzzWorld(options: WorldOptions, history: number): Promise<InProcessFuzzWorld> {
  const transfers: { pause: (() => Promise<void>) | null } = { pause: null };
  const { engine, seed, variants, limits } = options;
  const sim = await createSimulator(
    {
      engine,
      seed,
      variants,
      time: 'frozen',
      startTime: START,
      confirmationSlots: FINALITY,
      history,
      ...(limits === undefined ? {} : { limits }),
    },
    { aroundTransfer: () => transfers.pause?.() },
  );
  return new InProcessFuzzWorld(sim, options, transfers);
}

/** Worlds in this process that can be reverted by up to `history` requests. */
export const inProcessFuzzWith = (history: number): FuzzTarget => ({
  madeWallet: (seed, number) => madeKey(seed, number).address,
  open: (options) => openFuzzWorld(options, history),
});

export const inProcessFuzz = inProcessFuzzWith(0);
