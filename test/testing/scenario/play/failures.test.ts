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

type Wrong = readonly [what: string, expectation: string, path: string, expected: string, actual: string];

/** Wrong expectations of a withdrawal of 1 USDC, with the mismatch reported for each. `match.test.ts` has all matchers. */
const WRONG: readonly Wrong[] = [
  ['a status', '{ status: 201 }', 'status', '201', '200'],
  ['a code', '{ code: not_found }', 'code', '"not_found"', 'nothing'],
  ['a member', '{ success: false }', 'success', 'false', 'true'],
  ['a member by its path', '{ balance.current: 98 }', 'balance.current', '98', '99'],
  ['a misspelt member', '{ balance.curent: 1 }', 'balance.curent', '1', 'nothing; did you mean current?'],
  [
    'a member of another one',
    '{ token: USDC }',
    'token',
    '"USDC"',
    'nothing; did you mean withdrawal.token?',
  ],
  ['a missing member', '{ balance.next: 1 }', 'balance.next', '1', 'nothing'],
  ['the whole body', '{ body: { success: 1 } }', 'body.success', '1', 'true'],
  ['a header', '{ headers: { x-none: a } }', 'headers.x-none', '"a"', 'nothing'],
  ['a lost answer', '{ lost: true }', 'lost', 'true', 'nothing'],
  ['a balance on chain', '{ chain: { bob: { usdc: 5 } } }', 'chain.bob.usdc', '5', '0'],
  [
    'a total of the journal',
    '{ journal: { checking: { USDC: { above: 99 } } } }',
    'journal.checking.USDC',
    'above 99',
    '99',
  ],
  [
    'an event',
    '{ events: [outflow.pending, deposit] }',
    'events.1',
    '"deposit"',
    expect.stringMatching(/outflow\.posted.*request/) as string,
  ],
  [
    'a member of an event',
    '{ events: [{ kind: request, status: 500 }] }',
    'events.0',
    '{"kind":"request","status":500}',
    expect.stringMatching(/request/) as string,
  ],
  [
    'an event that must not happen',
    '{ noEvents: [deposit, outflow.posted] }',
    'noEvents',
    'no outflow.posted',
    expect.stringMatching(/outflow\.posted/) as string,
  ],
];

describe('wrong expectation', () => {
  it.each(WRONG)(
    'of %s fails with its path and both values',
    async (_what, expectation, path, expected, actual) => {
      expect(await mismatchesOf(withdraw(expectation))).toEqual([{ path, expected, actual }]);
    },
  );

  it('is reported together with the others of its step', async () => {
    const found = await mismatchesOf(
      withdraw('{ status: 201, balance: { token: SOL, current: 0 }, chain: { bob: { usdc: 5, sol: 2 } } }'),
    );
    expect(found.map(({ path }) => path)).toEqual([
      'status',
      'balance.token',
      'balance.current',
      'chain.bob.usdc',
      'chain.bob.sol',
    ]);
  });

  it('of the world alone fails', async () => {
    expect(await mismatchesOf('{ expect: { chain: { alice: { usdc: 1 } } } }')).toEqual([
      { path: 'chain.alice.usdc', expected: '1', actual: '500' },
    ]);
    const [answer] = await mismatchesOf('{ expect: { status: 200 } }');
    expect(answer).toMatchObject({
      path: 'status',
      actual: expect.stringMatching(/step has no response/) as string,
    });
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
      { ...refused, problem: '400 insufficient_balance: The checking balance is too small.' },
      { verdict: 'passed', explanation: null },
      { verdict: 'passed', explanation: null },
    ]);
    expect((await calls('', 'alice.account')).steps[1]?.steps[0]).toMatchObject({
      ...refused,
      problem: null,
    });
  });
});

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
      mismatches: [
        {
          path: '',
          expected: 'success',
          actual: '400 insufficient_balance: The checking balance is too small.',
        },
      ],
      explanation: expect.stringMatching(/100.*5,?000|5,?000.*100/s) as string,
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

  it('is reported instead of the missing member that was expected', async () => {
    expect(await mismatchesOf(withdraw('{ balance.current: 1 }', 5_000))).toEqual([
      {
        path: '',
        expected: 'success',
        actual: '400 insufficient_balance: The checking balance is too small.',
      },
    ]);
  });

  it('of the chain or the control interface is reported with its message', async () => {
    const [sent] = await mismatchesOf('alice.send: { to: "${bob}", amount: 5000, token: USDC }');
    expect(sent).toMatchObject({
      path: '',
      expected: 'success',
      actual: expect.stringMatching(/\w+/) as string,
    });
    const [loan] = await mismatchesOf('review.approve: nobody');
    expect(loan).toMatchObject({
      path: '',
      expected: 'success',
      actual: expect.stringMatching(/^404 loan_not_found: /) as string,
    });
  });

  it('is reported as no response when the connection is dropped', async () => {
    const lost = await played(`${ALICE_AND_BOB}steps:
  - fault.add: { endpoint: withdraw, effect: drop-connection }
  - alice.withdraw: { amount: 1, token: USDC }`);
    expect(lost.steps[1]?.mismatches).toEqual([
      { path: '', expected: 'success', actual: expect.stringMatching(/^no response: /) as string },
    ]);
  });
});

describe('step that cannot be played', () => {
  it('reports an unknown reference in arguments, headers and expectations', async () => {
    const unknown = '${paid.id}: unknown name paid; known names: alice, bob, treasury, usdcMint, issuer, now';
    expect(await problemOf('alice.send: { to: "${paid.id}", amount: 1, token: USDC }')).toBe(unknown);
    expect(await problemOf('{ alice.account: {}, headers: { x-a: "${paid.id}" } }')).toBe(unknown);
    expect(await problemOf('{ alice.account: {}, expect: { status: "${paid.id}" } }')).toBe(unknown);
    expect(await problemOf('{ repeat: { times: "${paid.id}", steps: [alice.account] } }')).toBe(unknown);
    expect(await problemOf('{ alice.account: {}, key: "${round}" }')).toContain('unknown name round;');
  });

  it('reports an argument that is wrong once references are resolved', async () => {
    expect(await problemOf('alice.send: { to: "${bob}", amount: "${now}", token: USDC }')).toMatch(
      /^amount: .*number/,
    );
    expect(await problemOf('faucet.give: { to: bob, usdc: "${alice}" }')).toMatch(/^usdc: .*number/);
    expect(await problemOf('{ repeat: { times: "${now}", steps: [alice.account] } }')).toBe(
      'times: "2026-01-01T00:00:00.000Z" is not a number',
    );
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
          mismatches: [{ expected: 'success', actual: expect.stringMatching(/^500 closed/) as string }],
        },
      ],
    });
  });

  it('reports an amount with too many decimals', async () => {
    const text = 'name: x\nagents: { alice: { usdc: 1.0000001 } }\nsteps: [alice.account]';
    expect(await played(text)).toMatchObject({
      verdict: 'failed',
      reason: expect.stringMatching(/6 decimals/) as string,
    });
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
