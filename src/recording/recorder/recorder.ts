import type { TransactionRecord } from '../../chain/history.js';
import { parseTransaction } from '../../chain/solana/wire.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { EmbeddedChain } from '../../runtime/embedded-chain.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { SimEvent } from '../../runtime/events/event.js';
import type { WorldParts } from '../../runtime/world-parts.js';
import type { ApiRequest, ApiResponse } from '../../api/pipeline/api-request.js';
import type {
  CommandRequest,
  RequestRecorder,
  RequestTrace,
  RpcOutcome,
} from '../../api/pipeline/recorder-port.js';
import { nonceAccountOf } from '../../chain/nonces.js';
import { type RecordingHeader, type RecordingLine, isRecorded } from '../schema.js';
import { ageOf, recordedTransaction } from '../transactions.js';
import { Actors } from './actors.js';
import { headerOf, modeText } from './header.js';
import {
  type LineParts,
  callLine,
  commandLine,
  isRpcCallRecorded,
  lookUp,
  readCall,
  rpcLine,
  sentBy,
} from './lines.js';
import { PendingLine } from './pending-line.js';
import { Redactor } from './redactor.js';
import type { Sink } from './sinks.js';

/** Commands whose events carry no request id. */
const WITHOUT_REQUEST_ID = new Set<string | null>(['snapshot', 'revert', 'fork', 'dropFork']);
const WRITING_COMMANDS = new Set<string | null>(['setBalance', 'setAccounts', 'deployProgram']);

export interface RecordedWorld extends Pick<
  WorldParts,
  'config' | 'clock' | 'events' | 'bank' | 'faults' | 'wallets'
> {
  readonly embedded: EmbeddedChain;
  readonly facts: ServiceFacts;
}

/** The destination of a recording, and the listener for its end. */
export interface RecorderOut {
  readonly sink: Sink;
  /**
   * Called with the reason when the recording ends by itself: the sink has failed, with an error, or the world is in a state that no
   * replay can reach.
   */
  readonly onEnd: (reason: string, error?: unknown) => void;
}

/** The longest time in milliseconds that lines wait to be written together. */
const WRITTEN_AFTER_MS = 50;

function attempt<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Records a world's requests and responses, one line each, in the order of their effects. */
export class Recorder implements RequestRecorder {
  readonly #world: RecordedWorld;
  readonly #out: RecorderOut;
  readonly #header: Omit<RecordingHeader, 'state'>;
  readonly #parts: LineParts;
  /** Inputs in flight by request id, in order of arrival. */
  readonly #inFlight = new Map<string, PendingLine>();
  /** Inputs with a position and without a line yet. */
  readonly #placed: PendingLine[] = [];
  #inputs = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Ends what the recorder listens to; null once the recording has ended. */
  #release: (() => void) | null;
  #processedEvents: number;
  /** The instant of the last event, and whether the clock was frozen after it. */
  #lastEvent: { readonly atMs: number; readonly isFrozen: boolean };
  #hasBegun = false;

