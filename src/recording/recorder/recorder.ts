import type { TransactionRecord } from '../../chain/history.js';
import { parseTransaction } from '../../chain/solana/wire.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { EmbeddedChain } from '../../runtime/embedded-chain.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { SimEvent } from '../../runtime/events/event.js';
import type { WorldParts } from '../../runtime/world-parts.js';
import type { ApiRequest, ApiResponse } from '../../api/pipeline/api-request.js';
import type { CommandRequest, RequestRecorder, RequestTrace } from '../../api/pipeline/recorder-port.js';
import { nonceAccountOf } from '../../chain/nonces.js';
import type { NdjsonFile } from '../../core/ndjson-file.js';
import { type InputLine, type RecordingHeader, type RecordingLine, isRecorded } from '../schema.js';
import { ageOf, recordedTransaction } from '../transactions.js';
import { Actors } from './actors.js';
import { headerOf, modeText } from './header.js';
import {
  type LineParts,
  callLine,
  commandLine,
  isRpcCallRecorded,
  readCall,
  rpcLine,
  lookedUp,
  sentBy,
} from './lines.js';
import { Redactor } from './redactor.js';

/** Commands whose events carry no request id. */
const WITHOUT_REQUEST_ID = ['snapshot', 'revert', 'fork', 'dropFork'];
/** What happens to a world without an input. */
const UNREPRESENTED: Readonly<Record<string, string>> = {
  imported: 'a state was imported',
  rolled_back: 'the world was rolled back, since the data folder could not be written',
};
const WRITING_COMMANDS = ['setBalance', 'setAccounts'];

export type RecordedWorld = Pick<
  WorldParts,
  'config' | 'clock' | 'events' | 'bank' | 'faults' | 'wallets'
> & {
  readonly embedded: EmbeddedChain;
  readonly facts: ServiceFacts;
};

/** The destination of a recording's lines: a file, or memory. */
export type Sink = Pick<NdjsonFile, 'line' | 'flush' | 'close'>;

/** An input in flight. Its first effect determines its position, and it is written when it has ended. */
interface PendingLine {
  /** The world's time at which it took effect. */
  atMs: number;
  /** The instant to which it has moved the clock; null while it has not. */
  movedToMs: number | null;
  /** The command, to identify commands whose events carry no request id; null for other inputs. */
  readonly command: string | null;
  isPlaced: boolean;
  isDone: boolean;
  /** Creates its line, in the order of the lines; null for an input without one. */
  make: () => InputLine | null;
}

/** The line of an input. A bug in creating it loses this line only: a clock line without effect replaces it, and a replay reports the gap. */
function made({ make, atMs: at }: PendingLine): InputLine | null {
  try {
    return make();
  } catch (error) {
    const why = error instanceof Error ? error.name : 'unknown';
    return { at, kind: 'clock', missing: `this line could not be written (${why})` };
  }
}

/** The longest time in milliseconds that lines wait to be written together. */
const WRITTEN_AFTER_MS = 50;

/** Records a world's requests and responses, one line each, in the order of their effects. */
export class Recorder implements RequestRecorder {
  readonly #world: RecordedWorld;
  readonly #sink: Sink;
  readonly #onEnd: (reason: string, error?: unknown) => void;
  readonly #header: Omit<RecordingHeader, 'state'>;
  readonly #parts: LineParts;
  /** Inputs in flight by request id, in order of arrival. */
  readonly #inFlight = new Map<string, PendingLine>();
  /** Inputs with a position and without a line yet. */
  readonly #placed: PendingLine[] = [];
  /** The number of inputs that were written. */
  inputs = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Ends what the recorder listens to; null once the recording has ended. */
  #release: (() => void) | null;
  #processedEvents: number;
  /** The instant of the last event, and whether the clock was frozen after it. */
  #lastEvent: { readonly atMs: number; readonly isFrozen: boolean };
  #hasBegun = false;
  /** The snapshots that a replay takes, too. */
  readonly #snapshots = new Set<string>();

