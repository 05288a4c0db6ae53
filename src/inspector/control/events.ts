export interface LoggedEvent {
  readonly seq: number;
  readonly at: string;
  readonly kind: 'request' | 'entry' | 'transaction' | 'clock' | 'fired' | 'world';
  readonly requestId: string | null;
  readonly [member: string]: unknown;
}

/** A row of the timeline: the shown and searched members of an event. The event is fetched when it is opened. */
export interface EventRow {
  readonly seq: number;
  readonly at: string;
  readonly kind: LoggedEvent['kind'];
  readonly requestId: string | null;
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

const members = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function inputText(input: unknown): string {
  return Object.entries(members(input))
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => (Array.isArray(input) ? String(value) : `${name} ${String(value)}`))
    .join(' · ');
}

function postingText(postings: unknown): string {
  const rows = Array.isArray(postings) ? (postings as Record<string, unknown>[]) : [];
  return rows
    .map(({ account, token, amount }) => `${String(account)} ${String(amount)} ${String(token)}`)
    .join(' · ');
}

type Parts = Pick<EventRow, 'name' | 'text'> & Partial<EventRow>;

function partsOf(event: LoggedEvent): Parts {
  switch (event.kind) {
    case 'request': {
      const code = (event['code'] ?? null) as string | number | null;
      return {
        name: textOf(event['operation']) || `${textOf(event['method'])} ${textOf(event['path'])}`,
        text: code === null ? inputText(event['input']) : textOf(event['message']),
        interface: textOf(event['interface']),
        wallet: (event['wallet'] ?? null) as string | null,
        status: event['status'] as number | null,
        code: code === null ? null : String(code),
        isFaulty: Array.isArray(event['faults']) && event['faults'].length > 0,
      };
    }
    case 'entry':
      return {
        name: textOf(members(event['facts'])['kind']),
        text: postingText(event['postings']),
        subject: String(event['entry']),
        wallet: (event['wallet'] ?? null) as string | null,
      };
    case 'transaction': {
      const error = event['error'] ?? null;
      return {
        name: `transaction in slot ${String(event['slot'])}`,
        text: textOf(event['signature']),
        subject: textOf(event['signature']),
        code: error === null ? null : JSON.stringify(error),
      };
    }
    case 'clock':
      return {
        name: `clock ${textOf(event['how'])}`,
        text: `from ${textOf(event['from'])} · ${textOf(event['mode'])}`,
      };
    case 'fired':
      return { name: textOf(event['event']), text: textOf(event['subject']) };
    case 'world':
      return { name: `world ${textOf(event['what'])}`, text: textOf(event['id']) };
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
