import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../../src/index.js';
import { KeyRing } from '../../../src/world/keys.js';
import { ENGINES, RawCaller, world, worldWithAgent } from '../../support/world.js';
import { from, openly } from './support.js';

/** Everything of a state that can be read, as one text of latin1. */
function readable(state: Uint8Array): string {
  const { head, world: plain } = openly(state);
  return head + plain.toString('latin1');
}

/** The forms in which a secret could stand somewhere. */
function forms(secret: Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  return ['latin1', 'hex', 'base64'].map((form) => bytes.toString(form as BufferEncoding));
}

/** A token of a world, and whether another takes it. */
async function tokenOf(sim: Simulator): Promise<string> {
  return (await sim.agent(0).signIn()).token;
}

const status = async (sim: Simulator, token: string) =>
  (await new RawCaller(sim, token).get('/agent/account')).status;

describe.each(ENGINES)('secrets in a state file on %s', (engine) => {
  it('are absent without keys, whether drawn or derived from the seed', { tags: ['slow'] }, async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, engine, freshSecrets: true });
    await agent.pay(
      { amount: 5, token: 'USDC', recipient: sim.wallets[1]?.address as string },
      { idempotencyKey: 'a' },
    );
    const token = await tokenOf(sim);
    const state = await sim.exportState();
    const text = readable(state);
    const { addresses } = sim.bank;
    const pairs = [
      addresses.issuer,
      addresses.treasury,
      addresses.protocol,
      addresses.facilitator,
      ...sim.wallets,
    ];
    for (const { secretKey } of pairs) expect(text).not.toContain(secretKey);
    expect(text).not.toContain(token);
    for (const form of forms(new KeyRing(sim.config.seed).secret('tokens'))) expect(text).not.toContain(form);
    expect(text).toContain('"secretSeed":null');
    // Secrets are drawn again or derived from the seed: earlier tokens are invalid.
    for (const more of [{}, { freshSecrets: true }]) {
      const other = await from(state, more);
      expect(other.facts.issuerPublicKey).not.toBe(sim.facts.issuerPublicKey);
      expect(await status(other, token)).toBe(401);
      expect(await status(other, await tokenOf(other))).toBe(200);
      expect(Buffer.compare(await (await from(state, more)).exportState(), state)).toBe(0);
    }
  });

  it('are included on request, and tokens and receipts stay valid', async () => {
    const sim = await world({ engine, freshSecrets: true });
    const token = await tokenOf(sim);
    const state = await sim.exportState({ withKeys: true });
    const told: string[] = [];
    const other = await world(
      { state, freshSecrets: true, time: undefined, engine },
      { onTrouble: (message) => told.push(message) },
    );
    expect(told).toEqual([
      expect.stringContaining('this world uses them: anyone who has the file can sign in'),
    ]);
    expect(other.facts).toEqual(sim.facts);
    expect(await status(other, token)).toBe(200);
    expect(
      Buffer.compare(await other.exportState({ withKeys: true }), await sim.exportState({ withKeys: true })),
    ).toBe(0);
    expect(await sim.exportState()).not.toEqual(state);
    const stranger = await world({ engine, freshSecrets: true });
    await expect(stranger.importState(state)).rejects.toThrow(
      /another secrets of tokens and receipts|another world/,
    );
    await sim.importState(state);
  });

  it('are derived from the seed in a world without fresh secrets, and tokens stay valid', async () => {
    const sim = await world({ engine });
    const token = await tokenOf(sim);
    const state = await sim.exportState();
    expect(Buffer.compare(await sim.exportState({ withKeys: true }), state)).toBe(0);
    expect(await status(await from(state), token)).toBe(200);
  });
});