  constructor(world: RecordedWorld, out: RecorderOut) {
    const { clock, events, wallets, config } = world;
    const { chain } = world.embedded;
    this.#world = world;
    this.#out = out;
    this.#header = headerOf(world, world.facts);
    const redactor = new Redactor(wallets.map(({ secretKey }) => secretKey));
    const actors = new Actors(config.seed, wallets, (line) => this.#line(line));
    this.#parts = { redactor, actors, chain, sent: new Set() };
    this.#processedEvents = events.last;
    this.#lastEvent = { atMs: clock.nowMs(), isFrozen: clock.isFrozen() };
    const stops = [
      events.onAppend(() => this.#processEvents()),
      chain.listen({
        changed: (_touched, record) => {
          if (record === null) this.#written();
        },
        restored: () => undefined,
      }),
    ];
    const exit = () => {
      this.#endAll();
      this.#flush();
    };
    process.once('exit', exit);
    this.#release = () => {
      for (const stop of stops) stop();
      process.off('exit', exit);
      if (this.#timer !== null) clearTimeout(this.#timer);
    };
  }

  /** Writes the header, with the state of a used world; nothing is written before it. */
  begin(state: Uint8Array | null): void {
    this.#hasBegun = true;
    const { actors, redactor } = this.#parts;
    if (state !== null) for (const key of actors.madeBefore()) redactor.learn(key);
    this.#line({ ...this.#header, state: state === null ? null : Buffer.from(state).toString('base64') });
    // A file with a header is taken.
    this.#flush();
    this.#advance();
  }

  call(operation: EndpointId, request: ApiRequest, requestId: string): RequestTrace<ApiResponse> {
    const call = attempt(() => readCall(operation, request));
    const pending = this.#pending();
    const lineOf = (told: ApiResponse['body'], wallet: string | null) =>
      callLine(call(), { told, wallet, at: pending.atMs }, this.#parts);
    // For a process that exits before there is a response.
    pending.make = () => ({ ...lineOf(null, null), inFlight: true });
    return this.#trace(pending, requestId, ({ body }: ApiResponse, wallet) => {
      return () => lineOf(body, wallet);
    });
  }

  rpc(method: string, params: unknown, requestId: string): ReturnType<RequestRecorder['rpc']> {
    if (!isRpcCallRecorded(method, !this.#world.faults.isEmpty)) return null;
    const { chain } = this.#parts;
    const pending = this.#pending();
    const sent = sentBy(params);
    const find = () => (sent === null ? undefined : lookUp(sent, chain));
    const makeOf = ({ outcome: response }: { readonly outcome: RpcOutcome | null }) => {
      if (sent?.found === null) find();
      return () => rpcLine({ method, params, sent, response }, pending.atMs, this.#parts);
    };
    return this.#trace(pending, requestId, makeOf, find);
  }

  command(request: CommandRequest): ReturnType<RequestRecorder['command']> {
    if (!isRecorded(request.command)) return null;
    const pending = this.#pending(request.command);
    const { redactor } = this.#parts;
    return this.#trace(
      pending,
      request.requestId,
      (response: { readonly status: number; readonly body: unknown } | null) => () => {
        const { atMs: at, movedToMs: to } = pending;
        if (response !== null) return commandLine(request, response, { at, redactor });
        // How far it got before its client disconnected is a matter of chance: a replay advances to that instant.
        return to === null ? null : { at, kind: 'clock', to };
      },
    );
  }

  /**
   * The trace of an input in flight. `makeOf` returns the function that creates its line from the response; `onBegin` is called when its work
   * begins.
   */
  #trace<A>(
    pending: PendingLine,
    requestId: string,
    makeOf: (response: A, wallet: string | null) => PendingLine['make'],
    onBegin?: () => void,
  ): RequestTrace<A> {
    this.#inFlight.set(requestId, pending);
    const { clock } = this.#world;
    let isFixed = false;
    return {
      arrived: (isWaiting) => {
        pending.atMs = clock.nowMs();
        isFixed = isWaiting;
      },
      still: (work) => {
        const result = clock.still(() => {
          if (!isFixed) pending.atMs = clock.nowMs();
          onBegin?.();
          return work();
        });
        // If all of it was synchronous, its effects are complete.
        if (!(result instanceof Promise)) this.#place(pending);
        return result;
      },
      answered: (response, wallet) => {
        this.#inFlight.delete(requestId);
        this.#done(pending, makeOf(response, wallet));
      },
    };
  }

  /** Accounts were written directly; such a change carries no request id. */
  #written(): void {
    this.#placeCommand(({ command }) => WRITING_COMMANDS.has(command), this.#standingMs());
  }

  get inputs(): number {
    return this.#inputs;
  }

  /** Ends the recording; inputs in flight are recorded without a response. Everything is written when it returns. Idempotent. */
  stop(reason?: string): void {
    this.#endAll();
    this.#line({ at: this.#world.clock.nowMs(), kind: 'end', inputs: this.#inputs, reason });
    this.#try(() => this.#out.sink.close());
    this.#stopListening();
  }

  /** Ends the recording of a world that is in a state which no replay can reach. */
  #leave(reason: string): void {
    this.#out.onEnd(reason);
    this.stop(reason);
  }

  /** Writes pending lines; inputs in flight are recorded without a response. */
  #endAll(): void {
    for (const pending of this.#placed) pending.isDone = true;
    this.#advance();
  }

