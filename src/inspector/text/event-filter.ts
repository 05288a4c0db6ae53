import type { EventRow } from '../control/events.js';

/** Which events the timeline shows; empty texts select all. */
export interface EventFilter {
  /** Kinds of events; `api`, `rpc` and `control` are requests. */
  readonly kinds: ReadonlySet<string>;
  readonly wallet: string;
  readonly operation: string;
  readonly code: string;
  readonly text: string;
}

export const EVENT_KINDS = [
  'api',
  'rpc',
  'control',
  'entry',
  'transaction',
  'fired',
  'clock',
  'world',
] as const;

export function kindOf(row: Pick<EventRow, 'kind' | 'interface'>): string {
  return row.kind === 'request' ? (row.interface ?? 'api') : row.kind;
}

export function filterOf(query: Readonly<Record<string, string>>): EventFilter {
  const { kind = '', wallet = '', operation = '', code = '', text = '' } = query;
  return { kinds: new Set(kind.split(',').filter((each) => each !== '')), wallet, operation, code, text };
}

const containing = (text: string): RegExp =>
  new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'i');

/** A test of rows. `code` also stands for a status, or `refused` for any refusal. */
export function matcherOf({ kinds, wallet, operation, code, text }: EventFilter): (row: EventRow) => boolean {
  const isOperation = containing(operation);
  const isCode = containing(code);
  const isText = containing(text);
  return (row) => {
    if (kinds.size > 0 && !kinds.has(kindOf(row))) return false;
    if (wallet !== '' && !(row.wallet ?? '').startsWith(wallet)) return false;
    if (operation !== '' && !isOperation.test(row.name)) return false;
    if (code === 'refused' && row.code === null) return false;
    if (!['', 'refused'].includes(code) && !isCode.test(`${row.status ?? ''} ${row.code ?? ''}`))
      return false;
    const texts = [row.text, row.name, row.requestId, row.wallet, row.code];
    return text === '' || texts.some((each) => isText.test(each ?? ''));
  };
}
