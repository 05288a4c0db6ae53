import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Mismatch, ScenarioResult } from '../../../../src/testing/scenario/results.js';
import { ALICE_AND_BOB, inProcessWith, played } from '../played.js';

/** Plays a step that fails, followed by one that must not be played. */
async function failing(step: string): Promise<ScenarioResult> {
  const result = await played(`${ALICE_AND_BOB}steps:\n  - alice.account\n  - ${step}\n  - alice.loans\n`);
  expect(result.verdict, step).toBe('failed');
  expect(result.steps.map(({ verdict }) => verdict)).toEqual(['passed', 'failed']);
  return result;
}

/** The mismatches of the failed step. */
async function mismatchesOf(step: string): Promise<readonly Mismatch[]> {
  const { steps } = await failing(step);
  expect(steps[1]?.problem, step).toBeNull();
  return steps[1]?.mismatches ?? [];
}

async function problemOf(step: string): Promise<string | null> {
  const { steps } = await failing(step);
  expect(steps[1]?.mismatches, step).toEqual([]);
  return steps[1]?.problem ?? null;
}

const withdraw = (expectation: string, amount = 1) =>
  `{ alice.withdraw: { amount: ${amount}, token: USDC }, expect: ${expectation} }`;

const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;

/** Wrong expectations of a withdrawal of 1 USDC, and what is reported. `match.test.ts` has all matchers. */
const WRONG: readonly (readonly [what: string, expectation: string, told: readonly string[]])[] = [
  ['a status', '{ status: 201 }', ['status: 201, but 200']],
  ['a code', '{ code: not_found }', ['code: "not_found", but nothing']],
  ['a member', '{ balance.current: 98 }', ['balance.current: 98, but 99']],
  ['a misspelt member', '{ balance.curent: 1 }', ['balance.curent: 1, but nothing; did you mean current?']],
  ['a deeper member', '{ token: USDC }', ['token: "USDC", but nothing; did you mean withdrawal.token?']],
  ['the whole body', '{ body: { success: 1 } }', ['body.success: 1, but true']],
  ['a header', '{ headers: { x-none: a } }', ['headers.x-none: "a", but nothing']],
  ['a lost answer', '{ lost: true }', ['lost: true, but nothing']],
  [
    'response and chain',
    '{ balance: { token: SOL, next: 1 }, chain: { bob: { usdc: 5, sol: 2 } } }',
    [
      'balance.token: "SOL", but "USDC"',
      'balance.next: 1, but nothing',
      'chain.bob.usdc: 5, but 0',
      'chain.bob.sol: 2, but 1',
    ],
  ],
  [
    'a total of the journal',
    '{ journal: { checking: { USDC: { above: 99 } } } }',
    ['journal.checking.USDC: above 99, but 99'],
  ],
  [
    'an event',
    '{ events: [outflow.pending, deposit] }',
    [like(/^events.1: "deposit", but .*outflow\.posted.*request/)],
  ],
  [
    'a member of an event',
    '{ events: [{ kind: request, status: 500 }] }',
    [like(/^events.0: {"kind":"request","status":500}, but .*request/)],
  ],
  [
    'an event that must not happen',
    '{ noEvents: [deposit, outflow.posted] }',
    [like(/^noEvents: no outflow\.posted, but .*outflow\.posted/)],
  ],
];

