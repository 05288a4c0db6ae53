import { describe, expect, it } from 'vitest';
import { httpServer } from '../../../../src/testing/drivers/http-server.js';
import { IN_PROCESS } from '../../../../src/testing/drivers/in-process.js';
import { ALICE_AND_BOB, inProcessWith, passed, played, troubles } from '../played.js';

describe('step', () => {
  // `test/golden` has arguments, balances and exchanges of a step, in the JSON report.
  it('is reported with place, note and line, and with the sign-in of its agent', async () => {
    const { steps } = await passed(`  - alice.withdraw: { amount: 1, token: USDC }
    note: a first one
  - bob.account
`);
    expect(steps.map(({ place, title, note, line }) => [place, title, note, line])).toEqual([
      ['1', 'alice.withdraw', 'a first one', 7],
      ['2', 'bob.account', null, 9],
    ]);
    expect(steps[1]?.exchanges.map(({ path }) => path)).toEqual([
      '/api/v1/agent/auth/challenge',
      '/api/v1/agent/auth/verify',
      '/api/v1/agent/account',
    ]);
  });

  it('sends its own Idempotency-Key and headers, with references', async () => {
    const { steps } = await passed(`
  - alice.account: {}
    headers: { authorization: Bearer nonsense }
    expect: { code: invalid_token }
    save: first
  - alice.withdraw: { amount: 1, token: USDC }
    key: "\${bob}"
    headers: { x-hello: "round \${first.status}" }
`);
    expect(steps[1]?.exchanges.at(-1)?.requestHeaders).toMatchObject({
      'x-hello': 'round 401',
      'idempotency-key': expect.stringMatching(/^\w{32,44}$/) as string,
    });
  });

  it('leaves no token or secret key in the result', async () => {
    const result = await passed(`
  - alice.signIn: {}
    save: session
  - call: { path: /agent/account, headers: { authorization: "Bearer \${session.token}" } }
  - call: { path: /agent/account, query: { of: "\${alice.token}" }, headers: { authorization: "Basic \${alice.token}" } }
    expect: { code: invalid_token }
  - control: { do: createWallet, body: {} }
`);
    const text = JSON.stringify(result);
    expect(text).toContain('"authorization":"Bearer <token>"');
    expect(text).toContain('"secretKey":"<secret>"');
    expect(text).not.toContain('eyJ');
  });
});

it('a service is paid by requests to it and to the bank, and reports its price when it is changed', async () => {
  const { steps } = await passed(`
  - service.open: { name: cafe, seller: bob, price: 2 }
  - alice.buy: { from: cafe, maxAmount: 3 }
  - service.change: { name: cafe, price: 5 }
    expect: { price: { amount: 5, token: USDC }, served: 1 }
`);
  expect(new Set(steps[1]?.exchanges.map(({ to }) => to))).toEqual(new Set(['service', 'bank']));
});

// `export.test.ts` has other mints, delegates, and transactions that are sent untried.
it.each([IN_PROCESS, httpServer])(
  'a transaction transfers several tokens at once, and what a cosigner owns, at the target $name',
  async (target) => {
    const steps = `
  - alice.send: { transfers: [{ to: "\${bob}", amount: 5, token: USDC }, { to: "\${bob}", amount: 0.5, token: SOL }] }
    expect: { signature: { length: { atLeast: 64 } }, chain: { alice: { usdc: 495 }, bob: { usdc: 5, sol: 1.5 } } }
  - bob.send: { to: "\${bob}", amount: 5, token: USDC, of: "\${alice}" }
    expect: { code: { absent: false } }
  - bob.send: { to: "\${bob}", amount: 5, token: USDC, of: "\${alice}", cosigners: [alice] }
    expect: { chain: { alice: { usdc: 490 }, bob: { usdc: 10 } } }
`;
    expect(troubles(await played(`${ALICE_AND_BOB}steps:${steps}`, { target }))).toEqual([]);
  },
);

