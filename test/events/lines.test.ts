import { expect, it } from 'vitest';
import { eventJson } from '../../src/events/event.js';
import { EventLines } from '../../src/events/lines.js';
import { Campaign } from '../bank/campaign.js';
import { world } from '../support/world.js';

it('a line of an event is its JSON, whatever has happened', async () => {
  const sim = await world({ seed: 'lines', variants: { review: 'auto', withdrawals: 'queued' } });
  const campaign = new Campaign(sim, 'lines', { hasFaults: true });
  await campaign.start(3);
  for (let step = 0; step < 600; step += 1) await campaign.step();
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
