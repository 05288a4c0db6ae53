import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { WORLDS, madeWorld } from '../../scripts/worlds/worlds.js';

const pathOf = (name: string) => `fixtures/worlds/${name}.sim`;

describe('prepared worlds', () => {
  for (const name of Object.keys(WORLDS)) {
    for (const engine of ['litesvm', 'bankrun'] as const) {
      it(`${name} continues on ${engine} with its invariants`, async () => {
        const sim = await createSimulator({ state: pathOf(name), engine });
        expect(await sim.invariants()).toEqual([]);
        await sim.advance('30d');
        await sim.agent(0).fund(10, 'USDC');
        expect(await sim.invariants()).toEqual([]);
        await sim.close();
      });
    }
  }

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
    const sim = await createSimulator({ state: pathOf('small-town') });
    const { loans } = sim.reviews.loans();
    expect(new Set(loans.map(({ status }) => status))).toEqual(
      new Set(['pending_review', 'denied', 'active', 'overdue', 'repaid', 'defaulted']),
    );
    expect(sim.bank.books.state.agents.size).toBe(20);
    await sim.close();
  });

  it('busy-month has two hundred agents and a history of thirty days', async () => {
    const sim = await createSimulator({ state: pathOf('busy-month') });
    expect(sim.bank.books.state.agents.size).toBe(200);
    expect(sim.now().toISOString()).toBe('2026-01-31T09:00:00.000Z');
    expect(sim.books.entries()).toBeGreaterThan(3_000);
    await sim.close();
  });
});