describe('wrong expectation', () => {
  it.each(WRONG)('of %s fails with its path and both values', async (_what, expectation, told) => {
    const found = await mismatchesOf(withdraw(expectation));
    expect(found.map(({ path, expected, actual }) => `${path}: ${expected}, but ${actual}`)).toEqual(told);
  });

  it('of the world alone fails', async () => {
    expect(await mismatchesOf('{ expect: { chain: { alice: { usdc: 1 } } } }')).toEqual([
      { path: 'chain.alice.usdc', expected: '1', actual: '500' },
    ]);
    expect(await mismatchesOf('{ expect: { status: 200 } }')).toMatchObject([
      { path: 'status', actual: like(/step has no response/) },
    ]);
  });

  it('at the end fails in a step of its own', async () => {
    const result = await played(
      `${ALICE_AND_BOB}steps: [alice.account]\nfinally: { chain: { alice: { usdc: 1 } }, journal: { checking: { USDC: 1 } } }`,
    );
    expect(result.verdict).toBe('failed');
    expect(result.steps.at(-1)).toMatchObject({
      place: 'end',
      title: 'finally',
      mismatches: [
        { path: 'chain.alice.usdc', expected: '1', actual: '500' },
        { path: 'journal.checking.USDC', expected: '1', actual: '100' },
      ],
    });
  });

  it('in a nested step is reported at its place', async () => {
    const result = await failing(
      '{ repeat: { times: 2, steps: [alice.account, { alice.account: {}, expect: { status: 201 } }] } }',
    );
    expect(result.steps[1]?.problem).toBe('step 2.1.2 (alice.account) failed');
    expect(result.steps[1]?.steps.at(-1)).toMatchObject({
      place: '2.1.2',
      mismatches: [{ path: 'status', expected: '201', actual: '200' }],
    });
    const whole = await failing('{ parallel: [alice.account, alice.loans], expect: { succeeded: 1 } }');
    expect(whole.steps[1]?.mismatches).toEqual([{ path: 'succeeded', expected: '1', actual: '2' }]);
    expect(whole.steps[1]?.steps.map(({ verdict }) => verdict)).toEqual(['passed', 'passed']);
  });

  it('of parallel calls shows the refusals that it did not expect, with their explanations', async () => {
    const calls = (expectation: string, ...steps: string[]) =>
      failing(
        `{ parallel: [{ alice.withdraw: { amount: 5000, token: USDC } }, ${steps.join(', ')}]${expectation} }`,
      );
    const own = '{ bob.withdraw: { amount: 1, token: USDC }, expect: { code: insufficient_balance } }';
    const { steps } = await calls(', expect: { succeeded: 3 }', 'alice.account', own);
    const why = expect.stringContaining('requested = 5000') as string;
    const refused = { verdict: 'failed', explanation: why };
    expect(steps[1]?.mismatches).toEqual([{ path: 'succeeded', expected: '3', actual: '1' }]);
    expect(steps[1]?.steps).toMatchObject([
      { ...refused, problem: REFUSED },
      { verdict: 'passed', explanation: null },
      { verdict: 'passed', explanation: null },
    ]);
    const whole = await calls('', 'alice.account');
    expect(whole.steps[1]?.steps[0]).toMatchObject({ ...refused, problem: null });
  });
});

const REFUSED = '400 insufficient_balance: The checking balance is too small.';

describe('unexpected refusal', () => {
  it('is reported with explanation, balances, request and response', async () => {
    const { steps } = await failing('alice.withdraw: { amount: 5000, token: USDC }');
    const balances = {
      alice: { wallet: { usdc: 500 }, checking: { usdc: 100 } },
      bob: { wallet: { usdc: 0, sol: 1 }, checking: null },
    };
    expect(steps[1]).toMatchObject({
      title: 'alice.withdraw',
      line: 7,
      args: { amount: 5000, token: 'USDC' },
      problem: null,
      mismatches: [{ path: '', expected: 'success', actual: REFUSED }],
      explanation: like(/100.*5,?000|5,?000.*100/s),
      before: balances,
      after: balances,
      at: '2026-01-01T00:00:00.000Z',
      exchanges: [
        {
          to: 'bank',
          method: 'POST',
          path: '/api/v1/agent/account/withdraw',
          requestBody: { amount: 5000, token: 'USDC' },
          status: 400,
          responseBody: { code: 'insufficient_balance', requestId: expect.any(String) as string },
        },
      ],
    });
  });

  it('with another code than expected is reported with an explanation', async () => {
    const { steps } = await failing(withdraw('{ code: daily_limit_exceeded }', 5_000));
    expect(steps[1]).toMatchObject({
      mismatches: [{ path: 'code', expected: '"daily_limit_exceeded"', actual: '"insufficient_balance"' }],
      explanation: expect.any(String) as string,
    });
  });

  it.each([
    ['by the bank, also instead of the expected member', withdraw('{ balance.current: 1 }', 5_000), REFUSED],
    ['by the chain', 'alice.send: { to: "${bob}", amount: 5000, token: USDC }', like(/\w+/)],
    ['of an amount of 0', 'alice.send: { to: "${bob}", amount: 0, token: SOL }', like(/greater than zero/)],
    [
      'of an unknown delegate',
      'alice.allow: { delegate: nobody, amount: 1 }',
      like(/not an address: nobody/),
    ],
    ['by the control interface', 'review.approve: nobody', like(/^404 loan_not_found: /)],
  ])('is reported with its message: %s', async (_where, step, actual) => {
    expect(await mismatchesOf(step)).toEqual([{ path: '', expected: 'success', actual }]);
  });

  it('is reported as no response when the connection is dropped', async () => {
    const lost = await played(`${ALICE_AND_BOB}steps:
  - fault.add: { endpoint: withdraw, effect: drop-connection }
  - alice.withdraw: { amount: 1, token: USDC }`);
    expect(lost.steps[1]?.mismatches).toMatchObject([
      { expected: 'success', actual: like(/^no response: /) },
    ]);
  });
});

