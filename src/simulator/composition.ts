import type { RecorderSlot } from '../api/pipeline/recorder-port.js';
import { BankAddresses } from '../bank/addresses.js';
import { Bank } from '../bank/bank.js';
import type { ChainBackend } from '../chain/backend.js';
import type { Chain } from '../chain/chain.js';
import type { ClusterChain } from '../chain/cluster/cluster-chain.js';
import { EmbeddedBackend } from '../chain/embedded-backend.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import { bankTerms } from '../core/domain/bank-terms.js';
import { keptText } from '../core/domain/short-text.js';
import { CompositeState } from '../core/snapshot.js';
import { textAnswer } from '../api/http/answers.js';
import { App } from '../api/http/app.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import { InProcessApi } from '../api/http/in-process.js';
import { Service } from '../api/http/service.js';
import type { ControlWorld } from '../api/control/world.js';
import { type AnsweredRequest, PendingRequest, type RequestRecord } from '../api/pipeline/pending-request.js';
import { RequestPipeline } from '../api/pipeline/pipeline.js';
import { RPC_METHODS } from '../api/rpc/dispatcher.js';
import { RecordingSession } from '../recording/recorder/session.js';
import { AccountsApi } from '../runtime/accounts/accounts-api.js';
import { ChainApi } from '../runtime/chain-api.js';
import type { EmbeddedEngineName, SimulatorConfig } from '../runtime/config.js';
import { CustomersApi } from '../runtime/customers-api.js';
import { devWallets } from '../runtime/dev-wallets.js';
import { EmbeddedChain } from '../runtime/embedded-chain.js';
import { EventLog } from '../runtime/events/log.js';
import { EventStreams } from '../runtime/events/stream.js';
import { Faults } from '../runtime/faults/fault-rules.js';
import { FaultsApi } from '../runtime/faults-api.js';
import { JournalApi } from '../runtime/journal-api.js';
import { keySeed } from '../runtime/key-seed.js';
import { LoanDesk } from '../runtime/loan-desk.js';
import { OracleApi } from '../runtime/oracle-api.js';
import { PaymentFacts } from '../runtime/payment-facts.js';
import { inProcess } from '../runtime/refusals.js';
import { Scheduler } from '../runtime/scheduler.js';
import { SeriesApi } from '../runtime/series-api.js';
import { type OwnState, SnapshotStore } from '../runtime/snapshot-store.js';
import { WalletFunding } from '../runtime/wallet-funding.js';
import type { Clock } from '../world/clock.js';
import { KeyRing } from '../world/keys.js';
import { Oracle } from '../world/oracle.js';
import { parseReviewPolicy } from '../world/reviewer.js';
import { oracleFeeds } from '../world/sources.js';
import { FacilitatorRoute } from './facilitator-route.js';
import { Forks } from './forks.js';
import { Gateway } from './gateway.js';
import type { AnsweredRpcCall, SimulatorHooks } from './hooks.js';
import { Instants } from './instants.js';

interface OpenedChain {
  /** `null` on a cluster. */
  readonly embedded: EmbeddedChain | null;
  readonly chain: Chain | ClusterChain;
  /** The chain as the bank uses it. */
  readonly backend: ChainBackend;
}

export interface Foundation extends OpenedChain {
  readonly config: SimulatorConfig;
  readonly hooks: SimulatorHooks;
  /** Seeds the secrets of tokens and receipts; the world's seed unless `freshSecrets` is set. */
  readonly secretSeed: string;
  readonly clock: Clock;
  /** The prefix of every path; set for a fork served beside another world. */
  readonly mount?: string;
  /** The forks that the same server serves. */
  readonly forks?: Forks;
}

/** Starts a chain in this process, or connects to the cluster of the options. Throws InvalidOptions. */
export async function openChain(
  config: SimulatorConfig,
  { signatures, aroundTransfer }: SimulatorHooks,
  clock: Clock,
): Promise<OpenedChain> {
  const { cluster, engine, variants } = config;
  if (cluster !== null) {
    const { openCluster } = await import('./cluster.js');
    const chain = await openCluster(cluster, variants.network);
    return { embedded: null, chain, backend: chain };
  }
  const embedded = await EmbeddedChain.start(engine as EmbeddedEngineName, config, { clock, signatures });
  const { chain, transactionFaults } = embedded;
  return { embedded, chain, backend: new EmbeddedBackend(chain, transactionFaults, aroundTransfer) };
}

