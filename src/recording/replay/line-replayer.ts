import bs58 from 'bs58';
import { COMMANDS, CONTROL_PATH } from '../../api/control/commands.js';
import type { InProcessCall } from '../../api/http/in-process.js';
import { BASE_PATH, type Endpoint, type EndpointId, endpoints } from '../../contract/endpoints.js';
import { errorSentence } from '../../chain/solana/errors.js';
import { parseInstant } from '../../core/domain/calendar.js';
import type { Simulator } from '../../simulator/simulator.js';
import type { TimeMode } from '../../world/clock.js';
import { AliasBindings } from '../aliases.js';
import { Comparison, type Difference } from './compare.js';
import type { LineOf, InputLine, RecordedTransaction } from '../schema.js';
import type { SubstituteSigners } from './substitute-signers.js';
import { signedAnew } from '../transactions.js';
import { isObject, valueAt } from '../../core/json.js';
import { filledPath } from '../../contract/match-path.js';

type HttpResponse = LineOf<'call'>['response'];

/** The wall clock of a replay: it advances only on demand, so that a running world is at each line's recorded instant. */
export class ReplayClock {
  /** From zero: a double of the size of a date is too coarse for a fast clock. */
  #wallMs = 0;

  readonly now = (): number => this.#wallMs;

  readonly wait = (ms: number): Promise<void> => {
    this.#wallMs += ms;
    return Promise.resolve();
  };

  /** Advances a running world to an instant, if that is in the future. */
  reach(atMs: number, now: () => number, mode: TimeMode): void {
    const factor = mode.kind === 'scaled' ? mode.factor : 1;
    this.#wallMs += Math.max(0, atMs - now()) / factor;
    // The division may have been rounded down.
    if (now() < atMs) this.#wallMs += 0.5 / factor;
  }
}

export interface ReplayContext {
  readonly sim: Simulator;
  readonly clock: ReplayClock;
  readonly substitutes: SubstituteSigners;
  /** The addresses of the recorded wallets, by their names. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** Tolerance in real milliseconds while a clock runs, since durations then depend on real time. */
const TOLERANCE_MS = 5_000;

type CallRequest = InProcessCall & { readonly authorization: string | null; readonly key: string | null };

/** A response; null when a fault has lost it, which rejects with a TypeError as fetch does. */
async function orLost<T>(response: Promise<T>): Promise<T | null> {
  return response.catch((error: unknown) => {
    if (error instanceof TypeError) return null;
    throw error;
  });
}

const CHALLENGE_OF_BEFORE = /^<challenge (\d+) of (\S+)>$/;
const TOO_LARGE = `"${'x'.repeat(64 * 1_024)}"`;

/** Plays the lines of a recording in a world and compares the results. */
export class LineReplayer {
  readonly #context: ReplayContext;
  readonly #endpoints: Readonly<Record<EndpointId, Endpoint>>;
  readonly #bindings: AliasBindings;
  /** Transactions by the aliases of their signatures, for retransmissions. */
  readonly #sent = new Map<string, Uint8Array>();
  /** The speed of the fastest clock so far, since responses also contain earlier instants. */
  #fastest = 0;

  constructor(context: ReplayContext) {
    this.#context = context;
    this.#bindings = new AliasBindings([['<issuer>', context.sim.facts.issuerPublicKey]]);
    this.#endpoints = endpoints(context.sim.config.variants, context.sim.config.bankLimits);
  }

  /** Plays a line; returns how its results differ. */
  async play(line: InputLine): Promise<readonly Difference[]> {
    const { sim, clock } = this.#context;
    const comparison = new Comparison(this.#bindings, () => this.#toleranceMs());
    // The clock may run before the first line, and be frozen by it.
    this.#toleranceMs();
    // A running clock may be ahead, because an injected delay made the previous call wait; a frozen one may not.
    if (sim.timeMode().kind === 'frozen')
      comparison.values(new Date(line.at).toISOString(), sim.now().toISOString(), 'clock');
    else clock.reach(line.at, () => sim.now().getTime(), sim.timeMode());
    if (line.kind === 'call') await this.#call(line, comparison);
    else if (line.kind === 'rpc') await this.#rpc(line, comparison);
    else if (line.kind === 'control') await this.#control(line, comparison);
    else if (line.kind === 'send') await this.#send(line, comparison);
    else await this.#moveClock(line, comparison);
    return comparison.differences;
  }

  #toleranceMs(): number {
    const mode = this.#context.sim.timeMode();
    const factor = mode.kind === 'scaled' ? mode.factor : mode.kind === 'real' ? 1 : 0;
    this.#fastest = Math.max(this.#fastest, factor);
    return TOLERANCE_MS * this.#fastest;
  }