describe('repeat', () => {
  it('plays its steps the given number of times with the number of the round', async () => {
    const { steps } = await passed(`
  - repeat:
      times: 3
      steps:
        - alice.withdraw: { amount: "\${round}", token: USDC }
          key: "key-\${round}"
        - alice.account
  - alice.account: {}
    expect: { checking.usdc: 94 }
`);
    expect(steps[0]?.args).toEqual({ times: 3 });
    expect(steps[0]?.steps.map(({ place, title, verdict }) => `${place} ${title} ${verdict}`)).toEqual([
      '1.1.1 alice.withdraw passed',
      '1.1.2 alice.account passed',
      '1.2.1 alice.withdraw passed',
      '1.2.2 alice.account passed',
      '1.3.1 alice.withdraw passed',
      '1.3.2 alice.account passed',
    ]);
  });

  it('takes its number of rounds from a reference, and may be nested', async () => {
    const { steps } = await passed(`
  - { repeat: { times: 2, steps: [alice.account] }, expect: { rounds: 2 }, save: all }
  - repeat: { times: "\${all.rounds}", steps: [{ repeat: { times: 2, steps: [{ time.advance: "\${round}s" }] } }] }
`);
    expect(steps[1]?.steps.map((step) => step.steps.length)).toEqual([2, 2]);
    expect(steps[1]?.steps[1]?.steps.map(({ place, args }) => [place, args])).toEqual([
      ['2.2.1.1.1', '1s'],
      ['2.2.1.2.1', '2s'],
    ]);
  });
});

describe('parallel', () => {
  it('starts all calls before the first response', async () => {
    let most = 0;
    let underWay = 0;
    const target = inProcessWith(({ fetch }) => ({
      fetch: (url, init) => {
        underWay += 1;
        most = Math.max(most, underWay);
        return fetch(url, init).finally(() => (underWay -= 1));
      },
    }));
    const result = await played(
      `${ALICE_AND_BOB}steps: [{ parallel: [alice.account, bob.account, alice.loans, bob.loans] }]`,
      { target },
    );
    expect(troubles(result)).toEqual([]);
    expect(most).toBe(4);
    // Agents without a token sign in before, so that only the calls themselves overlap.
    expect(result.steps[0]?.steps.map(({ exchanges }) => exchanges.length)).toEqual([1, 1, 1, 1]);
  });

  // `failures.test.ts` has that each call must succeed where no expectation allows a refusal.
  it('takes an expectation of each call, and saves its response', async () => {
    await passed(`
  - parallel:
      - alice.withdraw: { amount: 60, token: USDC }
        save: paid
      - bob.withdraw: { amount: 60, token: USDC }
        expect: { code: insufficient_balance }
    expect: { succeeded: 1, answers: { length: 2, contains: { status: 200 } } }
  - alice.transactions: {}
    expect: { "transactions.0.id": "\${paid.withdrawal.id}" }
`);
  });
});

describe('wait', () => {
  it('advances frozen time until the answer is as expected', async () => {
    const { steps } = await passed(
      `
  - alice.withdraw: { amount: 1, token: USDC }
    expect: { withdrawal.status: pending }
  - wait:
      until:
        alice.transactions: {}
        expect: { "transactions.0.status": completed }
        save: { last: transactions.0.status }
      every: 10s
      within: 5m
  - bob.x402.pay: { recipient: "\${alice}", amount: 1, token: USDC, memo: "\${last}" }
    expect: { code: insufficient_balance }
`,
      'world: { variants: { withdrawals: queued }, withdrawalDelay: 1m }',
    );
    expect(steps[1]).toMatchObject({
      title: 'wait',
      args: { until: 'alice.transactions', rounds: 6 },
      at: '2026-01-01T00:01:00.000Z',
    });
  });

  it('ends at its limit and reports the last mismatch', async () => {
    const result = await played(`${ALICE_AND_BOB}steps:
  - wait:
      until: { alice.account: {}, expect: { checking.usdc: 1 } }
      every: 1m
      within: 3m
  - alice.account`);
    expect(result.steps).toHaveLength(1);
    expect(result.steps[0]).toMatchObject({
      verdict: 'failed',
      args: { rounds: 3 },
      mismatches: [{ path: 'checking.usdc', expected: '1', actual: '100' }],
      at: '2026-01-01T00:03:00.000Z',
    });
  });

  it.each([
    [
      'ends at an expected refusal',
      '{ bob.withdraw: { amount: 1, token: USDC }, expect: { code: insufficient_balance } }',
    ],
    ['whose expectation holds already', '{ expect: { chain: { alice: { usdc: 500 } } } }'],
  ])('that %s does not advance time', async (_how, until) => {
    const { steps } = await passed(`  - wait: { until: ${until} }`);
    expect(steps[0]).toMatchObject({ args: { rounds: 0 }, at: '2026-01-01T00:00:00.000Z' });
  });
});

