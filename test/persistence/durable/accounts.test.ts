// @module-tag slow
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/world/keys.js';
import { deployed, errorOfCall, failingProgram, failsWith, placeOf } from '../../support/programs.js';
import { ENGINES } from '../../support/world.js';
import type { Simulator } from '../../../src/index.js';
import { asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const { place, account } = placeOf('durable accounts');
const keys = new KeyRing('durable programs');
const [program, payer] = [keys.derive('program'), keys.derive('payer')];

async function dataAt(sim: Simulator): Promise<unknown> {
  return (await sim.accounts.get(place)).account?.data[0];
}

describe.each(ENGINES)('accounts in a data folder on %s', (engine) => {
  it('are those last written, and a program that a transaction deployed runs', async () => {
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine });
    await sim.faucet(payer.address, 5, 'SOL');
    await sim.accounts.set([account('AAAA')]);
    const atFirst = asKilledNow(dir);
    await deployed(sim, { program, payer }, failingProgram(2));
    await sim.accounts.set([account('BBBB')]);
    const later = asKilledNow(dir);

    expect(await dataAt(await kept(atFirst, { engine }))).toBe('AAAA');
    const resumed = await kept(later, { engine: engine === 'bankrun' ? 'litesvm' : 'bankrun' });
    const called = await errorOfCall(resumed.chain, program.address, { payer, note: 'one' });
    expect([await dataAt(resumed), called]).toEqual(['BBBB', failsWith(2)]);
    expect(await resumed.invariants()).toEqual([]);
  });
});
