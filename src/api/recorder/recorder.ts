import type { Chain } from '../../chain/chain.js';
import type { TransactionRecord } from '../../chain/history.js';
import { parseTransaction } from '../../chain/wire.js';
import type { SimulatorConfig } from '../../runtime/config.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { SimEvent } from '../../runtime/events/event.js';
import type { EventLog } from '../../runtime/events/log.js';
import type { Faults } from '../../runtime/faults/fault-rules.js';
import type { ApiRequest } from '../pipeline/api-request.js';
import type { CommandRequest, RequestRecorder, RequestTrace, RpcOutcome } from '../pipeline/recorder-port.js';
import type { Clock } from '../../world/clock.js';
import { AuthorizationRedactor } from './authorization-redactor.js';
import { type LineParts, readAsked } from './call-line.js';
import { type CallQueue, PendingCall } from './pending-call.js';
import { commandLine, isRecorded, tellsNoRequest } from './command-line.js';
import type { EndLine, RecordedAnswer, RecordingHeader } from './format.js';
import { modeText } from './header.js';
import { lookUp, rpcLine, sentBy, isRpcCallRecorded } from './rpc-line.js';
import { SecretRedactor } from './secret-redactor.js';
import type { Sink } from './sinks.js';
import { PendingLine } from './pending-line.js';
import { decodeInstructions, inWords } from './decoded-instruction.js';
import { nonceAccountOf } from '../../chain/nonces.js';
import { ageOf, withoutSecrets } from './transactions.js';
import { InFlightCalls } from './in-flight-calls.js';
import { Actors } from './wallets.js';

/** Commands that write accounts directly. */
const WRITING_COMMANDS = new Set<string | null>(['setBalance', 'setAccounts', 'deployProgram']);

/** What a recorder needs from a world. */
export interface RecordedWorld {
  readonly config: SimulatorConfig;
  readonly clock: Clock;
  readonly chain: Chain;
  readonly events: EventLog;
  readonly faults: Faults;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
  /** Whether transactions paid for by this address are the bank's own. */
  readonly isBank: (address: string) => boolean;
  /** Whether an address is the faucet's. */
  readonly isFaucet: (address: string) => boolean;
}

/** The destination of a recording, and listeners for its end. */
export interface RecorderOut {
  readonly sink: Sink;
  /** Called when the sink fails; nothing is recorded after that. */
  readonly onError: (error: unknown) => void;
  /** Called with the reason when the world is in a state that no replay can reach; the recording must then be stopped. */
  readonly onLeft: (reason: string) => void;
}

/** Lines are created in batches of this size, while their code is in the processor's caches; none waits longer for others. */
const BATCH = 32;
const BEHIND_MS = 50;

/**
 * Records a world's requests and responses, one line each, in the order of their effects. The parts of a line are stored when the
 * call is answered and serialized shortly after: not at once, since the code for it is then out of the processor's caches, and
 * not much later, since objects that outlive their garbage collection cycle are copied with long-lived ones.
 */
