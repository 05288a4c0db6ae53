import type { RecorderSlot } from '../api/pipeline/recorder-port.js';
import { BankAddresses } from '../bank/addresses.js';
import { Bank } from '../bank/bank.js';
import type { ChainBackend } from '../chain/backend.js';
import type { Chain } from '../chain/chain.js';
import type { ClusterChain } from '../chain/cluster/cluster-chain.js';
import { EmbeddedBackend } from '../chain/embedded-backend.js';
import { bankTerms } from '../core/domain/bank-terms.js';
import { CompositeState } from '../core/snapshot.js';
import type { ServiceFacts } from '../api/http/discovery.js';
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
import { Scheduler } from '../runtime/scheduler.js';
import { SeriesApi } from '../runtime/series-api.js';
import { type OwnState, SnapshotStore } from '../runtime/snapshot-store.js';
import { WalletFunding } from '../runtime/wallet-funding.js';
import type { WorldParts } from '../runtime/world-parts.js';
import type { Clock } from '../world/clock.js';
import { KeyRing } from '../world/keys.js';
import { Oracle } from '../world/oracle.js';
import { parseReviewPolicy } from '../world/reviewer.js';
import { oracleFeeds } from '../world/sources.js';
import { Forks } from './forks.js';
import type { SimulatorHooks } from './hooks.js';
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
  readonly whenDurable: WorldParts['whenDurable'];
}

/** The parts of a world that the other parts are built on. */
export type Composition = ReturnType<typeof compose>;

/** Creates a world's parts, from its chain upwards. The books are not opened yet. */
export function compose(foundation: Foundation, whole: Whole) {
  const { config, secretSeed, hooks, clock, embedded, mount = '' } = foundation;
  const { seed, limits } = config;
  const keys = new KeyRing(keySeed(config));
  const wallets = embedded === null ? [] : devWallets(keys);
  const oracle = new Oracle(
    oracleFeeds(config.oracle, seed, clock.startMs),
    clock.startMs,
    config.oracle.maxAgeMs,
  );
  const bank = bankOf(foundation, keys, oracle);
  const faults = new Faults(seed);
  const events = eventsOf(foundation, bank);
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
  const base = { config, clock, oracle, bank, embedded, wallets, faults, events, scheduler };
  const chain = new ChainApi({ ...base, chain: foundation.chain });
  const { whenDurable } = whole;
  const funding = new WalletFunding({ ...base, chain, whenDurable });
  const state = new CompositeState<OwnState>({
    clock,
    oracle,
    seenMs: scheduler.seenMs,
    faults,
    walletsMade: funding.walletsMade,
    bank: bank.state,
  });
  const snapshots = new SnapshotStore(state, base);
  const forks = foundation.forks ?? new Forks(limits.forks);
  const instants = new Instants({ ...base, snapshots, forks });
  const parts = { ...base, secretSeed, snapshots, whenDurable } satisfies WorldParts;
  const recorder: RecorderSlot = { on: null };
  const facts = factsOf(bank);
  return { ...parts, hooks, mount, forks, chain, funding, instants, recorder, facts };
}

/** The log of a world, to which its books and its chain append. */
function eventsOf({ config, clock, embedded }: Foundation, bank: Bank): EventLog {
  const events = new EventLog(() => clock.nowMs(), config.limits.eventLogBytes);
  bank.books.onAppend((entry, { requestId }) =>
    events.append({ kind: 'entry', entry }, requestId, entry.atMs),
  );
  embedded?.chain.listen({
    changed: (_touched, record, { requestId }) => {
      if (record !== null) events.append({ kind: 'transaction', record }, requestId);
    },
    restored: () => undefined,
  });
  return events;
}

function factsOf({ addresses }: Bank): ServiceFacts {
  return {
    treasury: addresses.treasury.address,
    usdcMint: addresses.usdcMint,
    network: addresses.caip2,
    issuerPublicKey: addresses.issuer.address,
  };
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
export async function openBooks({ bank, embedded, wallets }: Composition): Promise<void> {
  if (embedded === null) bank.open(await (await import('./cluster.js')).openTreasury(bank));
  else bank.open(await embedded.begin(bank.addresses, wallets));
}

/** Creates the interfaces by which an operator reads and changes a world. */
export function operatorApis(parts: Composition) {
  const { config, clock, oracle, bank, embedded, events, faults } = parts;
  const { limits, seed } = config;
  const books = new JournalApi(bank.books, clock);
  const reviews = new LoanDesk(parts);
  return {
    books,
    reviews,
    oracle: new OracleApi(oracle, clock, seed),
    faults: new FaultsApi(faults, limits.faults, embedded !== null),
    accounts: new AccountsApi(parts),
    eventStreams: new EventStreams(events, limits.eventStreams),
    recording: new RecordingSession(parts),
    customers: new CustomersApi({ ...parts, books, reviews }),
    series: new SeriesApi({ ...parts, index: books.index }),
  };
}
