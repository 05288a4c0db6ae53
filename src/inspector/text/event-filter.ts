import type { EventRow } from '../control/events.js';

export const EVENT_KINDS = ['api', 'rpc', 'control', 'entry', 'transaction', 'fired', 'clock', 'world'];

const containing = (text: string): RegExp =>
  new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'i');

/**
 * A test of rows by the filters of an address. An empty filter selects all. `kind` lists kinds with commas between them, `wallet` is the
 * beginning of an address, the others are parts of texts. `code` also stands for a status, or `refused` for any refusal.
 */
export function matcherOf(query: Readonly<Record<string, string>>): (row: EventRow) => boolean {
  const { kind = '', wallet = '', operation = '', code = '', text = '' } = query;
  const kinds = new Set(kind.split(',').filter((each) => each !== ''));
  const isOperation = containing(operation);
  const isCode = containing(code);
  const isText = containing(text);
  return (row) => {
    if (kinds.size > 0 && !kinds.has(row.kind)) return false;
    if (wallet !== '' && !(row.wallet ?? '').startsWith(wallet)) return false;
    if (operation !== '' && !isOperation.test(row.name)) return false;
    if (code === 'refused' && row.code === null) return false;
    if (!['', 'refused'].includes(code) && !isCode.test(`${row.status ?? ''} ${row.code ?? ''}`))
      return false;
    const texts = [row.text, row.name, row.requestId, row.wallet, row.code];
    return text === '' || texts.some((each) => isText.test(each ?? ''));
  };
}
