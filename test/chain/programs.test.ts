import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.js';
import { deployedProgram, isProgramFile } from '../../src/chain/programs/deployed.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { KeyRing } from '../../src/world/keys.js';
import { ChainScene, alice } from '../support/chain-scene.js';
import { callOf, failingProgram, failsWith } from '../support/programs.js';
import { ENGINES } from '../support/world.js';

const program = new KeyRing('programs').derive('program').address;
const NO_PROGRAM = { kind: 'refused' };

describe.each(ENGINES)('programs of users on %s', (engine) => {
  const deploy = (chain: Chain, executable: Uint8Array) =>
    chain.setAccounts(deployedProgram(program, executable, null));

  let calls = 0;
  async function call(chain: Chain) {
    calls += 1;
    const { blockhash } = chain.latestBlockhash();
    return chain.submit(callOf(program, alice, { blockhash, note: `call ${calls}` }));
  }

  it('are not known to the next world on the same machine', async () => {
    const { chain: first } = await ChainScene.on(engine, { isKept: true });
    await deploy(first, failingProgram(3));
    expect(await call(first)).toMatchObject({ error: failsWith(3) });
    await first.release();
    const { chain: second } = await ChainScene.on(engine);
    const unknown = await call(second);
    expect(unknown).toMatchObject(NO_PROGRAM);
    expect(unknown).not.toMatchObject({ error: failsWith(3) });
    await deploy(second, failingProgram(4));
    expect(await call(second)).toMatchObject({ error: failsWith(4) });
  });
});

describe('files of programs', () => {
  it('are distinguished from other files by their header', () => {
    expect(isProgramFile(memoProgram())).toBe(true);
    const ofLinux = Uint8Array.from(memoProgram());
    ofLinux[18] = 62;
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), memoProgram().slice(0, 63), ofLinux])
      expect(isProgramFile(bytes)).toBe(false);
  });
});
