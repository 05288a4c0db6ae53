import { describe, expect, it } from 'vitest';
import { ALICE_AND_BOB, passed, played } from '../played.js';

describe('service of an agent', () => {
  it('serves a paid receipt once', async () => {
    const { steps } = await passed(`
  - service.open: { name: cafe, seller: bob, price: 2 }
  - alice.visit: { service: cafe, path: /tea }
    expect: { status: 402, code: payment_required, payment_request: { amount: 2, token: USDC, recipient: "\${bob}" } }
  - alice.buy: { from: cafe, path: /tea, maxAmount: 3 }
    expect: { status: 200, served: 1, payer: "\${alice}" }
  - alice.buy: { from: cafe, maxAmount: { USDC: 1 } }
    expect: { code: too_expensive }
  - alice.visit: { service: cafe, path: /cake }
    expect: { status: 402 }
    save: asked
  - alice.x402.pay: { recipient: "\${bob}", amount: 2, token: USDC, payment_request: "\${asked.headers.x-payment-request}" }
    save: paid
  - alice.visit: { service: cafe, path: /cake, receipt: "\${paid.receipt}" }
    expect: { status: 200, served: 2 }
  - alice.visit: { service: cafe, path: /cake, receipt: "\${paid.receipt}" }
    expect: { status: 402, code: { not: payment_required } }
  - alice.visit: { service: cafe, path: /cake, receipt: nonsense }
    expect: { status: { between: [400, 402] } }
  - bob.account: {}
    expect: { checking.usdc: 4 }
`);
    expect(new Set(steps[2]?.exchanges.map(({ to }) => to))).toEqual(new Set(['service', 'bank']));
  });

  it('changes its price, and expects payment while failing', async () => {
    await passed(`
  - service.open: { name: cafe, seller: bob, price: 2, expiresIn: 60 }
  - service.change: { name: cafe, price: 5 }
    expect: { price: { amount: 5, token: USDC }, served: 0 }
  - alice.buy: { from: cafe, maxAmount: 2 }
    expect: { code: too_expensive }
  - service.change: { name: cafe, failing: true }
  - alice.visit: { service: cafe }
    expect: { status: 402, payment_request: { expires_at: "2026-01-01T00:01:00.000Z", amount: 5 } }
`);
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