describe('expectation of a step with nested steps', () => {
  it('holds for the last answer of a wait', async () => {
    const waiting = (expectation: string) =>
      `{ wait: { until: { alice.account: {}, expect: { status: 200 } }, within: 1s }, expect: ${expectation} }`;
    await passed(`  - ${waiting('{ checking.usdc: 100 }')}`);
    const result = await played(`${ALICE_AND_BOB}steps: [${waiting('{ status: 404 }')}]`);
    expect(result.steps[0]?.mismatches).toEqual([{ path: 'status', expected: '404', actual: '200' }]);
  });

  it('finds the events of the nested steps', async () => {
    await passed(`
  - parallel: [{ alice.loans: {}, expect: { events: [{ operation: loans }] } }]
  - wait: { until: { alice.loans: {}, expect: { events: [{ operation: loans }] } }, within: 1s }
`);
  });
});

it('a revert to an unknown snapshot is refused with a code', async () => {
  await passed('  - { revert: nowhere, expect: { code: { type: string } } }');
});

describe('expectation of the world', () => {
  it('checks what the treasury holds on chain', async () => {
    await passed('  - expect: { chain: { treasury: { usdc: { above: 1000 } } } }');
  });

  const SAVE = 'alice.savings.deposit: { amount: 1, token: USDC }';

  it('finds all events of the steps, and none of the funding before them', async () => {
    await passed(
      `  - ${SAVE}
  - alice.account
  - expect: { events: [savings.deposit, { operation: account }], noEvents: [deposit] }`,
      'finally: { events: [savings.deposit], noEvents: [deposit, x402.received] }',
    );
  });

  it.each([
    ['in another order', `{ ${SAVE}, expect: { events: [request, savings.deposit] } }`],
    ['from before the step', `{ ${SAVE}, expect: { events: [deposit] } }`],
    ['from before the steps', `{ ${SAVE} }, { expect: { events: [deposit] } }`],
    ['that must not happen', `{ ${SAVE} }, { expect: { noEvents: [savings.deposit] } }`],
    [
      'from before a parallel',
      'alice.account, { parallel: [{ alice.loans: {}, expect: { events: [{ operation: account }] } }] }',
    ],
    [
      'from before a wait',
      'alice.account, { wait: { until: { alice.loans: {}, expect: { events: [{ operation: account }] } }, within: 1s } }',
    ],
  ])('fails for events %s', async (_which, steps) => {
    expect((await played(`${ALICE_AND_BOB}steps: [${steps}]`)).verdict).toBe('failed');
  });
});

/** Worlds whose books are unsound from the given check on. */
function unsound(from: number) {
  let looks = 0;
  const target = inProcessWith(() => ({
    invariants: async () => {
      looks += 1;
      return looks >= from ? [{ rule: 'solvency', text: '5 USDC are missing' }] : [];
    },
  }));
  return { target, looks: () => looks };
}

describe('books and chain', () => {
  const text = (invariants: string) =>
    `name: x\nagents: { alice: {} }\ninvariants: ${invariants}\nsteps: [alice.account, alice.loans, alice.profile]\n`;

  it.each([
    ['after every step', 'always', { from: 2, looks: 2 }, '2 alice.loans'],
    ['once, at the end', 'end', { from: 1, looks: 1 }, 'end finally'],
    ['never when invariants are off', 'off', { from: 1, looks: 0 }, null],
  ])('are proved %s', async (_when, invariants, { from, looks: expected }, place) => {
    const { target, looks } = unsound(from);
    const found = troubles(await played(text(invariants), { target }));
    expect(looks()).toBe(expected);
    const missing = `${place}: invariants.solvency: to hold, but 5 USDC are missing`;
    expect(found).toEqual(place === null ? [] : [missing, 'failed']);
  });
});
