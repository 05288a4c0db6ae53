import { describe, expect, it, onTestFinished } from 'vitest';
import { LiteSvmEngine } from '../../src/chain/engines/litesvm.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { SYSVARS, UPGRADEABLE_LOADER, programDerivedAddress } from '../../src/chain/solana/addresses.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { KeyRing } from '../../src/world/keys.js';
import { bufferWith, deployed, errorOfCall, failingProgram, failsWith, meta } from '../support/programs.js';
import { ENGINES, agentWith, world } from '../support/world.js';

const keys = new KeyRing('programs');
const [authority, payer, program] = [keys.derive('authority'), keys.derive('payer'), keys.derive('program')];
const address = program.address;
const buffer = keys.derive('buffer').address;

/** A world with a program that was deployed by a transaction. */
async function worldWith(engine: (typeof ENGINES)[number], executable: Uint8Array): Promise<Simulator> {
  const sim = await world({ engine });
  await sim.faucet(payer.address, 5, 'SOL');
  await deployed(sim, { program, payer, authority }, executable);
  return sim;
}

let calls = 0;

/** Calls the program; its custom error, or null when it succeeds. */
function call(sim: Simulator): Promise<unknown> {
  calls += 1;
  return errorOfCall(sim.chain, address, { payer, note: `${calls}` });
}

/** A transaction in which the authority upgrades the program to what the buffer holds. */
function upgrade(sim: Simulator): Uint8Array {
  const accounts = [
    meta(programDerivedAddress([address], UPGRADEABLE_LOADER), true),
    meta(address, true),
    meta(buffer, true),
    meta(payer.address, true),
    meta(SYSVARS.rent, false),
    meta(SYSVARS.clock, false),
    meta(authority.address, false, true),
  ];
  const instruction = { program: UPGRADEABLE_LOADER, accounts, data: Buffer.from([3, 0, 0, 0]) };
  return buildTransaction([instruction], [payer, authority], sim.chain.latestBlockhash().blockhash);
}

it.each([0n, 1n, 2n, 3n, 4n])(
  'a program of a state runs also after a world that ended %s slots later',
  async (slots) => {
    const first = await worldWith('litesvm', memoProgram());
    for (const machine of [new LiteSvmEngine(), new LiteSvmEngine()]) {
      machine.setClock({
        slot: BigInt(first.chain.slot()) + slots,
        epoch: 0n,
        unixTimestamp: 1_900_000_000n,
      });
      machine.release();
    }
    expect(await call(await world({ state: await first.exportState() }))).toBeNull();
  },
);

describe.each(ENGINES)('programs that transactions deploy on %s', (engine) => {
  const other = engine === 'bankrun' ? 'litesvm' : 'bankrun';

  it('follow snapshots, forks and states, also to the other engine', async () => {
    const sim = await world({ engine });
    await sim.faucet(payer.address, 5, 'SOL');
    const before = await sim.snapshot();
    await deployed(sim, { program, payer, authority }, failingProgram(5));
    const after = await sim.snapshot();
    expect(await call(sim)).toEqual(failsWith(5));
    await sim.accounts.set([bufferWith(buffer, memoProgram(), authority)]);
    await sim.chain.submit(upgrade(sim));
    expect(await call(sim)).toBeNull();

    const fork = await sim.fork(after);
    onTestFinished(() => fork.close());
    expect(await call(fork)).toEqual(failsWith(5));
    const state = await sim.exportState();
    const elsewhere = await createSimulator({ state, engine: other, time: 'frozen' });
    onTestFinished(() => elsewhere.close());
    expect(await call(elsewhere)).toBeNull();

    await sim.revert(after);
    expect(await call(sim)).toEqual(failsWith(5));
    await sim.revert(before);
    expect(await sim.chain.getAccount(address)).toBeNull();
    expect(await call(sim)).toMatch(/ProgramAccountNotFound|InvalidProgramForExecution/);
    await sim.importState(state);
    expect(await call(sim)).toBeNull();
    for (const each of [sim, fork, elsewhere]) expect(await each.invariants()).toEqual([]);
  });

  it('are not known to the next world on the same machine', async () => {
    const first = await worldWith(engine, failingProgram(3));
    expect(await call(first)).toEqual(failsWith(3));
    await first.close();
    const second = await world({ engine });
    await second.faucet(payer.address, 5, 'SOL');
    const before = await second.chain.getAccount(payer.address);
    expect(await call(second)).toMatch(/ProgramAccountNotFound|InvalidProgramForExecution/);
    expect(await second.chain.getAccount(payer.address)).toEqual(before);
    await deployed(second, { program, payer, authority }, failingProgram(4));
    expect(await call(second)).toEqual(failsWith(4));
  });

  it('leave the books equal to the chain while the bank pays', async () => {
    const sim = await world({ engine });
    await sim.faucet(payer.address, 5, 'SOL');
    const agent = await agentWith(sim, 0, { usdc: 100, sol: 2 });
    await Promise.all([
      agent.withdraw({ amount: 5, token: 'USDC' }),
      deployed(sim, { program, payer, authority }, failingProgram(5)),
      agent.withdraw({ amount: 1, token: 'SOL' }),
      agent.withdraw({ amount: 6, token: 'USDC' }),
    ]);
    expect(await call(sim)).toEqual(failsWith(5));
    await agent.withdraw({ amount: 8, token: 'USDC' });
    expect(await sim.invariants()).toEqual([]);
  });

  it('can be upgraded, which a simulation does not do and a revert undoes', async () => {
    const sim = await worldWith(engine, failingProgram(1));
    await sim.accounts.set([bufferWith(buffer, failingProgram(2), authority)]);
    expect(await call(sim)).toEqual(failsWith(1));
    await sim.advance('1h');
    const before = await sim.snapshot();
    const simulated = await sim.chain.simulateTransaction(upgrade(sim));
    expect([simulated.error, await call(sim)]).toEqual([null, failsWith(1)]);
    const upgraded = await sim.chain.submit(upgrade(sim));
    expect(upgraded).toMatchObject({ kind: 'processed', record: { error: null } });
    const after = await sim.snapshot();
    expect(await call(sim)).toEqual(failsWith(2));
    await sim.revert(before);
    expect(await call(sim)).toEqual(failsWith(1));
    await sim.revert(after);
    expect(await call(sim)).toEqual(failsWith(2));
    expect(await sim.invariants()).toEqual([]);
  });
});
