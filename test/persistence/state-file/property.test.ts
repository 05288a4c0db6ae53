// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../../src/index.js';
import { dumpOf } from '../../support/dump.js';
import { RandomPlay } from '../../support/random-play.js';

const STEPS = 120;

type Engines = readonly ['bankrun' | 'litesvm', 'bankrun' | 'litesvm'];

/** Plays random calls and returns their outcomes. */
async function play(
  sim: Simulator,
  seed: string,
  { steps, isInOrder = false }: { steps: number; isInOrder?: boolean },
): Promise<[string, number][]> {
  const random = new RandomPlay(sim, seed, { hasFaults: true, isInOrder });
  await random.play(steps);
  return [...random.outcomes];
}

/** Plays a world, exports it, imports it on an engine, and plays both worlds on equally. */
async function live(life: {
  seed: string;
  steps: number;
  withdrawals: 'instant' | 'queued';
  engines: Engines;
}): Promise<void> {
  const { seed, steps, withdrawals, engines } = life;
  const [engine, other] = engines;
  const sim = await createSimulator({ engine, time: 'frozen', seed, variants: { withdrawals } });
  let copy = sim;
  try {
    await play(sim, seed, { steps });
    const state = await sim.exportState();
    copy = await createSimulator({ state, engine: other });
    expect(await dumpOf(copy)).toBe(await dumpOf(sim));
    expect(await copy.invariants()).toEqual(await sim.invariants());
    if (engine === other) expect(Buffer.compare(await copy.exportState(), state)).toBe(0);
    // A remaining fault would stop the second play from starting.
    for (const one of [sim, copy]) one.faults.clear();
    const after = { steps, isInOrder: engine !== other };
    expect(await play(copy, `${seed}/after`, after)).toEqual(await play(sim, `${seed}/after`, after));
    expect(await copy.advance('90d')).toEqual(await sim.advance('90d'));
    if (engine === other) expect(await dumpOf(copy)).toBe(await dumpOf(sim));
    expect(await copy.invariants()).toEqual([]);
  } finally {
    await copy.close();
    await sim.close();
  }
}

/** Lets worlds live on so many pairs of engines: of the original, and of the world from its state file. */
async function liveOn(numRuns: number, ...pairs: readonly Engines[]): Promise<void> {
  const life = fc.record({
    seed: fc.uuid(),
    steps: fc.integer({ min: 1, max: STEPS }),
    withdrawals: fc.constantFrom('instant' as const, 'queued' as const),
    engines: fc.constantFrom(...pairs),
  });
  await fc.assert(fc.asyncProperty(life, live), { numRuns, endOnFailure: true });
}

describe('after random play', () => {
  it.each([
    ['bankrun', 4],
    ['litesvm', 7],
  ] as const)('on %s, a world from the state file continues as the original does', (engine, worlds) =>
    liveOn(worlds, [engine, engine]),
  );

  it('a world from the state file continues on the other engine', () =>
    liveOn(5, ['bankrun', 'litesvm'], ['litesvm', 'bankrun']));
});
