import { describe, expect, it } from 'vitest';
import { ALICE_AND_BOB, passed, played } from '../played.js';

describe('service of an agent', () => {
  it('is paid by requests to service and bank, and reports its price when it is changed', async () => {
    const { steps } = await passed(`
  - service.open: { name: cafe, seller: bob, price: 2 }
  - alice.buy: { from: cafe, maxAmount: 3 }
  - service.change: { name: cafe, price: 5 }
    expect: { price: { amount: 5, token: USDC }, served: 1 }
`);
    expect(new Set(steps[1]?.exchanges.map(({ to }) => to))).toEqual(new Set(['service', 'bank']));
  });

  it('is rejected before it is opened or with an unknown seller', async () => {
    const problemOf = async (step: string) =>
      (await played(`${ALICE_AND_BOB}steps: [${step}]`)).steps[0]?.problem;
    expect(await problemOf('{ alice.buy: { from: cafe, maxAmount: 1 } }')).toBe(
      'unknown service cafe; known services: none yet. Open one with service.open.',
    );
    expect(await problemOf('{ service.open: { name: cafe, seller: carol, price: 1 } }')).toBe(
      'there is no agent carol',
    );
  });
});
