import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATA_FORMAT } from '../../../src/persistence/durable/frames.js';
import { createSimulator } from '../../../src/index.js';
import { ENGINES } from '../../support/world.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const FIXTURES = 'fixtures/data';
const formats = readdirSync(FIXTURES);

it('a data folder of every format up to the current one is tested', () => {
  expect(formats).toEqual(Array.from({ length: DATA_FORMAT }, (_, at) => `format-${at + 1}`));
});

describe.each(formats)('data folder of %s', (format) => {
  it.each(ENGINES)('loads on %s and continues', async (engine) => {
    const dir = temporaryFolder();
    cpSync(join(FIXTURES, format, 'world.data'), join(dir, 'world.data'));
    const expected = JSON.parse(readFileSync(join(FIXTURES, format, 'expected.json'), 'utf8')) as {
      now: string;
      accounts: unknown[];
    };
    const sim = await createSimulator({ dataDir: dir, engine });
    expect(sim.now().toISOString()).toBe(expected.now);
    const accounts = [await sim.agent(0).account(), await sim.agent(1).account()];
    expect(JSON.parse(JSON.stringify(accounts))).toEqual(expected.accounts);
    expect(await sim.invariants()).toEqual([]);
    await sim.agent(1).depositSavings({ amount: 1, token: 'USDC' });
    const fired = await sim.advance('1h');
    expect(fired.map(({ kind }) => kind)).toContain('withdrawal.completed');
    expect(await sim.invariants()).toEqual([]);
    await sim.close();
  });
});
