import { describe, expect, it } from 'vitest';
import type { FuzzEngine } from '../../../src/testing/fuzz-library.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';

describe.each(['litesvm', 'bankrun'] as FuzzEngine[])('a cosigner on %s', (engine) => {
  it('signs a transaction in which it pays nothing, and may pay a part', async () => {
    const options = { engine, transport: 'direct', seed: 'fuzz', variants: {} } as const;
    const world = await inProcessFuzz.open(options);
    try {
      const [ann, ben] = world.wallets;
      if (ann === undefined || ben === undefined) throw new Error('there are no wallets');
      const { treasury, usdcMint } = world.modelConfig;
      const [annHad, benHad] = [world.holdings(ann.address).USDC, world.holdings(ben.address).USDC];
      const part = { kind: 'token', to: treasury, amountBase: 1_000_000n, mint: usdcMint } as const;
      const send = async (more: object) => {
        const sent = await world.send(ann, [part, { ...part, ...more }], { isTried: true, cosigners: [ben] });
        if ('refused' in sent) throw new Error(sent.refused);
        return sent;
      };
      expect((await send({})).signers).toEqual([ann.address, ben.address]);
      expect((await send({ from: ben.address })).signers).toEqual([ann.address, ben.address]);
      expect(world.holdings(ann.address).USDC).toBe(annHad - 3_000_000n);
      expect(world.holdings(ben.address).USDC).toBe(benHad - 1_000_000n);
    } finally {
      await world.close();
    }
  });
});
