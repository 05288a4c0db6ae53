import { z } from 'zod';
import { isInstant } from '../../core/domain/calendar.js';

const objects = z.array(z.looseObject({})).readonly().optional();

/** The members of an event that are used. */
const loggedEvent = z.looseObject({
  seq: z.number(),
  at: z.string().refine(isInstant),
  kind: z.string(),
  requestId: z.string().nullable(),
  postings: objects,
  changed: objects,
});

export type LoggedEvent = z.infer<typeof loggedEvent>;

export function isEvent(value: unknown): value is LoggedEvent {
  return loggedEvent.safeParse(value).success;
}
