// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { FiredEvent } from '../../../src/runtime/due-runner.js';
import { fuzzedWith } from './lying.js';
import { hunt, replayedIn } from './hunt.js';

interface Advanced {
  readonly fired: readonly FiredEvent[];
  readonly slot: number;
}
type Lie = (answer: Advanced) => Advanced;

/** What an operator may be told wrongly about a jump of the clock. */
const LIES: readonly (readonly [string, Lie])[] = [
  ['lacks the last event', (answer) => ({ ...answer, fired: answer.fired.slice(0, -1) })],
  [
    'names another kind of event',
    (answer) => ({
      ...answer,
      fired: answer.fired.map((event) =>
        event.kind === 'loan.due' ? { ...event, kind: 'loan.defaulted' } : event,
      ),
    }),
  ],
  [
    'is late by a millisecond',
    (answer) => ({
      ...answer,
      fired: answer.fired.map(({ at, ...event }) => ({
        at: new Date(Date.parse(at) + 1).toISOString(),
        ...event,
      })),
    }),
  ],
  [
    'names a loan without its number',
    (answer) => ({
      ...answer,
      fired: answer.fired.map((event) => (event.kind === 'loan.due' ? { ...event, subject: 'loan' } : event)),
    }),
  ],
  ['has a slot too many', (answer) => ({ ...answer, slot: answer.slot + 1 })],
];

describe('the answer to a jump of the clock', () => {
  it.each(LIES)('is a find when it %s', async (_, lie) => {
    const target = fuzzedWith((world) => ({
      advance: async (ms) => {
        const { status, body } = await world.advance(ms);
        return { status, body: lie(body as Advanced) };
      },
    }));
    const { found } = await hunt(target, { seed: 3 });
    expect(found?.failure.kind).toMatch(/^advance: /);
    if (found !== null) expect((await replayedIn(target, found))?.kind).toBe(found.failure.kind);
  });
});