describe('step that cannot be played', () => {
  const unknown = '${paid.id}: unknown name paid; known names: alice, bob, treasury, usdcMint, issuer, now';

  const send = (what: string) => `alice.send: { to: "\${bob}", ${what} }`;

  it.each([
    ['an unknown reference', send('amount: "${paid.id}", token: USDC'), unknown],
    ['one in a header', '{ alice.account: {}, headers: { x-a: "${paid.id}" } }', unknown],
    ['one in an expectation', '{ alice.account: {}, expect: { status: "${paid.id}" } }', unknown],
    ['one in a number of rounds', '{ repeat: { times: "${paid.id}", steps: [alice.account] } }', unknown],
    ['a round outside of a repeat', '{ alice.account: {}, key: "${round}" }', like(/unknown name round;/)],
    ['an amount of text', send('amount: "${now}", token: USDC'), like(/^amount: .*number/)],
    ['a gift of text', 'faucet.give: { to: bob, usdc: "${alice}" }', like(/^usdc: .*number/)],
    [
      'rounds of text',
      '{ repeat: { times: "${now}", steps: [alice.account] } }',
      'times: "2026-01-01T00:00:00.000Z" is not a number',
    ],
    [
      'a service that is not open',
      '{ alice.buy: { from: cafe, maxAmount: 1 } }',
      like(/^unknown service cafe; /),
    ],
    ['an unknown seller', '{ service.open: { name: cafe, seller: al, price: 1 } }', 'there is no agent al'],
    ['an unknown cosigner', send('amount: 1, token: USDC, cosigners: [carol]'), 'there is no agent carol'],
  ])('reports %s', async (_what, step, problem) => {
    expect(await problemOf(step)).toEqual(problem);
  });

  it('reports a missing member to save', async () => {
    expect(await mismatchesOf('{ alice.account: {}, save: { sum: checking.eur } }')).toEqual([
      { path: 'checking.eur', expected: 'a value to save as sum', actual: 'nothing' },
    ]);
  });
});

describe('scenario that fails before its first step', () => {
  it('reports that its agents cannot be funded', async () => {
    const target = inProcessWith(({ sim }) => {
      sim.faults.add({ endpoint: 'deposit', effect: 'replace-response', code: 'closed' });
      return {};
    });
    const result = await played(`${ALICE_AND_BOB}steps: [alice.account]`, { target });
    expect(result).toMatchObject({
      verdict: 'failed',
      reason: 'the initial balances of the agents could not be set up',
      steps: [
        {
          place: '0.1',
          title: 'alice.deposit',
          verdict: 'failed',
          mismatches: [{ expected: 'success', actual: like(/^500 closed/) }],
        },
      ],
    });
  });

  it('reports an amount with too many decimals', async () => {
    const text = 'name: x\nagents: { alice: { usdc: 1.0000001 } }\nsteps: [alice.account]';
    expect(await played(text)).toMatchObject({ verdict: 'failed', reason: like(/6 decimals/) });
  });

  it('says at which step of nested repetitions it stood when its time was over, and plays no further', async () => {
    const repeat = (steps: string) => `{ repeat: { times: 1000, steps: [${steps}] } }`;
    let now = () => 0;
    const target = inProcessWith(({ sim }) => {
      now = () => sim.now().getTime();
      return {};
    });
    const result = await played(`name: x\nsteps:\n  - ${repeat(repeat(repeat('{ time.advance: 1s }')))}\n`, {
      target,
      timeoutMs: 300,
    });
    expect(result.reason).toMatch(
      /^not finished within 0\.3 s, at step 1\.1\.1\.\d+\.1\.\d+\.1 \(time\.advance, line 3\); increase the limit with --timeout$/,
    );
    const atEnd = now();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(now()).toBe(atEnd);
  });

  it('says in which run of a property it stood when its time was over', { tags: ['slow'] }, async () => {
    const result = await played(
      'name: x\nproperty: { behaviours: { spender: 1 }, runs: 10000, steps: 50 }\n',
      { timeoutMs: 1_000 },
    );
    expect(result.reason).toMatch(/^not finished within 1 s, in run \d+ of 10000; /);
  });
});
