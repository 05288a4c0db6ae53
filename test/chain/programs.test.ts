import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.js';
import { deployedProgram, isProgramFile } from '../../src/chain/programs/deployed.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { KeyRing } from '../../src/world/keys.js';
import { ChainScene, alice } from '../support/chain-scene.js';
import { errorOfCall, failingProgram, failsWith } from '../support/programs.js';
import { ENGINES } from '../support/world.js';

const program = new KeyRing('programs').derive('program').address;

describe.each(ENGINES)('programs of users on %s', (engine) => {
  const deploy = (chain: Chain, executable: Uint8Array) =>
    chain.setAccounts(deployedProgram(program, executable, null));

  it('are not known to the next world on the same machine', async () => {
    const { chain: first } = await ChainScene.on(engine, { isKept: true });
    await deploy(first, failingProgram(3));
    expect(await errorOfCall(first, program, { payer: alice, note: 'one' })).toEqual(failsWith(3));
    await first.release();
    const { chain: second } = await ChainScene.on(engine);
    const before = await second.getAccount(alice.address);
    const unknown = await errorOfCall(second, program, { payer: alice, note: 'two' });
    expect(unknown).toMatch(/ProgramAccountNotFound|InvalidProgramForExecution/);
    expect(await second.getAccount(alice.address)).toEqual(before);
    await deploy(second, failingProgram(4));
    expect(await errorOfCall(second, program, { payer: alice, note: 'three' })).toEqual(failsWith(4));
  });
});

it('files of programs are distinguished from other files by their header', () => {
  expect(isProgramFile(memoProgram())).toBe(true);
  const ofLinux = Uint8Array.from(memoProgram());
  ofLinux[18] = 62;
  for (const bytes of [new Uint8Array(0), new Uint8Array(100), memoProgram().slice(0, 63), ofLinux])
    expect(isProgramFile(bytes)).toBe(false);
});
