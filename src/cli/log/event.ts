import { isInstant } from '../../core/domain/calendar.js';
import { isObject } from '../../core/json.js';
export interface LoggedEvent {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly requestId: string | null;
  readonly [member: string]: unknown;
}

/** Whether a member is absent or a list of objects. */
function areObjects(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every(isObject));
}

/** Whether parsed JSON is an event; checks only the members that are used. */
export function isEvent(value: unknown): value is LoggedEvent {
  if (!isObject(value)) return false;
  const { seq, at, kind, requestId, postings, changed } = value;
  return (
    typeof seq === 'number' &&
    typeof kind === 'string' &&
    isInstant(at) &&
    (typeof requestId === 'string' || requestId === null) &&
    areObjects(postings) &&
    areObjects(changed)
  );
}