/** What a world's parts call on the whole world. */
interface Whole {
  /** Forks the world. Must run exclusively. */
  readonly fork: ConstructorParameters<typeof Scheduler>[0]['fork'];
  readonly onMoved: () => void;
  /** Resolves before a response may be sent; null when there is nothing to wait for. */
  readonly whenDurable: () => Promise<void> | null;
}

/** The parts of a world that the other parts are built on. */
export type WorldParts = ReturnType<typeof partsOf>;

/** Creates a world's parts, from its chain upwards. The books are not opened yet. */
export function partsOf(foundation: Foundation, whole: Whole) {
  const { config, hooks, clock, embedded, mount = '' } = foundation;
  const { seed, limits } = config;
  const forks = foundation.forks ?? new Forks(limits.forks);
  const keys = new KeyRing(keySeed(config));
  const wallets = embedded === null ? [] : devWallets(keys);
  const faults = new Faults(seed);
  const recorder: RecorderSlot = { on: null };
  const events = new EventLog(() => clock.nowMs(), limits.eventLogBytes);
  const { startMs } = clock;
  const oracle = new Oracle(oracleFeeds(config.oracle, seed, startMs), startMs, config.oracle.maxAgeMs);
  const bank = bankOf(foundation, keys, oracle);
  const { addresses } = bank;
  const facts: ServiceFacts = {
    treasury: addresses.treasury.address,
    usdcMint: addresses.usdcMint,
    network: addresses.caip2,
    issuerPublicKey: addresses.issuer.address,
  };
  bank.books.onAppend((entry, { requestId }) =>
    events.append({ kind: 'entry', entry }, requestId, entry.atMs),
  );
  embedded?.chain.listen({
    changed: (_touched, record, { requestId }) => {
      if (record !== null) events.append({ kind: 'transaction', record }, requestId);
    },
    restored: () => undefined,
  });
  const scheduler = new Scheduler({
    ...whole,
    clock,
    bank,
    oracle,
    transactionFaults: embedded?.transactionFaults ?? null,
    events,
    maxEvents: limits.jumpEvents,
    wait: hooks.wait,
  });
  const base = {
    ...foundation,
    ...whole,
    mount,
    forks,
    wallets,
    faults,
    recorder,
    events,
    oracle,
    bank,
    facts,
    scheduler,
  };
  const chain = new ChainApi(base);
  const funding = new WalletFunding({ ...base, chain });
  const state = new CompositeState<OwnState>({
    clock,
    oracle,
    seenMs: scheduler.seenMs,
    faults,
    walletsMade: funding.walletsMade,
    bank: bank.state,
  });
  const snapshots = new SnapshotStore(state, { embedded, oracle, maxSnapshots: limits.snapshots });
  const instants = new Instants({ ...base, snapshots });
  return { ...base, chain, funding, snapshots, instants };
}

function bankOf(
  { config, secretSeed, backend, clock, hooks }: Foundation,
  keys: KeyRing,
  oracle: Oracle,
): Bank {
  const { variants, withdrawalDelayMs, cluster, limits, bankLimits } = config;
  const secrets = new KeyRing(secretSeed);
  const addresses = new BankAddresses(keys, {
    issuer: secrets.derive('receipt-issuer'),
    network: variants.network,
    treasury: cluster?.treasury,
    usdcMint: cluster?.usdcMint ?? undefined,
  });
  return new Bank({
    constants: {
      salt: keys.salt('ids'),
      variants,
      terms: bankTerms(bankLimits),
      lifetimes: bankLimits,
      treasury: addresses.treasury.address,
      withdrawalDelayMs,
      maxOpenApplications: limits.openApplications,
    },
    maxIdempotencyKeys: limits.idempotencyKeys,
    maxLoanApplications: limits.loanApplications,
    chain: backend,
    clock,
    oracle,
    addresses,
    tokenSecret: secrets.secret('tokens'),
    policy: parseReviewPolicy(variants.review),
    signatures: hooks.signatures,
  });
}

/** Opens the books of a new world with its treasury's balances, and creates the accounts of an in-process chain. Throws InvalidOptions. */
export async function openBooks({ bank, embedded, wallets }: WorldParts): Promise<void> {
  if (embedded === null) bank.open(await (await import('./cluster.js')).openTreasury(bank));
  else bank.open(await embedded.begin(bank.addresses, wallets));
}