  /**
   * Calls `onEnd` with the reason when the recording ends by itself. It has an error when the sink has failed, and none when no replay can
   * reach the state of the world.
   */
  constructor(world: RecordedWorld, sink: Sink, onEnd: (reason: string, error?: unknown) => void) {
    const { clock, events, wallets, config } = world;
    const { chain } = world.embedded;
    this.#world = world;
    this.#sink = sink;
    this.#onEnd = onEnd;
    this.#header = headerOf(world, world.facts);
    const actors = new Actors(config.seed, wallets, (line) => this.#line(line));
    const redactor = new Redactor(wallets.map(({ secretKey }) => secretKey));
    this.#parts = { redactor, actors, sent: new Set() };
    this.#processedEvents = events.last;
    this.#lastEvent = { atMs: clock.nowMs(), isFrozen: clock.isFrozen() };
    const stops = [
      events.onAppend(() => this.#processEvents()),
      chain.listen({
        changed: (_touched, record) => {
          // Accounts were written directly; such a change carries no request id.
          if (record === null) this.#placeCommand(WRITING_COMMANDS, this.#standingMs());
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
      this.#release = null;
      for (const stop of stops) stop();
      process.off('exit', exit);
      if (this.#timer !== null) clearTimeout(this.#timer);
    };
  }

  /** Writes the header, with the state of a used world; nothing is written before it. */
  begin(state: Uint8Array | null): void {
    this.#hasBegun = true;
    const { actors, redactor } = this.#parts;
    if (state !== null) for (const { secretKey } of actors.made()) redactor.learn(secretKey);
    this.#line({ ...this.#header, state: state === null ? null : Buffer.from(state).toString('base64') });
    // A file with a header is taken.
    this.#flush();
    this.#advance();
  }

  call(operation: EndpointId, request: ApiRequest, requestId: string): RequestTrace<ApiResponse> {
    const call = readCall(operation, request);
    const pending = this.#pending();
    const lineOf = (told: ApiResponse['body'], wallet: string | null) =>
      callLine(call, { told, wallet, at: pending.atMs }, this.#parts);
    // For a process that exits before there is a response.
    pending.make = () => ({ ...lineOf(null, null), inFlight: true });
    return this.#trace(pending, requestId, ({ body }: ApiResponse, wallet) => lineOf(body, wallet));
  }

  rpc(method: string, params: unknown, requestId: string): ReturnType<RequestRecorder['rpc']> {
    if (!isRpcCallRecorded(method, !this.#world.faults.isEmpty)) return null;
    const { chain } = this.#world.embedded;
    const pending = this.#pending();
    const given = sentBy(params);
    let sent = given && lookedUp(given, chain);
    return this.#trace(
      pending,
      requestId,
      ({ outcome: told }) => rpcLine({ method, params, sent }, { told, at: pending.atMs }, this.#parts),
      () => {
        // Blocks may have passed since it arrived.
        sent = given && lookedUp(given, chain);
      },
    );
  }

  command(request: CommandRequest): ReturnType<RequestRecorder['command']> {
    if (!isRecorded(request.command)) return null;
    const pending = this.#pending(request.command);
    return this.#trace(pending, request.requestId, (told) => {
      const { atMs: at, movedToMs: to } = pending;
      if (told !== null) return commandLine(request, { told, at }, this.#parts);
      // How far it got before its client disconnected is a matter of chance: a replay advances to that instant.
      return to === null ? null : { at, kind: 'clock', to };
    });
  }

  /** The trace of an input in flight. `lineOf` creates its line from the response; `onBegin` is called when its work begins. */
  #trace<A>(
    pending: PendingLine,
    requestId: string,
    lineOf: (response: A, wallet: string | null) => InputLine | null,
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
        this.#done(pending, () => lineOf(response, wallet));
      },
    };
  }

  /** Ends the recording; inputs in flight are recorded without a response. Everything is written when it returns. Idempotent. */
  stop(reason?: string): void {
    this.#endAll();
    this.#line({ at: this.#world.clock.nowMs(), kind: 'end', inputs: this.inputs, reason });
    this.#try(() => this.#sink.close());
    this.#release?.();
  }

  /** Writes pending lines; inputs in flight are recorded without a response. */
  #endAll(): void {
    for (const pending of this.#placed) pending.isDone = true;
    this.#advance();
  }

  #pending(command: string | null = null): PendingLine {
    const atMs = this.#world.clock.nowMs();
    return { atMs, movedToMs: null, command, isPlaced: false, isDone: false, make: () => null };
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

  #changed({ what, id, from }: SimEvent['body'] & { kind: 'world' }, atMs: number): void {
    const origin = what === 'reverted' ? id : from;
    // A replay has no earlier snapshots, and its requests have other ids.
    const isElsewhere = origin !== undefined && !this.#snapshots.has(origin);
    const how = what === 'forked' ? 'forked from' : 'reverted to';
    const happened = isElsewhere ? `the world was ${how} ${origin}` : UNREPRESENTED[what];
    if (happened !== undefined) {
      const reason = `${happened}, which a recording cannot represent`;
      this.#onEnd(reason);
      return this.stop(reason);
    }
    // A command that waited takes the instant at which it was carried out; a revert that which it left.
    const { isFrozen, atMs: leftMs } = this.#lastEvent;
    const backMs = isFrozen ? leftMs : null;
    const isPlaced = this.#placeCommand(WITHOUT_REQUEST_ID, what === 'reverted' ? backMs : atMs);
    if (what === 'snapshot' && isPlaced) this.#snapshots.add(id);
  }

  /** The instant of a frozen clock; null while it runs. */
  #standingMs(): number | null {
    const { clock } = this.#world;
    return clock.isFrozen() ? clock.nowMs() : null;
  }

  /** The commands in flight. */
  #commands(): PendingLine[] {
    return [...this.#inFlight.values()].filter(({ command }) => command !== null);
  }

  /** Places the first command of these names that has no position yet; returns whether there was one. */
  #placeCommand(names: readonly (string | null)[], atMs: number | null): boolean {
    const pending = this.#commands().find(({ isPlaced, command }) => !isPlaced && names.includes(command));
    if (pending === undefined) return false;
    pending.atMs = atMs ?? pending.atMs;
    this.#place(pending);
    return true;
  }

  /** Records a transaction that neither the RPC nor the bank sent: it is an input of its own. */
  #hasSent({ bytes, accountKeys, signature, error }: TransactionRecord, requestId: string | null): void {
    const { chain, faucetAddress } = this.#world.embedded;
    const isFacilitator = requestId?.startsWith('fac_') === true;
    if (requestId !== null && !isFacilitator) return;
    const payer = accountKeys[0] as string;
    if (this.#world.bank.reconciler.signsFor(payer)) return;
    const commands = this.#commands().map(({ command }) => command);
    if (payer === faucetAddress && commands.length > 0) {
      // With several, there is no telling which one it was.
      if (commands.length === 1) this.#placeCommand(commands, this.#standingMs());
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
      const transaction = recordedTransaction(wire, blockhash, actors.known);
      const response = { result: signature, error: redactor.response(error) };
      return { at: pending.atMs, kind: 'send', who: actors.of(payer), transaction, signature, response };
    });
  }

  #moved({ how, fromMs }: SimEvent['body'] & { kind: 'clock' }, atMs: number): void {
    // A command that sets the time mode carries no request id; one that advances does.
    if (how === 'delayed' || (how === 'set' && this.#commands().length > 0)) return;
    const mode = modeText(this.#world.clock.mode());
    const pending = this.#pending();
    pending.atMs = fromMs;
    const what = how === 'set' ? { mode } : { to: atMs };
    this.#done(pending, () => ({ at: pending.atMs, kind: 'clock', ...what }));
  }

  /** Writes the lines of completed inputs, up to the first that is in flight. */
  #advance(): void {
    while (this.#hasBegun && this.#release !== null && this.#placed[0]?.isDone === true) {
      const line = made(this.#placed.shift() as PendingLine);
      if (line === null) continue;
      this.#line(line);
      this.inputs += 1;
    }
  }

  #line(line: RecordingHeader | RecordingLine): void {
    this.#try(() => this.#sink.line(JSON.stringify(line)));
  }

  #flush(): void {
    this.#try(() => this.#sink.flush());
  }

  #try(work: () => void): void {
    if (this.#release === null) return;
    try {
      work();
    } catch (error) {
      this.#release();
      try {
        this.#sink.close();
      } catch {
        // The first error is the one to report.
      }
      this.#onEnd('it could no longer be written', error);
    }
  }
}