  #stopListening(): void {
    this.#release?.();
    this.#release = null;
    this.#timer = null;
  }

  #pending(command: string | null = null): PendingLine {
    return new PendingLine(this.#world.clock.nowMs(), command);
  }

  #place(pending: PendingLine): void {
    if (pending.isPlaced) return;
    pending.isPlaced = true;
    this.#placed.push(pending);
  }

  #done(pending: PendingLine, make: PendingLine['make']): void {
    if (this.#release === null) return;
    pending.make = make;
    pending.isDone = true;
    this.#place(pending);
    this.#advance();
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#flush();
    }, WRITTEN_AFTER_MS).unref();
  }

  /** Processes new events: an input's first effect determines its position. */
  #processEvents(): void {
    const { events, clock } = this.#world;
    for (; this.#processedEvents < events.last; this.#processedEvents += 1) {
      // Every second event is the end of a request, which is irrelevant here.
      if (events.bodyAt(this.#processedEvents + 1)?.kind === 'request') continue;
      const event = events.at(this.#processedEvents + 1);
      if (event === null) continue;
      try {
        this.#happened(event);
      } catch (error) {
        // The world must go on, even if the line fails.
        this.#done(this.#pending(), () => {
          throw error;
        });
      }
      this.#lastEvent = { atMs: event.atMs, isFrozen: clock.isFrozen() };
    }
  }

  #happened({ body, requestId, atMs }: SimEvent): void {
    const pending = requestId === null ? undefined : this.#inFlight.get(requestId);
    if (pending !== undefined) {
      // It may have waited for others, which have moved the clock.
      if (body.kind === 'clock') {
        pending.atMs = body.fromMs;
        pending.movedToMs = atMs;
      } else if (pending.command !== null && !pending.isPlaced)
        pending.atMs = this.#standingMs() ?? pending.atMs;
      this.#place(pending);
    } else if (body.kind === 'world') this.#changed(body, atMs);
    else if (body.kind === 'transaction') this.#hasSent(body.record, requestId);
    else if (body.kind === 'clock' && requestId === null) this.#moved(body, atMs);
  }

  #changed({ what, id }: SimEvent['body'] & { kind: 'world' }, atMs: number): void {
    // Requests have other ids in a replay.
    if (what === 'reverted' && id.startsWith('before '))
      return this.#leave(`the world was reverted to ${id}, which a recording cannot represent`);
    if (what === 'imported') return this.#leave('a state was imported, which a recording cannot represent');
    // A command that waited takes the instant at which it was carried out; a revert that which it left.
    const { isFrozen, atMs: leftMs } = this.#lastEvent;
    const isBack = what === 'reverted';
    this.#placeCommand(
      ({ command }) => WITHOUT_REQUEST_ID.has(command),
      isBack ? (isFrozen ? leftMs : null) : atMs,
    );
  }

  /** The instant of a frozen clock; null while it runs. */
  #standingMs(): number | null {
    const { clock } = this.#world;
    return clock.isFrozen() ? clock.nowMs() : null;
  }

  #placeCommand(isIt: (pending: PendingLine) => boolean, atMs: number | null): void {
    for (const pending of this.#inFlight.values()) {
      if (pending.isPlaced || !isIt(pending)) continue;
      if (atMs !== null) pending.atMs = atMs;
      this.#place(pending);
      return;
    }
  }

  /** Records a transaction that neither the RPC nor the bank sent: it is an input of its own. */
  #hasSent({ bytes, accountKeys, signature, error }: TransactionRecord, requestId: string | null): void {
    const { addresses, reconciler } = this.#world.bank;
    const { chain, faucetAddress } = this.#world.embedded;
    const isFacilitator = requestId?.startsWith('fac_') === true;
    if (requestId !== null && !isFacilitator) return;
    const payer = accountKeys[0] as string;
    if (payer === addresses.protocol.address || reconciler.isOurs(payer)) return;
    const commands = [...this.#inFlight.values()].filter(({ command }) => command !== null);
    if (payer === faucetAddress && commands.length > 0) {
      // With several, there is no telling which one it was.
      if (commands.length === 1) this.#placeCommand(({ command }) => command !== null, this.#standingMs());
      return;
    }
    const pending = this.#pending();
    const wire = parseTransaction(bytes);
    const age = ageOf(wire, chain);
    // It has run, so that a durable nonce has advanced since.
    const blockhash = age === 'old' && nonceAccountOf(wire) !== null ? 'nonce' : age;
    this.#done(pending, () => {
      const { actors, redactor, sent } = this.#parts;
      sent.add(signature);
      const signed = wire.signatures.map(() => 'right' as const);
      const transaction = recordedTransaction(wire, { blockhash, signed }, actors.known);
      const response = { result: signature, error: redactor.response(error) };
      return { at: pending.atMs, kind: 'send', who: actors.of(payer), transaction, signature, response };
    });
  }

  #moved({ how, fromMs }: SimEvent['body'] & { kind: 'clock' }, atMs: number): void {
    // A command that sets the time mode carries no request id; one that advances does.
    const isCommanded = how === 'set' && [...this.#inFlight.values()].some(({ command }) => command !== null);
    if (how === 'delayed' || isCommanded) return;
    const mode = modeText(this.#world.clock.mode());
    const pending = this.#pending();
    pending.atMs = fromMs;
    const what = how === 'set' ? { mode } : { to: atMs };
    this.#done(pending, () => ({ at: pending.atMs, kind: 'clock', ...what }));
  }

  /** Writes the lines of completed inputs, up to the first that is in flight. */
  #advance(): void {
    while (this.#hasBegun && this.#release !== null && this.#placed[0]?.isDone === true) {
      const line = this.#placed.shift()?.line() ?? null;
      if (line === null) continue;
      this.#line(line);
      this.#inputs += 1;
    }
  }

  #line(line: RecordingHeader | RecordingLine): void {
    this.#try(() => this.#out.sink.line(JSON.stringify(line)));
  }

  #flush(): void {
    this.#try(() => this.#out.sink.flush());
  }

  #try(work: () => void): void {
    if (this.#release === null) return;
    try {
      work();
    } catch (error) {
      this.#stopListening();
      try {
        this.#out.sink.close();
      } catch {
        // The first error is the one to report.
      }
      this.#out.onEnd('it could no longer be written', error);
    }
  }
}
