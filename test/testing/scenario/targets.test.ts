// @module-tag slow
import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import type { ScenarioResult } from '../../../src/testing/scenario/results.js';
import { deployed } from '../../../src/testing/drivers/deployed.js';
import { IN_PROCESS } from '../../../src/testing/drivers/in-process.js';
import { httpServer } from '../../../src/testing/drivers/http-server.js';
import { world } from '../../support/world.js';
import { played, troubles } from './played.js';

/** The part of a result that does not depend on the target. */
function comparable({ verdict, reason, steps }: ScenarioResult) {
  return {
    verdict,
    reason,
    steps: steps.map(({ place, title, args, verdict: held, mismatches, problem, before, after, at }) => {
      return { place, title, args, held, mismatches, problem, before, after, at };
    }),
  };
}

const HEAD = `name: x
agents: { alice: { usdc: 50, checking: { usdc: 100 }, savings: { sol: 2 } }, bob: { identity: { x: true } } }
steps:
  - alice.send: { to: "\${bob}", amount: 5, token: USDC }
    save: sent
    expect: { chain: { bob: { usdc: 5 } }, events: [transaction] }
  - bob.deposit: { amount: 5, token: USDC, tx_signature: "\${sent.signature}" }
    expect: { code: transaction_not_to_bank }
  - snapshot: before
  - alice.withdraw: { amount: 30, token: USDC }
    expect: { journal: { checking: { USDC: 70 } }, chain: { alice: { usdc: 75 } } }
  - revert: before
  - time.advance: 1d
  - service.open: { name: cafe, seller: bob, price: 2 }
  - alice.buy: { from: cafe, maxAmount: 3 }
  - parallel:
      - alice.withdraw: { amount: 60, token: USDC }
      - alice.withdraw: { amount: 60, token: USDC }
    expect: { succeeded: 1 }
`;

describe('scenario', () => {
  it.each([
    ['holds', `${HEAD}finally: { chain: { bob: { usdc: 5 } } }`, 'passed'],
    [
      'fails in a step',
      `${HEAD}  - alice.withdraw: { amount: 500, token: USDC }\n  - alice.account\n`,
      'failed',
    ],
    ['fails at its end', `${HEAD}finally: { journal: { checking: { USDC: 1 } } }`, 'failed'],
  ])('that %s has the same steps and verdict in process and over HTTP', async (_how, text, verdict) => {
    const [here, there] = [await played(text), await played(text, { target: httpServer })];
    expect(here.verdict).toBe(verdict);
    expect([here.target, there.target]).toEqual(['in-process', 'http']);
    expect(comparable(there)).toEqual(comparable(here));
  });

  it('gets the world that it states, in process and over HTTP', async () => {
    const text = `name: x
world: { engine: litesvm, seed: 9, startTime: 2026-03-01T00:00:00Z, oracle: { usdc: 5% }, variants: { overview: A } }
agents: { alice: {} }
steps:
  - alice.account: {}
    expect: { collateral.limit: { absent: true }, headers: { content-type: { contains: json } } }
  - call: { path: /agent/account/savings/yield }
    save: rates
`;
    for (const target of [IN_PROCESS, httpServer]) {
      const result = await played(text, { target, engine: 'bankrun' });
      expect(troubles(result)).toEqual([]);
      expect(result).toMatchObject({ engine: 'litesvm', seed: '9' });
      expect(result.steps[0]?.at).toBe('2026-03-01T00:00:00.000Z');
      expect(JSON.stringify(result.steps[1]?.exchanges[0]?.responseBody)).toMatch(/5(\.0+)?%|0\.05\b/);
    }
  });

  it('keeps entries and transactions of its steps on request, in process and over HTTP', async () => {
    const text =
      'name: x\nagents: { alice: { checking: { usdc: 5 } } }\nsteps: [{ alice.withdraw: { amount: 1, token: USDC } }, alice.account]';
    for (const target of [IN_PROCESS, httpServer]) {
      const { steps } = await played(text, { target, isDetailed: true });
      const kinds = steps.map(({ entries }) => entries.map(({ facts }) => (facts as { kind: string }).kind));
      expect(kinds).toEqual([['outflow.pending', 'outflow.posted'], []]);
      expect(steps.map(({ transactions }) => transactions.length)).toEqual([1, 0]);
      const plain = await played(text, { target, isDetailed: false });
      expect(plain.steps.flatMap(({ entries }) => entries)).toEqual([]);
    }
  });
});

/** A simulator as a deployed service: only its sockets and dev wallets are known. */
async function service(time = 'real') {
  // By default its clock is the machine's, as that of a service is.
  const sim = await world({ time });
  const { origin } = await sim.listen();
  const { url: rpcUrl } = await sim.listenRpc();
  const wallets = sim.wallets.map(({ secretKey }) => AgentWallet.fromSecretKey(secretKey));
  return { sim, baseUrl: `${origin}/api/v1`, rpcUrl, wallets };
}

