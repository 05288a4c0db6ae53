import type { AnswerOf } from '../../api/control/client.js';

export type LoggedEvent = AnswerOf<'events'>['events'][number];
export type RequestEvent = Extract<LoggedEvent, { kind: 'request' }>;
export type EntryEvent = Extract<LoggedEvent, { kind: 'entry' }>;
export type WorldEvent = Extract<LoggedEvent, { kind: 'world' }>;
/** A line of an entry; its amount is positive for a debit. */
export type PostingRow = EntryEvent['postings'][number];

/** A row of the timeline: the shown and searched members of an event. The event is fetched when it is opened. */
export interface EventRow extends Pick<LoggedEvent, 'seq' | 'at' | 'requestId'> {
  /** The interface of a request, the kind of any other event. */
  readonly kind: string;
  readonly isRequest: boolean;
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
        kind: event.interface,
        isRequest: true,
        wallet,
        status,
        code: code === null ? null : String(code),
        isFaulty: faults.length > 0,
      };
    }
    case 'entry': {
      const { entry, facts, postings, wallet } = event;
      const lines = postings.map(({ account, token, amount }) => `${account} ${amount} ${token}`);
      return {
        name: (facts as { readonly kind: string }).kind,
        text: lines.join(' · '),
        subject: String(entry),
        wallet,
      };
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
    isRequest: false,
    wallet: null,
    status: null,
    code: null,
    subject: null,
    isFaulty: false,
    ...parts,
    text: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
  };
}
