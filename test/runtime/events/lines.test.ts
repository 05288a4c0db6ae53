import { expect, it } from 'vitest';
import { eventJson } from '../../../src/runtime/events/event.js';
import { EventLines } from '../../../src/runtime/events/lines.js';
import { RandomPlay } from '../../support/random-play.js';
import { world } from '../../support/world.js';

const REQUEST = {
  kind: 'request',
  interface: 'api',
  method: 'GET',
  path: '/',
  operation: null,
  wallet: null,
  status: 200,
  code: null,
  message: null,
  details: null,
  input: null,
  answer: null,
  faults: [],
} as const;

it('the log line of every kind of event is its JSON', { tags: ['slow'] }, async () => {
  const sim = await world({ seed: 'lines', variants: { review: 'auto', withdrawals: 'queued' } });
  await new RandomPlay(sim, 'lines', { hasFaults: true }).play(600);
  const lines = new EventLines();
  const kinds = new Set<string>();
  for (let seq = sim.events.oldest; seq <= sim.events.last; seq += 1) {
    const event = sim.events.at(seq);
    if (event === null) continue;
    expect(lines.of(event)).toBe(JSON.stringify(eventJson(event)));
    kinds.add(event.body.kind === 'entry' ? event.body.entry.facts.kind : event.body.kind);
  }
  expect(kinds.size).toBeGreaterThan(15);
});

it('log lines have instants in milliseconds, before 1970 and far in the future too', () => {
  const lines = new EventLines();
  const body = { kind: 'world', what: 'snapshot', id: 'x' } as const;
  for (const atMs of [
    0, 1, 12, 999, 1_000, 1_767_225_600_007, -1, -999, -62_135_596_800_000, 253_402_300_799_999,
  ]) {
    const request = { ...REQUEST, path: `/p/${atMs}"` };
    for (const event of [
      { seq: 1, atMs, requestId: null, body },
      { seq: 2, atMs, requestId: 'req_1', body: request },
    ])
      expect(lines.of(event)).toBe(JSON.stringify(eventJson(event)));
  }
});