describe('deployed service', () => {
  it('plays a scenario that needs no control of its world', async () => {
    const { sim, ...options } = await service();
    const result = await played(
      `name: x
world: { seed: 5, engine: litesvm }
agents: { alice: { usdc: 50, checking: { usdc: 10 } }, bob: {} }
steps:
  - alice.send: { to: "\${bob}", amount: 5, token: USDC }
    expect: { chain: { bob: { usdc: 5 }, alice: { usdc: 45 } } }
  - alice.withdraw: { amount: 4, token: USDC }
    expect: { balance.current: 6 }
  - alice.x402.pay: { recipient: "\${bob}", amount: 2, token: USDC }
  - bob.withdraw: { amount: 1e9, token: USDC }
    expect: { code: insufficient_balance }
  - service.open: { name: cafe, seller: bob, price: 1 }
  - alice.buy: { from: cafe, maxAmount: 1 }
`,
      { target: deployed(options) },
    );
    expect(troubles(result)).toEqual([]);
    expect(result.target).toBe('deployed');
    expect(result.steps[1]).toMatchObject({
      explanation: null,
      after: { alice: { wallet: { usdc: 49 }, checking: null } },
    });
    // The deployed service has the effects.
    expect(sim.books.totals().checking.USDC).toBe(4);
  });

  it('sells for x402 by its own clock, which need not be the machine’s', async () => {
    const { sim: _sim, ...options } = await service('frozen');
    const text = `name: x
agents: { alice: { checking: { usdc: 10 } }, bob: {} }
steps: [{ service.open: { name: cafe, seller: bob, price: 1 } }, { alice.buy: { from: cafe, maxAmount: 1 } }]`;
    expect(troubles(await played(text, { target: deployed(options) }))).toEqual([]);
  });

  it('receives no call of a scenario that needs control, which is skipped with the reason', async () => {
    const { sim, ...options } = await service();
    const target = deployed(options);
    const from = sim.events.last;
    const agents = 'agents: { alice: { checking: { usdc: 1 } } }\n';
    const alone = 'steps: [alice.account]';
    const control = /the world of a deployed service cannot be controlled/;
    for (const [text, reason] of [
      [`${agents}steps: [alice.account, { time.advance: 1d }]`, control],
      [`${agents}steps: [{ parallel: [{ snapshot: a }] }]`, control],
      [`${agents}steps: [{ wait: { until: { review: {} } } }]`, control],
      [
        `${agents}steps: [{ repeat: { times: 1, steps: [{ oracle.outage: true }] } }]`,
        /^repeat \(line 3\): oracle\.outage/,
      ],
      [`${agents}world: { startTime: 2026-05-01 }\n${alone}`, /^world\.startTime: .*cannot be chosen/],
      [`${agents}world: { variants: { overview: A } }\n${alone}`, /^world\.variants: /],
      [
        `agents: { alice: { identity: { x: true } } }\n${alone}`,
        /^agents\.alice\.identity: only the service's/,
      ],
      [`${agents}steps: [{ alice.account: {}, expect: { journal: {} } }]`, /journal and the events/],
      [`${agents}steps: [alice.account, { expect: { events: [deposit] } }]`, /journal and the events/],
      [`${agents}${alone}\nfinally: { journal: {} }`, /^finally: .*journal and the events/],
      ['property: {}', /properties need targets that can create worlds/],
    ] as const) {
      const result = await played(`name: x\n${text}`, { target });
      expect(result, text).toMatchObject({ verdict: 'skipped', steps: [] });
      expect(result.reason, text).toMatch(reason);
    }
    expect(sim.events.last).toBe(from);
  });

  it('without an RPC receives no call of a scenario that needs the chain', async () => {
    const { sim, ...options } = await service();
    const target = deployed({ ...options, rpcUrl: null });
    const from = sim.events.last;
    const agents = 'agents: { alice: {}, bob: {} }';
    for (const step of [
      'alice.deposit: { amount: 1, token: USDC }',
      'expect: { chain: { bob: { usdc: 1 } } }',
    ]) {
      const { verdict, reason } = await played(`name: x\n${agents}\nsteps: [{ ${step} }]`, { target });
      expect([verdict, reason], step).toEqual(['skipped', expect.stringMatching(/--rpc-url/)]);
    }
    expect(sim.events.last).toBe(from);
    const without = await played(`name: x\n${agents}\nsteps: [alice.account, bob.loans]`, { target });
    expect(troubles(without)).toEqual([]);
  });

  it('gets an unused wallet for every agent', async () => {
    const { sim, ...options } = await service();
    const target = deployed(options);
    const text =
      'name: x\nagents: { alice: { checking: { usdc: 5 } } }\nsteps: [{ alice.account: {}, expect: { checking.usdc: 5 } }]';
    for (let round = 0; round < 2; round += 1) expect(troubles(await played(text, { target }))).toEqual([]);
    expect(sim.books.totals().checking.USDC).toBe(10);
  });

  it('skips a scenario without enough USDC, and uses the cluster’s airdrop for SOL', async () => {
    const { sim, ...options } = await service();
    const { secretKey } = sim.createWallet();
    const target = deployed({ ...options, wallets: [AgentWallet.fromSecretKey(secretKey)] });
    const unfunded = 'name: x\nagents: { alice: { usdc: 5 } }\nsteps: [alice.account]';
    expect(await played(unfunded, { target })).toMatchObject({
      verdict: 'skipped',
      reason: 'an agent needs 5 USDC and no wallet has that much; name one that does with --wallet FILE',
    });
    const poor =
      'name: x\nagents: { alice: { sol: 2 } }\nsteps: [{ expect: { chain: { alice: { sol: 2 } } } }]';
    expect(troubles(await played(poor, { target }))).toEqual([]);
  });

  it('fails a scenario when it is unreachable', async () => {
    const { sim, ...options } = await service();
    await sim.close();
    const text = 'name: x\nagents: { alice: {} }\nsteps: [alice.account]';
    const { verdict, reason } = await played(text, { target: deployed(options) });
    expect([verdict, reason]).toEqual(['failed', expect.stringMatching(/fetch failed|ECONNREFUSED/)]);
  });
});
