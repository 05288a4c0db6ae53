import { describe, expect, it, onTestFinished } from 'vitest';
import { Chain } from '../../src/chain/chain.js';
import { startEngine } from '../../src/chain/engines/start.js';
import { walletAccount } from '../../src/chain/genesis.js';
import { deployedProgram, isProgramFile } from '../../src/chain/programs/deployed.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { KeyRing } from '../../src/world/keys.js';
import { callOf, failingProgram, failsWith } from '../support/programs.js';
import { ENGINES } from '../support/world.js';

const START = Date.UTC(2026, 0, 1);
const keys = new KeyRing('programs');
const payer = keys.derive('payer');
const program = keys.derive('program').address;
const NO_PROGRAM = { kind: 'refused' };

describe.each(ENGINES)('programs of users on %s', (engine) => {
  async function chainOf({ isReleased = false } = {}): Promise<Chain> {
    const clock = { nowMs: () => START, slotMs: () => 0, isFrozen: () => true };
    const confirmationSlots = { confirmed: 0, finalized: 0 };
    const chain = new Chain({ engine: await startEngine(engine), clock, seed: 'test', confirmationSlots });
    if (!isReleased) onTestFinished(() => chain.release());
    await chain.setAccounts(new Map([[payer.address, walletAccount(1_000_000_000n)]]));
    return chain;
  }

  const deploy = (chain: Chain, executable: Uint8Array) =>
    chain.setAccounts(deployedProgram(program, executable, null));

  let calls = 0;
  async function call(chain: Chain) {
    calls += 1;
    const { blockhash } = chain.latestBlockhash();
    return chain.submit(callOf(program, payer, { blockhash, note: `call ${calls}` }));
  }

  it('run the newest version, and an earlier one after a revert', async () => {
    const chain = await chainOf();
    const before = chain.snapshot();
    expect(await call(chain)).toMatchObject(NO_PROGRAM);
    await deploy(chain, failingProgram(7));
    const first = chain.snapshot();
    expect(await call(chain)).toMatchObject({ kind: 'refused', error: failsWith(7) });
    await deploy(chain, failingProgram(8));
    expect(await call(chain)).toMatchObject({ kind: 'refused', error: failsWith(8) });
    await chain.restore(first);
    expect(await call(chain)).toMatchObject({ kind: 'refused', error: failsWith(7) });
    await chain.restore(before);
    const gone = await call(chain);
    expect(gone).toMatchObject(NO_PROGRAM);
    expect(gone).not.toMatchObject({ error: failsWith(7) });
    await deploy(chain, memoProgram());
    expect(await call(chain)).toMatchObject({ kind: 'processed', record: { error: null } });
    expect((await chain.getAccount(payer.address))?.lamports).toBe(1_000_000_000n - 5_000n);
  });

  it('are not known to the next world on the same machine', async () => {
    const first = await chainOf({ isReleased: true });
    await deploy(first, failingProgram(3));
    expect(await call(first)).toMatchObject({ error: failsWith(3) });
    await first.release();
    const second = await chainOf();
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