  async #call(line: LineOf<'call'>, comparison: Comparison): Promise<void> {
    const { operation, auth, key, params, query, unparsed, tooLarge, brokenOff } = line;
    const request = {
      operation,
      authorization: auth === undefined ? null : this.#authorization(auth, line),
      params: this.#bindings.value(params ?? {}) as Record<string, string>,
      query: this.#bindings.value(query) as LineOf<'call'>['query'],
      key: key === undefined ? null : this.#bindings.text(key),
    };
    const isPlain = unparsed === undefined && tooLarge === undefined && brokenOff === undefined;
    const response = isPlain
      ? (await this.#context.sim.api.call({ ...request, body: this.#body(line) })).body
      : await this.#overHttp(line, request);
    compareResponses(line.response, response && { status: response.status, body: response.body }, comparison);
  }

  /** Sends calls over HTTP that the in-process API cannot represent. */
  async #overHttp({ tooLarge, unparsed }: LineOf<'call'>, request: CallRequest): Promise<HttpResponse> {
    const { operation, authorization, params, query, key } = request;
    const { method, path } = this.#endpoints[operation];
    const url = BASE_PATH + filledPath(path, encodeURIComponent(params?.['id'] ?? ''), query);
    const headers = {
      'content-type': 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...(key === null ? {} : { 'idempotency-key': key }),
    };
    // In place of a body that could not be parsed: as long, and no JSON either.
    const body = tooLarge === true ? TOO_LARGE : '{'.padEnd(unparsed?.bytes ?? 1);
    return this.#fetched(url, { method, headers, ...(method === 'GET' ? {} : { body }) });
  }

  async #fetched(url: string, init: RequestInit): Promise<HttpResponse> {
    const response = await orLost(this.#context.sim.fetch(url, init));
    return response && { status: response.status, body: await response.json() };
  }

