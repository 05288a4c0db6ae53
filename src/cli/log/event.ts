import { isObject } from '../../core/json.js';
/** An event as the log tells it. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly requestId: string | null;
  readonly [member: string]: unknown;
}

/** Whether a member is not there, or a list of objects. */
function areObjects(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every(isObject));
}

/** Whether a value that was read from JSON is an event, as far as it is looked at. */
export function isEvent(value: unknown): value is LoggedEvent {
  if (!isObject(value)) return false;
  const { seq, at, kind, requestId, postings, changed } = value;
  return (
    typeof seq === 'number' &&
    typeof kind === 'string' &&
    typeof at === 'string' &&
    !Number.isNaN(Date.parse(at)) &&
    (typeof requestId === 'string' || requestId === null) &&
    areObjects(postings) &&
    areObjects(changed)
  );
}
