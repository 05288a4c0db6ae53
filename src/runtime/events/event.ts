import bs58 from 'bs58';
import type { TransactionRecord } from '../../chain/history.js';
import { isoOf } from '../../core/domain/calendar.js';
import type { Entry } from '../../core/domain/entry.js';
import { amountOf } from '../../core/domain/money.js';

/** A completed call to the service, the chain's RPC or the control interface, even if its response was lost. */
export interface RequestEvent {
  readonly kind: 'request';
  readonly interface: 'api' | 'rpc' | 'control';
  readonly method: string;
  /** The path, or the RPC method. */
  readonly path: string;
  /** The operation's id in the contract; null for web pages and unknown paths. */
  readonly operation: string | null;
  readonly wallet: string | null;
  /** HTTP status, or 200 for an RPC result; null when the response was lost. */
  readonly status: number | null;
  /** The error code; null for a success. */
  readonly code: string | number | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The input; null when it is large or secret. */
  readonly input: unknown;
  /** Absent without one, and where the operation takes none. */
  readonly idempotencyKey?: string;
  /**
   * The body of a success as JSON, cut at a fixed length; null when it holds a secret, is bytes, or is unknown. It is
   * held in memory only, for explanations; files and streams of events omit it.
   */
  readonly answer: string | null;
  /**
   * The request whose response it repeated under one Idempotency-Key; null when that is no longer known, absent when it repeated none.
   * It is held in memory only, like `answer`.
   */
  readonly repeats?: string | null;
  /** The injected faults: their ids, phases and effects. */
  readonly faults: readonly { readonly fault: string; readonly phase: string; readonly effect: string }[];
}

/** The content of an event, without its number, time and request id. */
export type EventBody =
  | RequestEvent
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'transaction'; readonly record: TransactionRecord }
  | {
      readonly kind: 'clock';
      readonly how: 'advanced' | 'set' | 'reverted' | 'delayed';
      readonly fromMs: number;
      readonly mode: string;
    }
  | { readonly kind: 'fired'; readonly event: string; readonly subject: string | null }
  | {
      readonly kind: 'world';
      readonly what: 'snapshot' | 'reverted' | 'forked' | 'exported' | 'imported' | 'rolled_back';
      /** For a rollback to the durable state, the number of the last event before that state. */
      readonly id: string;
      /** The snapshot that a fork was made from, or the request that it was made before; absent for a fork of the present. */
      readonly from?: string;
    };
export type EventKind = EventBody['kind'];

// The type makes the list complete.
const KINDS: Record<EventKind, 0> = { request: 0, entry: 0, transaction: 0, clock: 0, fired: 0, world: 0 };
export const EVENT_LOG_KINDS = Object.keys(KINDS) as readonly EventKind[];

export interface SimEvent {
  /** 1, 2, 3 … without gaps. */
  readonly seq: number;
  readonly atMs: number;
  /** The request that caused it; null for the passage of time and for library calls in this process. */
  readonly requestId: string | null;
  readonly body: EventBody;
}

/** A JSON-compatible value: base units and other unbounded integers as text, bytes in base58. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return bs58.encode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON() as unknown;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/**
 * An entry as JSON: amounts in token units, base units among the facts as text.
 * @interface
 */
export type EntryJson = Readonly<ReturnType<typeof entryJson>>;

/** An entry as JSON. */
export function entryJson({ seq, wallet, facts, postings }: Entry) {
  return {
    entry: seq,
    wallet,
    facts: plain(facts),
    postings: postings.map(({ account, owner, token, amountBase }) => ({
      account,
      ...(owner === null ? {} : { owner }),
      token,
      amount: amountOf(token, amountBase).toNumber(),
    })),
  };
}

function transactionBody({ signature, slot, error, feeLamports, accountKeys, touched }: TransactionRecord) {
  return {
    signature,
    slot,
    error,
    feeLamports: Number(feeLamports),
    signer: accountKeys[0],
    changed: touched
      .filter(({ pre, post }) => pre !== post)
      .map(({ address, pre, post }) => ({
        address,
        lamports: Number((post?.lamports ?? 0n) - (pre?.lamports ?? 0n)),
      })),
  };
}

// Each case states its kind for the type; `eventJson` puts it first.
function bodyOf(body: EventBody) {
  switch (body.kind) {
    case 'request': {
      const { method, path, operation, wallet, status, code, message, details } = body;
      const { input, idempotencyKey, faults } = body;
      return {
        kind: body.kind,
        interface: body.interface,
        method,
        path,
        operation,
        wallet,
        status,
        code,
        message,
        details: plain(details),
        input: plain(input),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        faults,
      };
    }
    case 'entry':
      return { kind: body.kind, ...entryJson(body.entry) };
    case 'transaction':
      return { kind: body.kind, ...transactionBody(body.record) };
    case 'clock':
      return { kind: body.kind, how: body.how, from: isoOf(body.fromMs), mode: body.mode };
    case 'fired':
      return {
        kind: body.kind,
        event: body.event,
        ...(body.subject === null ? {} : { subject: body.subject }),
      };
    case 'world':
      return {
        kind: body.kind,
        what: body.what,
        id: body.id,
        ...(body.from === undefined ? {} : { from: body.from }),
      };
  }
}

/** An event as JSON: amounts in token units, base units as text, instants in ISO 8601. */
export function eventJson({ seq, atMs, requestId, body }: SimEvent): EventJson {
  return Object.assign({ seq, at: isoOf(atMs), kind: body.kind, requestId }, bodyOf(body));
}

/** An event as JSON. Its `kind` selects the members; before it is known, any other member is `unknown`. */
export type EventJson = {
  readonly seq: number;
  readonly at: string;
  readonly requestId: string | null;
} & ReturnType<typeof bodyOf> &
  Readonly<Record<string, unknown>>;

/** The wallet that an event concerns; null for none. */
export function walletOf({ body }: SimEvent): string | null {
  if (body.kind === 'request') return body.wallet;
  return body.kind === 'entry' ? body.entry.wallet : null;
}
