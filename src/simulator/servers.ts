import type { FaultReport, Faults } from '../runtime/faults/fault-rules.js';
import type { Bank } from '../bank/bank.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import type { SimulatorConfig } from '../runtime/config.js';
import type { ControlWorld, ConvertedRecording } from '../api/control/world.js';
import { keptText } from '../core/domain/short-text.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import { type AnsweredRequest, PendingRequest, type RequestRecord } from '../api/pipeline/pending-request.js';
import { RequestPipeline } from '../api/pipeline/pipeline.js';
import { textAnswer } from '../api/http/answers.js';
import { App } from '../api/http/app.js';
import { InProcessApi } from '../api/http/in-process.js';
import { Service } from '../api/http/service.js';
import { ClusterLimit } from '../runtime/refusals.js';
import { KeyRing } from '../world/keys.js';
import type { RequestHistory } from '../runtime/request-history.js';
import type { ChainApi } from '../runtime/chain-api.js';
import type { Scheduler } from '../runtime/scheduler.js';
import type { GatewayOptions } from './gateway.js';
import { FacilitatorRoute } from './facilitator-route.js';
import type { EmbeddedChain } from '../runtime/embedded-chain.js';
import type { RecorderSlot } from '../api/pipeline/recorder-port.js';

/** Hooks of the host process; not part of the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredRpcCall) => void;
  /** Called with exceptions and the request or RPC method that raised them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
  /** Called when the data folder becomes unwritable or writable, its file was truncated, and for secrets others may know. */
  readonly onTrouble?: (message: string) => void;
  /** Runs before and after each of the bank's transfers is submitted, so that tests can interleave other work. */
  readonly aroundTransfer?: () => Promise<void> | void;
  /** Milliseconds of the clock that drives a running world; the machine's by default. */
  readonly wall?: () => number;
  /** Waits real milliseconds; a timer by default. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Converts a recording to a scenario. Throws RangeError for one that cannot be converted. */
  readonly toScenario?: (text: string, name: string) => Promise<ConvertedRecording>;
  /** Verifies signatures, when other signers than the keys themselves are accepted, as in replays. */
  readonly signatures?: SignatureVerifier;
}

export interface ServedWorld extends ControlWorld {
  readonly chain: ChainApi;
  readonly bank: Bank;
  readonly config: SimulatorConfig;
  readonly facts: ServiceFacts;
  /** Resolves before a response may be sent; null when there is nothing to wait for. */
  whenDurable(): Promise<void> | null;
}

/** What the interfaces share and users of a world do not reach. */
export interface ServedInternals {
  /** The prefix of every path; empty except for a fork served by its parent. */
  readonly mount: string;
  readonly faults: Faults;
  readonly recorder: RecorderSlot;
  readonly scheduler: Scheduler;
  readonly hooks: SimulatorHooks;
  readonly history: RequestHistory;
  /** `null` on a cluster. */
  readonly ground: EmbeddedChain | null;
}

export interface AnsweredRpcCall {
  /** Shared by the calls of a batch. */
  readonly requestId: string;
  readonly method: string;
  readonly faults: readonly FaultReport[];
  /** Whether a fault has lost its response. */
  readonly isLost: boolean;
  /** The result, when it is a string such as a signature; null otherwise. */
  readonly detail: string | null;
  /** The code of the JSON-RPC error; null for a result. */
  readonly code: number | null;
  readonly message: string | null;
  readonly ms: number;
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

/** Whether a request has only looked at the world from outside: with these, a log would fill with those who read it. */
function isObservation(record: RequestRecord): boolean {
  return record.interface === 'control' && record.method === 'GET' && record.code === null;
}

function pipelineOf(
  world: ServedWorld,
  { scheduler, faults, recorder, hooks, history }: ServedInternals,
): RequestPipeline {
  return new RequestPipeline({
    scheduler,
    faults,
    recorder,
    keepsAnswers: world.config.history > 0,
    whenDurable: () => world.whenDurable(),
    remember: (record) => history.before(record),
    onAnswer: (record) => {
      if (!isObservation(record)) world.events.append(record, record.requestId);
      if (record.interface === 'api') hooks.onAnswer?.(record as AnsweredRequest);
      else if (record.interface === 'rpc') hooks.onRpcAnswer?.(rpcCallOf(record));
    },
    onBug: (error, where) => {
      if (hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
      else hooks.onBug(error, where);
    },
  });
}

/** Creates a world's interfaces: the API in process, and what the gateway serves. */
export function interfacesOf(
  world: ServedWorld,
  internals: ServedInternals,
): { readonly api: InProcessApi; readonly served: Omit<GatewayOptions, 'forks'> } {
  const { bank, config, facts } = world;
  const { mount, ground, scheduler } = internals;
  const { limits, bankLimits, variants } = config;
  const pipeline = pipelineOf(world, internals);
  const service = new Service({
    bank,
    variants,
    limits: bankLimits,
    facts,
    pipeline,
  });
  const rpcUrl = () => {
    const url = world.rpcUrl();
    return url === null ? null : url + mount;
  };
  const served: Omit<GatewayOptions, 'forks'> = {
    mount,
    app: new App({ service, rpcUrl, mount }),
    facilitator: new FacilitatorRoute({
      chain: ground?.chain ?? null,
      key: bank.addresses.facilitator,
      mount,
      scheduler,
      pipeline,
    }),
    makeControl: async (token) => {
      const { controlApp } = await import('../api/control/app.js');
      return controlApp({ world, books: bank.books, limits, token, mount, pipeline });
    },
    makeRpc: async () => {
      if (ground === null) throw new ClusterLimit('rpc');
      const { chain, faucet, fates } = ground;
      const { Rpc } = await import('../api/rpc/rpc.js');
      const genesisHash = GENESIS_HASHES[variants.network];
      const identity = new KeyRing(config.seed).derive('validator').address;
      const { landingDelayMs } = config;
      return new Rpc({ chain, faucet, fates, limits, landingDelayMs, genesisHash, identity, pipeline });
    },
    readInspector: async () =>
      config.inspector ? (await import('../api/inspector-files.js')).inspectorFiles() : null,
    makeMcp: async (fetcher) => {
      const { mcpHttp } = await import('../mcp/served.js');
      const { onBug } = internals.hooks;
      return mcpHttp({ world, mount, fetch: fetcher, limits, onBug });
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
  };
  return { api: new InProcessApi(service, mount), served };
}
