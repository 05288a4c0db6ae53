import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { readScenario } from '../../src/testing/scenario/file/read.js';
import { world } from '../support/world.js';

const NO_DAY = '2026-02-30T00:00:00Z';

/** A scenario whose first step is `step`. */
function scenario(step: object, startTime = '2026-01-01') {
  const origin = { id: 's', file: 's.yaml', path: '/s.yaml', line: 1, lineOf: () => null };
  return readScenario({ name: 's', world: { startTime }, steps: [step] }, origin);
}

describe('an instant on a day that does not exist', () => {
  it.each([
    ['the start of a world', () => createSimulator({ startTime: NO_DAY })],
    [
      'a series of rates',
      () => createSimulator({ oracle: { usdcApy: { series: [{ at: NO_DAY, value: 0.1 }] } } }),
    ],
    ['a file of rates', () => createSimulator({ oracle: { csv: `time,usdc_apy\n${NO_DAY},0.1\n` } })],
    ['the world of a scenario', async () => scenario({ advance: '1d' }, NO_DAY)],
    ['an expectation of a scenario', async () => scenario({ expect: { now: { above: NO_DAY } } })],
    ['a jump', async () => (await world()).advance({ to: NO_DAY })],
    ['a change of rates', async () => (await world()).oracle.setApy('USDC', 0.1, { from: NO_DAY })],
    [
      'a fault',
      async () =>
        (await world()).faults.add({ endpoint: '*', effect: 'lose-response', when: { from: NO_DAY } }),
    ],
  ])('is refused in %s', async (_place, use) => {
    await expect((async () => use())()).rejects.toThrow(/instant|startTime/);
  });

  it.each([
    ['POST', '/time/advance', { to: NO_DAY }],
    ['POST', '/oracle/apy', { token: 'USDC', source: 0.1, from: NO_DAY }],
    ['GET', `/journal/entries?from=${NO_DAY}`, undefined],
    ['GET', `/journal/balance?at=${NO_DAY}`, undefined],
    ['GET', `/series/rates?to=${NO_DAY}`, undefined],
  ])('is refused by %s %s', async (method, path, body) => {
    const sim = await world();
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await sim.fetch(`/_sim/v1${path}`, init);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('2026-02-30')]);
  });
});
