import type { LoggedEvent } from '../scenario/target.js';

const PAGE = 1_000;

export async function allEvents(
  seq: number,
  page: (asked: { after: number; limit: number }) => Promise<readonly LoggedEvent[]>,
): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (let after = seq; ;) {
    const events = await page({ after, limit: PAGE });
    found.push(...events);
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return found;
    after = last.seq;
  }
}
