import type { Token } from '../text/format.js';
import type { SentRequest } from '../text/copies.js';

interface RequestBody extends SentRequest {
  readonly kind: 'request';
  /** Null when the response was lost. */
  readonly status: number | null;
  readonly message: string | null;
  readonly faults: readonly { readonly fault: string; readonly phase: string; readonly effect: string }[];
}

export interface PostingRow {
  readonly account: string;
  readonly owner?: string;
  readonly token: Token;
  /** Debit positive. */
  readonly amount: number;
}

interface EntryBody {
  readonly kind: 'entry';
  readonly entry: number;
  readonly wallet: string | null;
  readonly facts: { readonly kind: string };
  readonly postings: readonly PostingRow[];
}

interface TransactionBody {
  readonly kind: 'transaction';
  readonly signature: string;
  readonly slot: number;
  readonly error: unknown;
}

interface WorldBody {
  readonly kind: 'world';
  readonly what: string;
  readonly id: string;
  /** The snapshot or request that a fork was made from; absent for a fork of the present. */
  readonly from?: string;
}

/** What the page shows of an event, by kind. */
type EventBody =
  | RequestBody
  | EntryBody
  | TransactionBody
  | WorldBody
  | { readonly kind: 'clock'; readonly how: string; readonly from: string; readonly mode: string }
  | { readonly kind: 'fired'; readonly event: string; readonly subject?: string };

interface Logged {
  readonly seq: number;
  readonly at: string;
  readonly requestId: string | null;
}

/** An event of the log. */
export type LoggedEvent = Logged & EventBody;
export type RequestEvent = Logged & RequestBody;
export type EntryEvent = Logged & EntryBody;
export type WorldEvent = Logged & WorldBody;

/** The events in the response of a command, which has them without their types. */
export const eventsOf = (events: readonly object[]) => events as unknown as readonly LoggedEvent[];

/** A row of the timeline: the shown and searched members of an event. The event is fetched when it is opened. */
export interface EventRow extends Logged {
  readonly kind: LoggedEvent['kind'];
  readonly interface: string | null;
  /** The operation of a request, the kind of an entry, or the kind of a due event. */
  readonly name: string;
  readonly wallet: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly text: string;
  /** The number of an entry, the signature of a transaction. */
  readonly subject: string | null;
  readonly isFaulty: boolean;
}

function inputText(input: unknown): string {
  return Object.entries(typeof input === 'object' ? (input ?? {}) : {})
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => (Array.isArray(input) ? String(value) : `${name} ${String(value)}`))
    .join(' · ');
}

type Parts = Pick<EventRow, 'name' | 'text'> & Partial<EventRow>;

function partsOf(event: LoggedEvent): Parts {
  switch (event.kind) {
    case 'request': {
      const { operation, method, path, code, input, message, wallet, status, faults } = event;
      return {
        name: operation ?? `${method} ${path}`,
        text: code === null ? inputText(input) : (message ?? ''),
        interface: event.interface,
        wallet,
        status,
        code: code === null ? null : String(code),
        isFaulty: faults.length > 0,
      };
    }
    case 'entry': {
      const { entry, facts, postings, wallet } = event;
      const lines = postings.map(({ account, token, amount }) => `${account} ${amount} ${token}`);
      return { name: facts.kind, text: lines.join(' · '), subject: String(entry), wallet };
    }
    case 'transaction': {
      const { slot, signature, error } = event;
      const code = error === null ? null : JSON.stringify(error);
      return { name: `transaction in slot ${slot}`, text: signature, subject: signature, code };
    }
    case 'clock':
      return { name: `clock ${event.how}`, text: `from ${event.from} · ${event.mode}` };
    case 'fired':
      return { name: event.event, text: event.subject ?? '' };
    case 'world':
      return { name: `world ${event.what}`, text: event.id };
  }
}

const SHOWN = 160;

/** Converts an event to a row. Texts are cut, since the window holds many rows. */
export function rowOf(event: LoggedEvent): EventRow {
  const { text, ...parts } = partsOf(event);
  return {
    seq: event.seq,
    at: event.at,
    kind: event.kind,
    requestId: event.requestId,
    interface: null,
    wallet: null,
    status: null,
    code: null,
    subject: null,
    isFaulty: false,
    ...parts,
    text: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
  };
}
