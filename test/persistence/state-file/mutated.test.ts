// @module-tag slow
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Engine } from '../../../src/chain/engine.js';
import { BankrunEngine } from '../../../src/chain/engines/bankrun.js';
import { LiteSvmEngine } from '../../../src/chain/engines/litesvm.js';
import { StateError } from '../../../src/persistence/state-file/state-error.js';
import { dumpOf } from '../../support/dump.js';
import { ENGINES, world } from '../../support/world.js';
import { busyState, openly, sealed } from './support.js';

const RUNS = 150;

describe.each(ENGINES)('state file with a valid checksum and corrupted content, on %s', (engine) => {
  const options = { engine, variants: { withdrawals: 'queued' } } as const;

  it('leaves the world that rejects it unchanged and usable', async () => {
    const { head, world: plain } = openly(await busyState(options));
    const sim = await world(options);
    const dump = await dumpOf(sim);
    const before = await sim.snapshot();
    const { address } = sim.createWallet();
    await sim.revert(before);
    // A changed byte of an address often makes it invalid; half of the changes are there.
    const text = plain.toString('latin1');
    const addresses = [...text.matchAll(/[1-9A-HJ-NP-Za-km-z]{43,44}/g)].map(({ index }) => index);
    const place = fc.oneof(
      fc.nat(plain.length - 1),
      fc.tuple(fc.constantFrom(...addresses), fc.nat(42)).map(([at, offset]) => at + offset),
    );
    const changed = fc.tuple(place, fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(changed, async ([at, change]) => {
        const bytes = Buffer.from(plain);
        bytes[at] = (bytes[at] as number) ^ change;
        const refused = await sim.importState(sealed(head, deflateRawSync(bytes))).then(
          () => null,
          (error: unknown) => error,
        );
        if (refused === null) return sim.revert(before);
        expect(refused).toBeInstanceOf(StateError);
        expect(await dumpOf(sim)).toBe(dump);
        await sim.faucet(address, 1, 'USDC');
        await sim.revert(before);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('leaves the world unchanged and usable when the engine rejects an account', async () => {
    const state = await busyState(options);
    const sim = await world(options);
    const dump = await dumpOf(sim);
    const before = await sim.snapshot();
    const prototype = { bankrun: BankrunEngine, litesvm: LiteSvmEngine }[engine].prototype as Engine;
    const setAccount = Reflect.get<Engine, 'setAccount'>(prototype, 'setAccount');
    const written = new Map<string, Engine>();
    let [calls, refused] = [0, 0];
    const spy = vi.spyOn(prototype, 'setAccount').mockImplementation(function (this: Engine, ...args) {
      calls += 1;
      written.set(args[0], this);
      if (calls === refused) throw new Error('the engine refuses this account');
      setAccount.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    await sim.importState(state);
    const last = calls;
    await sim.revert(before);
    const held = () => Promise.all([...written].map(([address, by]) => by.getAccount(address)));
    const accounts = await held();
    [calls, refused] = [0, last];
    await expect(sim.importState(state)).rejects.toMatchObject({ code: 'state_damaged' });
    expect(await dumpOf(sim)).toBe(dump);
    expect(await held()).toEqual(accounts);
    expect(await sim.invariants()).toEqual([]);
    await sim.importState(state);
  });
});
