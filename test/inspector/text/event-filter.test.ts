import { describe, expect, it } from 'vitest';
import { rowOf } from '../../../src/inspector/control/events.js';
import { matcherOf } from '../../../src/inspector/text/event-filter.js';
import { eventJson } from '../../../src/runtime/events/event.js';
import { agentWith, world } from '../../support/world.js';

async function rows() {
  const sim = await world();
  const agent = await agentWith(sim, 0, { usdc: 100 });
  await agent.withdraw({ amount: 500, token: 'USDC' }).catch(() => undefined);
  await agent.withdraw({ amount: 5, token: 'USDC' });
  return sim.events.page({ after: 0, limit: 1_000 }).events.map((event) => rowOf(eventJson(event)));
}

describe('the filter of the timeline', () => {
  it('selects by kind, wallet, operation, code and text', async () => {
    const all = await rows();
    const found = (query: Record<string, string>) => all.filter(matcherOf(query));
    expect(found({})).toEqual(all);
    expect(new Set(found({ kind: 'entry,transaction' }).map(({ kind }) => kind))).toEqual(
      new Set(['entry', 'transaction']),
    );
    expect(found({ code: 'refused' }).map(({ name, code }) => [name, code])).toEqual([
      ['withdraw', 'insufficient_balance'],
    ]);
    expect(found({ code: '400' })).toEqual(found({ code: 'refused' }));
    expect(found({ operation: 'withd' })).toHaveLength(2);
    const [refused] = found({ code: 'refused' });
    expect(found({ wallet: refused?.wallet ?? '' }).length).toBeGreaterThan(3);
    expect(found({ text: 'checking balance is too SMALL' })).toEqual(found({ code: 'refused' }));
  });

  it('takes texts as they are, not as patterns', async () => {
    const matches = matcherOf({ text: '.*' });
    expect((await rows()).some(matches)).toBe(false);
  });
});