/** Creates the interfaces by which an operator reads and changes a world. */
export function operatorApis(parts: WorldParts) {
  const { config, clock, oracle, bank, events, faults, embedded } = parts;
  const { limits, seed } = config;
  const books = new JournalApi(bank.books, clock);
  const reviews = new LoanDesk(bank, parts);
  return {
    books,
    reviews,
    oracle: new OracleApi(oracle, clock, seed),
    faults: new FaultsApi(faults, { max: limits.faults, rpcMethods: RPC_METHODS }),
    accounts: new AccountsApi(parts),
    eventStreams: new EventStreams(events, limits.eventStreams),
    recording: new RecordingSession(parts),
    customers: new CustomersApi({ ...parts, books, reviews }),
    series: new SeriesApi({ ...parts, index: books.index }),
    payments: new PaymentFacts(bank, { hasChain: embedded !== null }),
  };
}

/** Creates a world's interfaces: the in-process API, and the gateway to all others. */
export function interfacesOf(
  world: ControlWorld,
  parts: WorldParts,
): { readonly api: InProcessApi; readonly gateway: Gateway } {
  const { bank, config, facts, mount, forks, embedded, scheduler, hooks } = parts;
  const { limits, bankLimits, variants } = config;
  const pipeline = pipelineOf(parts);
  const service = new Service({ bank, variants, limits: bankLimits, facts, pipeline });
  const gateway = new Gateway({
    mount,
    forks,
    app: new App({
      service,
      rpcUrl: () => forks.rpcUrl && forks.rpcUrl + mount,
      mount,
      nowMs: () => parts.clock.nowMs(),
    }),
    facilitator: new FacilitatorRoute({
      chain: embedded?.chain ?? null,
      key: bank.addresses.facilitator,
      mount,
      scheduler,
      pipeline,
    }),
    makeControl: async (token) => {
      const { controlApp } = await import('../api/control/app.js');
      return controlApp({ world, limits, token, mount, pipeline });
    },
    makeRpc: async () => {
      const { chain, faucet, transactionFaults } = inProcess(embedded, 'rpc');
      const { Rpc } = await import('../api/rpc/rpc.js');
      const genesisHash = GENESIS_HASHES[variants.network];
      const identity = new KeyRing(config.seed).derive('validator').address;
      const { landingDelayMs } = config;
      return new Rpc({
        chain,
        faucet,
        transactionFaults,
        limits,
        landingDelayMs,
        genesisHash,
        identity,
        pipeline,
      });
    },
    readInspector: async () =>
      config.inspector ? (await import('../api/inspector-files.js')).inspectorFiles() : null,
    makeMcp: async (fetcher) => {
      const { mcpHttp } = await import('../mcp/served.js');
      return mcpHttp({ world: parts, mount, fetch: fetcher, limits, onBug: hooks.onBug });
    },
    // Logged as a request of the control interface.
    refused: ({ method, path }, { status, code, message }) => {
      const requestId = pipeline.newRequestId('ctl');
      const pending = new PendingRequest({ requestId, interface: 'control', method, path: keptText(path) });
      Object.assign(pending.record, { status, code, message });
      pipeline.log(pending);
      const body = { error: message, code, details: {}, requestId };
      return textAnswer(JSON.stringify(body), status, requestId);
    },
  });
  return { api: new InProcessApi(service, mount), gateway };
}

function pipelineOf({
  config,
  scheduler,
  faults,
  recorder,
  events,
  instants,
  hooks,
  whenDurable,
}: WorldParts): RequestPipeline {
  return new RequestPipeline({
    scheduler,
    faults,
    recorder,
    keepsAnswers: config.history > 0,
    whenDurable,
    remember: (record) => instants.history.before(record),
    onAnswer: (record) => {
      if (!isObservation(record)) events.append(record, record.requestId);
      if (record.interface === 'api') hooks.onAnswer?.(record as AnsweredRequest);
      else if (record.interface === 'rpc') hooks.onRpcAnswer?.(rpcCallOf(record));
    },
    onBug: (error, where) => {
      if (hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
      else hooks.onBug(error, where);
    },
  });
}

/** Whether a request only inspects the world. Such requests are not logged, since reading the log would fill it. */
function isObservation(record: RequestRecord): boolean {
  return record.interface === 'control' && record.method === 'GET' && record.code === null;
}

function rpcCallOf({
  requestId,
  path,
  faults,
  status,
  answer,
  code,
  message,
  ms,
}: RequestRecord): AnsweredRpcCall {
  const detail = answer?.startsWith('"') === true ? answer.slice(1, -1) : null;
  return {
    requestId,
    method: path,
    faults,
    isLost: status === null,
    detail,
    code: code as number | null,
    message,
    ms,
  };
}
