import type { Chain } from '../../chain/chain.js';
import type { TransactionRecord } from '../../chain/history.js';
import { parseTransaction } from '../../chain/wire.js';
import type { SimulatorConfig } from '../../runtime/config.js';
import type { CommandRequest, CommandRecorder, CommandTrace } from '../control/command-recorder.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { SimEvent } from '../../runtime/events/event.js';
import type { EventLog } from '../../runtime/events/log.js';
import type { Faults } from '../../runtime/faults/faults.js';
import type { ApiRequest } from '../http/request.js';
import type { CallRecorder, CallTrace } from '../http/call-recorder.js';
import type { RpcTrace, RpcRecorder } from '../rpc/rpc-recorder.js';
import type { Clock } from '../../world/clock.js';
import { AuthorizationRedactor } from './authorization-redactor.js';
import { type LineParts, readAsked } from './call-line.js';
import { type CallQueue, PendingCall } from './pending-call.js';
import { commandLine, isRecorded, tellsNoRequest } from './command-line.js';
import type { EndLine, RecordingHeader } from './format.js';
import { modeText } from './header.js';
import { lookUp, rpcLine, sentBy, takesPart } from './rpc-line.js';
import { SecretRedactor } from './secret-redactor.js';
import type { Sink } from './sinks.js';
import { PendingLine } from './pending-line.js';
import { decodeInstructions, inWords } from './decoded-instruction.js';
import { ageOf, withoutSecrets } from './transactions.js';
import { InFlightCalls } from './in-flight-calls.js';
import { Actors } from './wallets.js';

/** What a recorder needs of a world. */
export interface RecordedWorld {
  readonly config: SimulatorConfig;
  readonly clock: Clock;
  readonly chain: Chain;
  readonly events: EventLog;
  readonly faults: Faults;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
  /** Whether a transaction that this address pays is the bank's own. */
  readonly isBank: (address: string) => boolean;
  /** Whether an address is the faucet's. */
  readonly isFaucet: (address: string) => boolean;
}

/** Where a recording goes, and who hears of its end. */
export interface RecorderOut {
  readonly sink: Sink;
  /** Told when the sink takes nothing more; then nothing is recorded any more. */
  readonly onError: (error: unknown) => void;
  /** Told when the world has become what no replay can make of it, and why; the recording is to be stopped then. */
  readonly onLeft: (reason: string) => void;
}

/** So many lines are made together, since what makes them is then at hand; none waits longer for others. */
const BATCH = 32;
const BEHIND_MS = 50;

/**
 * Writes down what comes into a world and what it answers, a line each, in the order of their effects. The parts of a line are kept
 * as they are when the call is answered, and put into words a moment later: not at once, since what makes lines is then out of the
 * processor's reach, and not much later, since what is kept outlives the garbage of its time and is copied with what stays.
 */