export class Recorder implements RequestRecorder {
  readonly #world: RecordedWorld;
  readonly #sink: Sink;
  readonly #out: RecorderOut;
  readonly #secrets: SecretRedactor;
  readonly #actors: Actors;
  readonly #parts: LineParts;
  readonly #clock: { readonly nowMs: () => number; readonly still: <T>(work: () => T) => T };
  readonly #sent = new Set<string>();
  readonly #underWay = new InFlightCalls();
  readonly #calls: CallQueue = {
    place: (pending) => this.#place(pending),
    ended: (requestId, pending) => {
      this.#underWay.delete(requestId);
      this.#done(pending);
    },
  };
  /** Inputs with a place and without a line yet. */
  #placed: PendingLine[] = [];
  #inputs = 0;
  #timer: NodeJS.Timeout | null = null;
  #end: { readonly stop: () => void } | null;
  #processedEvents: number;
  /** The instant of the last event, and whether the clock was frozen after it. */
  #lastEvent: { readonly atMs: number; readonly isFrozen: boolean };
  #hasBegun = false;

  constructor(world: RecordedWorld, out: RecorderOut) {
    const { clock, events, wallets, config } = world;
    this.#world = world;
    this.#sink = out.sink;
    this.#out = out;
    this.#secrets = new SecretRedactor(wallets.map(({ secretKey }) => secretKey));
    this.#actors = new Actors(config.seed, wallets, (line) => {
      this.#line(JSON.stringify(line));
    });
    const authorizations = new AuthorizationRedactor(this.#secrets, this.#actors);
    this.#parts = { secrets: this.#secrets, actors: this.#actors, authorizations };
    this.#clock = { nowMs: () => clock.nowMs(), still: (work) => clock.still(work) };
    this.#processedEvents = events.last;
    this.#lastEvent = { atMs: clock.nowMs(), isFrozen: clock.isFrozen() };
    const stop = events.onAppend(() => this.#processEvents());
    const exit = () => {
      this.#endAll();
      this.#flush();
    };
    process.once('exit', exit);
    this.#end = {
      stop: () => {
        stop();
        process.off('exit', exit);
        if (this.#timer !== null) clearTimeout(this.#timer);
      },
    };
  }

  /** Writes the header; nothing is written before it. */
  begin(header: RecordingHeader): void {
    this.#hasBegun = true;
    if (header.state !== null) for (const key of this.#actors.madeBefore()) this.#secrets.learn(key);
    this.#line(JSON.stringify(header));
    this.#advance();
  }

  call(operation: EndpointId, request: ApiRequest, requestId: string): PendingCall {
    const call = readAsked(operation, request);
    const pending = new PendingCall(call, requestId, this.#parts, { clock: this.#clock, queue: this.#calls });
    this.#underWay.set(requestId, pending);
    return pending;
  }

  rpc(method: string, params: unknown, requestId: string): ReturnType<RequestRecorder['rpc']> {
    if (!isRpcCallRecorded(method, !this.#world.faults.isEmpty)) return null;
    const { chain } = this.#world;
    const pending = this.#pending();
    const sent = sentBy(params);
    if (sent !== null) pending.onBegin = () => lookUp(sent, chain);
    return this.#trace(pending, requestId, ({ outcome: answer }: { readonly outcome: RpcOutcome | null }) => {
      if (sent?.found === null) lookUp(sent, chain);
      const parts = { secrets: this.#secrets, actors: this.#actors, sent: this.#sent, chain };
      return () => rpcLine({ method, params, sent, answer }, pending.atMs, parts);
    });
  }

  command(request: CommandRequest): RequestTrace<RecordedAnswer | null> | null {
    if (!isRecorded(request.command)) return null;
    const pending = this.#pending(request.command);
    return this.#trace(pending, request.requestId, (answer) => {
      const { movedToMs } = pending;
      if (answer !== null)
        return () => commandLine(request, answer, { atMs: pending.atMs, secrets: this.#secrets });
      // How far it got before its client disconnected is a matter of chance: a replay advances to that instant.
      return movedToMs === null ? undefined : () => movedLine(pending.atMs, { to: movedToMs });
    });
  }

  /** The trace of an input in flight; `makeLine` returns what creates its line, undefined for no line. */
  #trace<A>(
    pending: PendingLine,
    requestId: string,
    makeLine: (answer: A) => (() => string) | undefined,
  ): RequestTrace<A> {
    this.#underWay.set(requestId, pending);
    return {
      arrived: (isWaiting) => pending.arrived(isWaiting),
      still: (work) => pending.still(work),
      answered: (answer) => {
        this.#underWay.delete(requestId);
        this.#done(pending, makeLine(answer));
      },
    };
  }

  /** Called when accounts were written directly; such a change carries no request id. */
  written(): void {
    this.#placeCommand(({ command }) => WRITING_COMMANDS.has(command), this.#standingMs());
  }

  get inputs(): number {
    return this.#inputs;
  }

  /** Ends the recording; inputs in flight are recorded without a response. All is written when it returns. Idempotent. */
  stop(reason?: string): void {
    if (this.#end === null) return;
    this.#endAll();
    if (this.#end === null) return;
    const at = this.#clock.nowMs();
    const end: EndLine = {
      at,
      kind: 'end',
      inputs: this.#inputs,
      ...(reason === undefined ? {} : { reason }),
    };
    this.#line(JSON.stringify(end));
    if (this.#end === null) return;
    this.#stopListening();
    try {
      this.#sink.close();
    } catch (error) {
      this.#out.onError(error);
    }
  }

  /** Writes pending lines; inputs in flight are recorded without a response. */
  #endAll(): void {
    for (const pending of this.#placed) pending.isDone = true;
    this.#advance();
  }

  #stopListening(): void {
    this.#end?.stop();
    this.#end = null;
    this.#timer = null;
  }

  #pending(command: string | null = null): PendingLine {
    return new PendingLine(this.#clock, (pending) => this.#place(pending), command);
  }

  #place(pending: PendingLine): void {
    if (pending.isPlaced) return;
    pending.isPlaced = true;
    this.#placed.push(pending);
  }

  #done(pending: PendingLine, line?: () => string): void {
    if (this.#end === null) return;
    if (line !== undefined) pending.makes(line);
    pending.isDone = true;
    this.#place(pending);
    if (this.#placed.length >= BATCH) this.#advance();
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#advance();
        this.#flush();
      }, BEHIND_MS).unref();
  }

  /** Processes new events: an input gets its place with its first effect. */
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
    const pending = requestId === null ? undefined : this.#underWay.get(requestId);
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
    if (what === 'reverted' && id.startsWith('before ')) {
      this.#out.onLeft(`the world was reverted to ${id}, which no recording holds`);
      return;
    }
    if (what === 'imported') {
      this.#out.onLeft('a state was imported, which no recording holds');
      return;
    }
    // A command that waited takes the instant at which it was carried out; a revert that which it left.
    const { isFrozen, atMs: leftMs } = this.#lastEvent;
    const isBack = what === 'reverted';
    this.#placeCommand(({ command }) => tellsNoRequest(command), isBack ? (isFrozen ? leftMs : null) : atMs);
  }

  /** The instant of a frozen clock; null while it runs. */
  #standingMs(): number | null {
    const { clock } = this.#world;
    return clock.isFrozen() ? clock.nowMs() : null;
  }

  #placeCommand(isIt: (pending: PendingLine) => boolean, atMs: number | null): void {
    for (const pending of this.#underWay.values()) {
      if (pending.isPlaced || !isIt(pending)) continue;
      if (atMs !== null) pending.atMs = atMs;
      this.#place(pending);
      return;
    }
  }

  /** A transaction that came neither through the RPC nor from the bank is an input of its own. */
  #hasSent({ bytes, accountKeys, signature, error }: TransactionRecord, requestId: string | null): void {
    const { chain, isBank, isFaucet } = this.#world;
    const isFacilitator = requestId?.startsWith('fac_') === true;
    if (requestId !== null && !isFacilitator) return;
    const payer = accountKeys[0] as string;
    if (isBank(payer)) return;
    const commands = [...this.#underWay.values()].filter(({ command }) => command !== null);
    if (isFaucet(payer) && commands.length > 0) {
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
      this.#sent.add(signature);
      const does = inWords(decodeInstructions(wire), (address) => this.#actors.known(address));
      const signed = wire.signatures.map(() => 'right' as const);
      const transaction = withoutSecrets(wire, { blockhash, signed, does });
      const who = this.#actors.of(payer);
      const answer = this.#secrets.redactResponse(JSON.stringify({ result: signature, error }));
      return `{"at":${pending.atMs},"kind":"send","who":"${who}","transaction":${JSON.stringify(transaction)},"signature":"${signature}","answer":${answer}}`;
    });
  }

  /** The clock was moved by a program of this process. */
  #moved({ how, fromMs }: SimEvent['body'] & { kind: 'clock' }, atMs: number): void {
    // A command that sets the time mode carries no request id; one that advances does.
    const isCommanded = how === 'set' && [...this.#underWay.values()].some(({ command }) => command !== null);
    if (how === 'delayed' || isCommanded) return;
    const mode = modeText(this.#world.clock.mode());
    const pending = this.#pending();
    pending.atMs = fromMs;
    const what = how === 'set' ? { mode } : { to: atMs };
    this.#done(pending, () => movedLine(pending.atMs, what));
  }

  /** Creates the lines of completed inputs, up to the first that is in flight. */
  #advance(): void {
    if (!this.#hasBegun || this.#end === null) return;
    let done = 0;
    for (; this.#end !== null && this.#placed[done]?.isDone === true; done += 1) {
      const line = lineOf(this.#placed[done] as PendingLine);
      if (line === '') continue;
      this.#line(line);
      this.#inputs += 1;
    }
    this.#placed.splice(0, done);
  }

  #line(text: string): void {
    this.#try(() => this.#sink.line(text));
  }

  #flush(): void {
    this.#try(() => this.#sink.flush());
  }

  #try(work: () => void): void {
    if (this.#end === null) return;
    try {
      work();
    } catch (error) {
      this.#stopListening();
      try {
        this.#sink.close();
      } catch {
        // The first error is the one to report.
      }
      this.#out.onError(error);
    }
  }
}

/** The line of a clock change. */
function movedLine(atMs: number, what: { readonly to: number } | { readonly mode: string }): string {
  return JSON.stringify({ at: atMs, kind: 'clock', ...what });
}

/** The line of a completed input. A bug in creating it costs this line only. */
function lineOf(pending: PendingLine): string {
  try {
    return pending.line();
  } catch (error) {
    return pending.lineWithout(error);
  }
}
