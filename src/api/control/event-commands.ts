import { z } from 'zod';
import { EVENT_LOG_KINDS, eventJson } from '../../runtime/events/event.js';
import { address, count } from '../../runtime/inspection/queries.js';
import { get } from './command.js';
import { RangeProblem } from './problems.js';

export const EVENTS = {
  events: get('/events', {
    summary: 'Get a page of the event log; GET /events/stream follows it as server-sent events',
    query: z.strictObject({
      after: count(0, Number.MAX_SAFE_INTEGER).optional().describe('only events after this number'),
      limit: count(1, 1_000).optional().describe('default 100'),
      kind: z.enum(EVENT_LOG_KINDS).optional(),
      requestId: z.string().optional().describe('value of the header X-Request-Id'),
      wallet: address,
    }),
    run: (world, { query }) => {
      const { after = 0, limit = 100, ...filter } = query;
      const { events, next, oldest } = world.events.page({ after, limit, ...filter });
      return { events: events.map(eventJson), next, oldest, last: world.events.last };
    },
  }),
  explain: get('/explain/{id}', {
    summary: 'Explain why a call was refused or what its effects were, with figures',
    run: (world, { id }) => {
      const explained = world.explain(id);
      if (explained !== null) return explained;
      throw new RangeProblem(
        404,
        'request_not_found',
        `Request ${id} is not in memory. Use the X-Request-Id of a response, or the requestId of an error; older requests are in the log file only.`,
      );
    },
  }),
};
