// @module-tag slow
import { describe, expect, it } from 'vitest';
import { memoProgram } from '../../../src/chain/programs/memo.js';
import { callOf, failingProgram, failsWith, programOf } from '../../support/programs.js';
import { ENGINES } from '../../support/world.js';
import type { Simulator } from '../../../src/index.js';
import { asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const { program, payer, place, account } = programOf('durable accounts');

async function call(sim: Simulator, note: string): Promise<unknown> {
  const { blockhash } = sim.chain.latestBlockhash();
  const submission = await sim.chain.submit(callOf(program, payer, { blockhash, note }));
  return submission.kind === 'refused' ? submission.error : submission.record.error;
}

async function dataAt(sim: Simulator): Promise<unknown> {
  return (await sim.accounts.get(place)).account?.data[0];
}

describe.each(ENGINES)('accounts in a data folder on %s', (engine) => {
  it('are those last written, also under other options of the next start', async () => {
    const dir = temporaryFolder();
    const options = {
      engine,
      accounts: [account('AAAA')],
      programs: [{ address: program, file: failingProgram(1) }],
    };
    const sim = await kept(dir, options);
    await sim.faucet(payer.address, 1, 'SOL');
    const atFirst = asKilledNow(dir);
    await sim.accounts.set([account('BBBB')]);
    await sim.accounts.deploy(program, failingProgram(2));
    expect(await call(sim, 'one')).toEqual(failsWith(2));
    const later = asKilledNow(dir);

    const early = await kept(atFirst, { engine });
    expect([await dataAt(early), await call(early, 'two')]).toEqual(['AAAA', failsWith(1)]);
    const resumed = await kept(later, {
      ...options,
      programs: [{ address: program, file: memoProgram() }],
      engine: engine === 'bankrun' ? 'litesvm' : 'bankrun',
    });
    expect([await dataAt(resumed), await call(resumed, 'three')]).toEqual(['BBBB', failsWith(2)]);
    expect(await resumed.invariants()).toEqual([]);
  });

  it('are added to a state that begins a folder', async () => {
    const first = await kept(temporaryFolder(), { engine, accounts: [account('AAAA')] });
    const state = await first.exportState();
    const dir = temporaryFolder();
    const second = await kept(dir, { engine, state, accounts: [account('CCCC')] });
    expect(await dataAt(second)).toBe('CCCC');
    expect(await dataAt(await kept(asKilledNow(dir), { engine }))).toBe('CCCC');
  });
});
