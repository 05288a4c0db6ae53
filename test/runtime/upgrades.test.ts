import { describe, expect, it } from 'vitest';
import { SYSVARS, UPGRADEABLE_LOADER, bytesOf } from '../../src/chain/solana/addresses.js';
import { programDerivedAddress } from '../../src/chain/solana/addresses.js';
import { rentExemptLamports } from '../../src/chain/solana/token-accounts.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { accountJson } from '../../src/runtime/accounts/account-json.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { KeyRing } from '../../src/world/keys.js';
import { errorOfCall, failingProgram, failsWith } from '../support/programs.js';
import { ENGINES, world } from '../support/world.js';

const keys = new KeyRing('upgrades');
const [authority, payer] = [keys.derive('authority'), keys.derive('payer')];
const program = keys.derive('program').address;
const buffer = keys.derive('buffer').address;

/** A buffer account of the loader that holds an executable. */
function bufferWith(executable: Uint8Array) {
  const data = Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), bytesOf(authority.address), executable]);
  const lamports = rentExemptLamports(data.length);
  return accountJson(buffer, { lamports, data, owner: UPGRADEABLE_LOADER, executable: false });
}

/** A transaction in which the authority upgrades the program to what the buffer holds. */
function upgrade(sim: Simulator): Uint8Array {
  const meta = (address: string, writable: boolean, signer = false) => ({ address, signer, writable });
  const accounts = [
    meta(programDerivedAddress([program], UPGRADEABLE_LOADER), true),
    meta(program, true),
    meta(buffer, true),
    meta(payer.address, true),
    meta(SYSVARS.rent, false),
    meta(SYSVARS.clock, false),
    meta(authority.address, false, true),
  ];
  const instruction = { program: UPGRADEABLE_LOADER, accounts, data: Buffer.from([3, 0, 0, 0]) };
  return buildTransaction([instruction], [payer, authority], sim.chain.latestBlockhash().blockhash);
}

describe.each(ENGINES)('an upgrade by a transaction on %s', (engine) => {
  it('is run from then on, and no longer after a revert', async () => {
    const sim = await world({ engine });
    await sim.faucet(payer.address, 5, 'SOL');
    let calls = 0;
    const call = async () => {
      calls += 1;
      return errorOfCall(sim.chain, program, { payer, note: `${calls}` });
    };
    await sim.accounts.deploy(program, failingProgram(1), authority.address);
    await sim.accounts.set([bufferWith(failingProgram(2))]);
    expect(await call()).toEqual(failsWith(1));
    await sim.advance('1h');
    const before = await sim.snapshot();
    const simulated = await sim.chain.simulateTransaction(upgrade(sim));
    expect([simulated.error, await call()]).toEqual([null, failsWith(1)]);
    const upgraded = await sim.chain.submit(upgrade(sim));
    expect(upgraded).toMatchObject({ kind: 'processed', record: { error: null } });
    const after = await sim.snapshot();
    expect(await call()).toEqual(failsWith(2));
    await sim.revert(before);
    expect(await call()).toEqual(failsWith(1));
    await sim.revert(after);
    expect(await call()).toEqual(failsWith(2));
    expect(await sim.invariants()).toEqual([]);
  });
});
