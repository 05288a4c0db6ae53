import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORLDS, madeWorld } from '../../scripts/worlds/worlds.js';
import { ENGINES, world } from '../support/world.js';

const pathOf = (name: string) => `fixtures/worlds/${name}.sim`;

describe('prepared worlds', () => {
  describe.each(Object.keys(WORLDS))('%s', (name) => {
    it.each(ENGINES)('continues on %s with its invariants', async (engine) => {
      const sim = await world({ state: pathOf(name), engine });
      expect(await sim.invariants()).toEqual([]);
      await sim.advance('30d');
      await sim.agent(0).fund(10, 'USDC');
      expect(await sim.invariants()).toEqual([]);
    });
  });

  it('are the same after another world was created', async () => {
    const before = await madeWorld('empty');
    await madeWorld('small-town');
    expect(Buffer.from(await madeWorld('empty')).equals(before)).toBe(true);
  });

  it('are what npm run worlds writes', async () => {
    for (const name of ['empty', 'small-town'])
      expect(Buffer.from(await madeWorld(name)).equals(readFileSync(pathOf(name))), name).toBe(true);
  });

  it('small-town has twenty agents, and loans of every status', async () => {
    const sim = await world({ state: pathOf('small-town') });
    const { loans } = sim.reviews.loans();
    expect(new Set(loans.map(({ status }) => status))).toEqual(
      new Set(['pending_review', 'denied', 'active', 'overdue', 'repaid', 'defaulted']),
    );
    expect(sim.bank.books.state.agents.size).toBe(20);
  });

  it('busy-month has two hundred agents and a history of thirty days', async () => {
    const sim = await world({ state: pathOf('busy-month') });
    expect(sim.bank.books.state.agents.size).toBe(200);
    expect(sim.now().toISOString()).toBe('2026-01-31T09:00:00.000Z');
    expect(sim.books.entries()).toBeGreaterThan(3_000);
  });
});
