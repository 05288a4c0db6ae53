import { MAX_NAME, MAX_TEXT, keptText, shortText, shortValue } from '../../core/domain/short-text.js';
import type { EventBody, RequestEvent } from './event.js';

// Approximate size of an event without its texts; a text takes at most two bytes per character.
const EVENT_BYTES = 512;
const POSTING_BYTES = 256;
const BYTES_PER_CHARACTER = 2;
const MEMBER_BYTES = 32;

/** A request with all text from outside cut to a fixed length; returned as is when it is short already. */
export function shortRequest<E extends RequestEvent>(event: E): E {
  const { method, path, operation, code, message, details, input } = event;
  const isShort =
    code === null &&
    method.length <= MAX_NAME &&
    path.length <= MAX_NAME &&
    (operation === null || operation.length <= MAX_NAME);
  if (isShort) return event;
  return {
    ...event,
    method: shortText(method),
    path: keptText(path),
    operation: operation === null ? null : shortText(operation),
    code: typeof code === 'string' ? shortText(code) : code,
    message: message === null ? null : shortText(message, MAX_TEXT),
    details: shortValue(details),
    input: shortValue(input),
  };
}

function valueBytes(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'string') return value.length * BYTES_PER_CHARACTER;
  if (typeof value !== 'object') return MEMBER_BYTES;
  let bytes = MEMBER_BYTES;
  if (Array.isArray(value)) for (const element of value) bytes += valueBytes(element);
  else for (const name in value) bytes += MEMBER_BYTES + valueBytes((value as Record<string, unknown>)[name]);
  return bytes;
}

/** Approximate bytes that an event takes in memory, rounded up rather than down. */
export function sizeOf(body: EventBody): number {
  switch (body.kind) {
    case 'request': {
      const { method, path, message, details, input, answer, faults } = body;
      const texts = method.length + path.length + (message?.length ?? 0) + (answer?.length ?? 0);
      const values = valueBytes(details) + valueBytes(input) + (faults.length > 0 ? valueBytes(faults) : 0);
      return EVENT_BYTES + texts * BYTES_PER_CHARACTER + values;
    }
    case 'entry':
      return EVENT_BYTES + body.entry.postings.length * POSTING_BYTES + valueBytes(body.entry.facts);
    case 'transaction': {
      const { bytes, accountKeys, touched, execution } = body.record;
      return (
        EVENT_BYTES +
        bytes.length +
        (accountKeys.length + touched.length) * POSTING_BYTES +
        valueBytes(execution.logs)
      );
    }
    case 'clock':
    case 'fired':
    case 'world':
      return EVENT_BYTES;
  }
}