export class Recorder implements CallRecorder, RpcRecorder, CommandRecorder {
  readonly #world: RecordedWorld;
  readonly #sink: Sink;
  readonly #out: RecorderOut;
  readonly #secrets: SecretRedactor;
  readonly #actors: Actors;
  readonly #parts: LineParts;
  readonly #clock: { readonly nowMs: () => number; readonly still: <T>(work: () => T) => T };
  /** Signatures of transactions that the recording has. */
  readonly #sent = new Set<string>();
  readonly #underWay = new InFlightCalls();
  readonly #calls: CallQueue = {
    place: (pending) => this.#place(pending),
    begun: (requestId, pending) => this.#underWay.set(requestId, pending),
    ended: (requestId, pending) => {
      this.#underWay.delete(requestId);
      this.#done(pending);
    },
  };
  /** What has its place and no line yet. */
  #placed: PendingLine[] = [];
  #inputs = 0;
  #timer: NodeJS.Timeout | null = null;
  #end: { readonly stop: () => void } | null;
  #heardEvents: number;
  /** When the last event was, and whether time stood after it. */
  #heard: { readonly atMs: number; readonly isFrozen: boolean };
  #hasBegun = false;

  /** Records from here on. */
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
    this.#heardEvents = events.last;
    this.#heard = { atMs: clock.nowMs(), isFrozen: clock.isFrozen() };
    const stop = events.onAppend(() => this.#hear());
    const exit = () => {
      this.#endAll();
      this.#try(() => this.#sink.closeAtExit());
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

  /** Writes the header; until then nothing is written. */
  begin(header: RecordingHeader): void {
    this.#hasBegun = true;
    if (header.state !== null) for (const key of this.#actors.madeBefore()) this.#secrets.learn(key);
    this.#line(JSON.stringify(header));
    this.#advance();
  }

  call(operation: EndpointId, asked: ApiRequest): CallTrace {
    return new PendingCall(readAsked(operation, asked), this.#parts, this.#clock, this.#calls);
  }

  rpc(method: string, params: unknown, requestId: string): RpcTrace | null {
    if (!takesPart(method, !this.#world.faults.isEmpty)) return null;
    const { chain } = this.#world;
    const pending = this.#pending();
    const sent = sentBy(params);
    if (sent !== null) pending.onBegin = () => lookUp(sent, chain);
    this.#underWay.set(requestId, pending);
    return {
      arrived: (isWaiting) => pending.arrived(isWaiting),
      still: (work) => pending.still(work),
      answered: (outcome, isLost) => {
        this.#underWay.delete(requestId);
        if (sent?.found === null) lookUp(sent, chain);
        const parts = { secrets: this.#secrets, actors: this.#actors, sent: this.#sent, chain };
        const call = { method, params, sent, answer: isLost ? null : outcome };
        this.#done(pending, () => rpcLine(call, pending.atMs, parts));
      },
    };
  }

  command(asked: CommandRequest): CommandTrace | null {
    if (!isRecorded(asked.command)) return null;
    const pending = this.#pending(asked.command);
    this.#underWay.set(asked.requestId, pending);
    return {
      still: (work) => pending.still(work),
      answered: (status, body) => {
        this.#underWay.delete(asked.requestId);
        const answer = { status, body };
        this.#done(pending, () => commandLine(asked, answer, { atMs: pending.atMs, secrets: this.#secrets }));
      },
      left: () => {
        this.#underWay.delete(asked.requestId);
        const { movedToMs } = pending;
        // Where it had got to when its caller left is chance: a replay goes there.
        if (movedToMs === null) this.#done(pending);
        else this.#done(pending, () => movedLine(pending.atMs, { to: movedToMs }));
      },
    };
  }

  /** The chain was written to past all rules; such a change names no request. */
  written(): void {
    this.#placeCommand(({ command }) => command === 'setBalance', this.#standingMs());
  }

  /** How many inputs were recorded so far. */
  get inputs(): number {
    return this.#inputs;
  }

  /** Ends the recording; what is under way is kept without an answer. Resolves when all is written. Nothing happens when it has ended. */
  async stop(reason?: string): Promise<void> {
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
    this.#hearNoMore();
    await this.#sink.close().catch(this.#out.onError);
  }

  /** Writes what there is; what is under way is kept without an answer. */
  #endAll(): void {
    for (const pending of this.#placed) pending.isDone = true;
    this.#advance();
  }

  #hearNoMore(): void {
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

  /** Something has happened: whose effect it is has its place from here on. */
  #hear(): void {
    const { events, clock } = this.#world;
    for (; this.#heardEvents < events.last; this.#heardEvents += 1) {
      // Every other event is a request's end, which tells nothing here.
      if (events.bodyAt(this.#heardEvents + 1)?.kind === 'request') continue;
      const event = events.at(this.#heardEvents + 1);
      if (event === null) continue;
      try {
        this.#happened(event);
      } catch (error) {
        // What happened goes on, whatever becomes of its line.
        this.#done(this.#pending(), () => {
          throw error;
        });
      }
      this.#heard = { atMs: event.atMs, isFrozen: clock.isFrozen() };
    }
  }

  #happened({ body, requestId, atMs }: SimEvent): void {
    const pending = requestId === null ? undefined : this.#underWay.get(requestId);
    if (pending !== undefined) {
      // It may have waited for others, which have moved the time.
      if (body.kind === 'clock') {
        pending.atMs = body.fromMs;
        pending.movedToMs = atMs;
      } else if (pending.command !== null && !pending.isPlaced)
        pending.atMs = this.#standingMs() ?? pending.atMs;
      this.#place(pending);
    } else if (body.kind === 'world') this.#changed(body.what, atMs);
    else if (body.kind === 'transaction') this.#hasSent(body.record, requestId);
    else if (body.kind === 'clock' && requestId === null) this.#moved(body, atMs);
  }

  /** Something has happened to the whole world. */
  #changed(what: (SimEvent['body'] & { kind: 'world' })['what'], atMs: number): void {
    if (what === 'imported') {
      this.#out.onLeft('a state was imported, which no recording holds');
      return;
    }
    // The instant of a command that waited is the one at which it was carried out, for a revert the one that was left.
    const { isFrozen, atMs: leftMs } = this.#heard;
    const isBack = what === 'reverted';
    this.#placeCommand(({ command }) => tellsNoRequest(command), isBack ? (isFrozen ? leftMs : null) : atMs);
  }

  /** The instant at which time stands; null while it runs. */
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

  /** A transaction that came neither by the RPC nor from the bank is an input of its own. */
  #hasSent({ bytes, accountKeys, signature, error }: TransactionRecord, requestId: string | null): void {
    const { chain, isBank, isFaucet } = this.#world;
    const isFacilitator = requestId?.startsWith('fac_') === true;
    if (requestId !== null && !isFacilitator) return;
    const payer = accountKeys[0] as string;
    if (isBank(payer)) return;
    const commands = [...this.#underWay.values()].filter(({ command }) => command !== null);
    if (isFaucet(payer) && commands.length > 0) {
      // Of several, nothing says which one it is.
      if (commands.length === 1) this.#placeCommand(({ command }) => command !== null, this.#standingMs());
      return;
    }
    const pending = this.#pending();
    const wire = parseTransaction(bytes);
    const blockhash = ageOf(wire.blockhash, chain);
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

  /** Time was moved by a program of this process. */
  #moved({ how, fromMs }: SimEvent['body'] & { kind: 'clock' }, atMs: number): void {
    // A command that sets how time moves names no request; one that jumps does.
    const isCommanded = how === 'set' && [...this.#underWay.values()].some(({ command }) => command !== null);
    if (how === 'delayed' || isCommanded) return;
    const mode = modeText(this.#world.clock.mode());
    const pending = this.#pending();
    pending.atMs = fromMs;
    const what = how === 'set' ? { mode } : { to: atMs };
    this.#done(pending, () => movedLine(pending.atMs, what));
  }

  /** Makes the lines of what is done, as far as nothing before it is still under way. */
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
      this.#hearNoMore();
      // It is the first error that says what is wrong.
      this.#sink.close().catch(() => undefined);
      this.#out.onError(error);
    }
  }
}

/** The line of time that was moved. */
function movedLine(atMs: number, what: { readonly to: number } | { readonly mode: string }): string {
  return JSON.stringify({ at: atMs, kind: 'clock', ...what });
}

/** The line of what is done. A mistake in making it costs this line only. */
function lineOf(pending: PendingLine): string {
  try {
    return pending.line();
  } catch (error) {
    return pending.lineWithout(error);
  }
}