  #body(line: LineOf<'call'>): unknown {
    const { substitutes } = this.#context;
    const body = this.#bindings.value(line.body);
    if (line.operation !== 'verify' || !isObject(body)) return body;
    // Sent text may look like an alias, too; the recording escapes it with one more bracket.
    const { message: named, signature } = line.body as Record<string, unknown>;
    const wallet = typeof body['wallet'] === 'string' ? body['wallet'] : '';
    const issued = typeof named === 'string' ? this.#challengeOfBefore(named, wallet) : null;
    const open = issued === null ? body : { ...body, message: issued };
    if (signature !== '<signed>' && signature !== '<signed wrongly>') return open;
    const message = typeof open['message'] === 'string' ? open['message'] : '';
    const bytes = Uint8Array.from(substitutes.signerFor(wallet).sign(Buffer.from(message, 'utf8')));
    if (signature !== '<signed>') bytes[0] = (bytes[0] as number) ^ 0xff;
    return { ...open, signature: bs58.encode(bytes) };
  }

  /** A challenge issued before the recording began, by its alias; null for other aliases. */
  #challengeOfBefore(name: string, wallet: string): string | null {
    const [, number, issuedAt] = CHALLENGE_OF_BEFORE.exec(name) ?? [];
    const issuedMs = Date.parse(issuedAt ?? '');
    if (Number.isNaN(issuedMs)) return null;
    const { auth } = this.#context.sim.bank;
    const snapshot = auth.snapshot();
    auth.restore({ ...snapshot, issued: Number(number) - 1 });
    const made = auth.challenge(wallet, issuedMs);
    auth.restore(snapshot);
    return made.ok ? made.value.challenge : null;
  }

  /** The header with a token from a response, or one like the recorded header. */
  #authorization(auth: string, line: LineOf<'call'>): string {
    const { sim, addresses } = this.#context;
    const token = this.#bindings.get(auth);
    if (token !== undefined) return `Bearer ${token}`;
    const issue = (wallet: string, atMs: number) => sim.bank.auth.issueToken(wallet, 'replay', atMs);
    const nowMs = sim.now().getTime();
    const named = /^<token of (.+)>$/.exec(auth)?.[1];
    if (named !== undefined) return `Bearer ${issue(addresses.get(named) ?? named, nowMs)}`;
    if (auth === 'expired') {
      const lifetimeMs = sim.config.bankLimits.tokenSeconds * 1_000;
      // When it expired, if the response says it.
      const expiredMs = parseInstant(String(valueAt(line.response?.body, 'details.expired_at')));
      return `Bearer ${issue(sim.facts.treasury, (expiredMs ?? nowMs - lifetimeMs) - lifetimeMs)}`;
    }
    return auth === 'malformed' ? auth : 'Bearer wrong';
  }

  async #rpc(line: LineOf<'rpc'>, comparison: Comparison): Promise<void> {
    const method = this.#bindings.text(line.method);
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: this.#params(line) });
    const text = await orLost(this.#context.sim.rpc(message));
    if (line.response === null || text === null)
      return comparison.values(line.response, text === null ? null : JSON.parse(text), 'response');
    const told = JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } };
    const actual = told.error === undefined ? { result: told.result } : { error: { code: told.error.code } };
    const expected = 'error' in line.response ? { error: { code: line.response.error.code } } : line.response;
    // For a call that only reads, the recording holds only whether it succeeded.
    const isRead = !('error' in expected) && !('result' in expected);
    comparison.values(expected, isRead && !('error' in actual) ? {} : actual, '');
  }

  #params(line: LineOf<'rpc'>): unknown {
    const { transaction, repeats } = line;
    const config = this.#bindings.value(line.config ?? {}) as Record<string, unknown>;
    const options = { ...config, encoding: 'base64' };
    const again = repeats === undefined ? undefined : this.#sent.get(repeats);
    if (again !== undefined) return [Buffer.from(again).toString('base64'), options];
    if (transaction === undefined) return this.#bindings.value(line.params);
    return [Buffer.from(this.#signed(transaction, line.signature)).toString('base64'), options];
  }

  /** Signs a transaction for sending, and binds the alias of its signature. */
  #signed(transaction: RecordedTransaction, name: string | undefined): Uint8Array {
    const { sim, substitutes } = this.#context;
    const bytes = signedAnew(transaction, sim.chain, (address) => substitutes.signerFor(address));
    if (name !== undefined) {
      this.#sent.set(name, bytes);
      this.#bindings.set(name, bs58.encode(bytes.subarray(1, 65)));
    }
    return bytes;
  }

  async #control(line: LineOf<'control'>, comparison: Comparison): Promise<void> {
    const { method, path } = COMMANDS[line.command];
    const id = encodeURIComponent(this.#bindings.text(line.id ?? ''));
    const query = this.#bindings.value(line.query ?? {}) as Record<string, string>;
    const url = CONTROL_PATH + filledPath(path, id, query);
    const body = line.body === undefined ? {} : { body: JSON.stringify(this.#bindings.value(line.body)) };
    const headers = { 'content-type': 'application/json' };
    const response = await this.#fetched(url, { method, headers, ...body });
    compareResponses(line.response, response, comparison);
  }

  async #send(line: LineOf<'send'>, comparison: Comparison): Promise<void> {
    const { sim } = this.#context;
    const bytes = this.#signed(line.transaction, line.signature);
    const skipPreflight = line.response.error !== null;
    const submission = await sim.chain.submit(bytes, { skipPreflight });
    const response =
      submission.kind === 'processed'
        ? { result: submission.record.signature, error: submission.record.error }
        : { result: null, error: errorSentence(submission.error) };
    comparison.values(line.response, JSON.parse(JSON.stringify(response)), '');
  }

  async #moveClock(line: LineOf<'clock'>, comparison: Comparison): Promise<void> {
    const { sim } = this.#context;
    if (line.missing !== undefined) comparison.values(line.missing, 'nothing', 'line');
    if (line.mode !== undefined) sim.setTime(line.mode);
    if (line.to !== undefined && line.to > sim.now().getTime()) await sim.advance({ to: new Date(line.to) });
  }
}

/** A response without the JSON parser's message, which may quote text that recordings omit. */
function withoutSentence(body: unknown): unknown {
  if (!isObject(body) || body['code'] !== 'invalid_json' || !isObject(body['details'])) return body;
  const { reason: _, ...details } = body['details'];
  return { ...body, details };
}

function compareResponses(expected: HttpResponse, actual: HttpResponse, comparison: Comparison): void {
  if (expected === null || actual === null) {
    if (expected !== actual) comparison.values(expected === null ? null : 'a response', actual, 'response');
    return;
  }
  if (expected.status !== actual.status) {
    comparison.values(expected.status, actual.status, 'status');
    // If the statuses differ, the code says more than a list of missing members.
    const [wanted, got] = [expected, actual].map(({ body }) => valueAt(body, 'code') ?? null);
    return comparison.values(wanted, got, 'code');
  }
  comparison.values(withoutSentence(expected.body), withoutSentence(actual.body), '');
}
