import fc from 'fast-check';
import { ACCOUNT_METHODS } from '../../../src/api/rpc/methods/accounts.js';
import { BLOCK_METHODS } from '../../../src/api/rpc/methods/blocks.js';
import { CLUSTER_METHODS } from '../../../src/api/rpc/methods/cluster.js';
import { INFLATION_METHODS } from '../../../src/api/rpc/methods/inflation.js';
import { TOKEN_METHODS } from '../../../src/api/rpc/methods/tokens.js';
import { TRANSACTION_METHODS } from '../../../src/api/rpc/methods/transactions.js';
import { RPC_METHODS } from '../../../src/core/rpc-methods.js';
import { describe, expect, it } from 'vitest';
import {
  type CallFaults,
  type FaultRule,
  type FaultWhen,
  Faults,
} from '../../../src/runtime/faults/fault-rules.js';
import { ALWAYS } from '../../support/faults.js';
import { FaultsApi, type FaultInput } from '../../../src/runtime/faults-api.js';
import { forAll } from '../../support/for-all.js';

function rule(when: Partial<FaultWhen> = {}): FaultRule {
  return {
    target: { kind: 'api', name: 'x402Pay' },
    phase: 'before',
    effect: { kind: 'drop-connection' },
    when: { ...ALWAYS, ...when },
  };
}

const CALL = { kind: 'api', name: 'x402Pay', wallets: ['alice'], nowMs: 1_000 } as const;

/** The numbers, from 1, of equal calls that get the fault. */
function injectedCalls(faults: Faults, calls: number): number[] {
  const found: number[] = [];
  for (let call = 1; call <= calls; call += 1) {
    if (faults.meet(CALL) !== null) found.push(call);
  }
  return found;
}

function withRule(when: Partial<FaultWhen>, seed = '1'): Faults {
  const faults = new Faults(seed);
  faults.add(rule(when));
  return faults;
}

describe('a fault is injected', () => {
  it('into the nth call, every nth call, and a limited number of calls', () => {
    expect(injectedCalls(withRule({ nth: 3 }), 9)).toEqual([3]);
    expect(injectedCalls(withRule({ every: 3 }), 9)).toEqual([3, 6, 9]);
    expect(injectedCalls(withRule({ times: 2 }), 9)).toEqual([1, 2]);
    expect(injectedCalls(withRule({ every: 2, times: 2 }), 9)).toEqual([2, 4]);
    expect(injectedCalls(withRule({}), 3)).toEqual([1, 2, 3]);
  });

  it('with a probability that is drawn from the seed', () => {
    const first = injectedCalls(withRule({ probability: 0.3 }), 1_000);
    expect(injectedCalls(withRule({ probability: 0.3 }), 1_000)).toEqual(first);
    expect(injectedCalls(withRule({ probability: 0.3 }, '2'), 1_000)).not.toEqual(first);
    expect(first.length).toBeGreaterThan(240);
    expect(first.length).toBeLessThan(360);
    expect(injectedCalls(withRule({ probability: 0 }), 100)).toEqual([]);
    expect(injectedCalls(withRule({ probability: 1 }), 100)).toHaveLength(100);
  });

  it('into calls of its target, wallet and time window only, and counts no others', () => {
    const faults = withRule({ nth: 1, wallet: 'alice', fromMs: 1_000, untilMs: 2_000 });
    const none = [
      { ...CALL, kind: 'rpc' } as const,
      { ...CALL, name: 'withdraw' },
      { ...CALL, wallets: [] },
      { ...CALL, wallets: ['bob'] },
      { ...CALL, nowMs: 999 },
      { ...CALL, nowMs: 2_000 },
    ];
    for (const call of none) expect(faults.meet(call)).toBeNull();
    expect(faults.list()[0]).toMatchObject({ met: 0, struck: 0 });
    expect(faults.meet({ ...CALL, wallets: ['bob', 'alice'], nowMs: 1_999 })?.reports).toHaveLength(1);
    expect(faults.list()[0]).toMatchObject({ met: 1, struck: 1 });
  });

  it('into no more calls than its number of times, counting those in flight that it may still affect', () => {
    const faults = new Faults('1');
    faults.add({ ...rule({ times: 1 }), phase: 'after-commit', effect: { kind: 'lose-response' } });
    const first = faults.meet(CALL);
    expect(faults.meet(CALL)).toBeNull();
    // It was refused by the RPC, so it has no response to lose.
    faults.ended(first as CallFaults);
    const third = faults.meet(CALL);
    third?.executed();
    faults.ended(third as CallFaults);
    expect(faults.meet(CALL)).toBeNull();
    expect(faults.list()[0]).toMatchObject({ met: 4, struck: 1 });
  });

  it('after a revert without regard to the calls that it has undone', () => {
    const faults = new Faults('1');
    faults.add({ ...rule({ times: 1 }), phase: 'after-commit', effect: { kind: 'lose-response' } });
    const snapshot = faults.snapshot();
    const undone = faults.meet(CALL);
    faults.restore(snapshot);
    expect(undone?.isPending('fault-1')).toBe(false);
    expect(faults.meet(CALL)).not.toBeNull();
  });

  it('after a revert into the same calls as before', () => {
    forAll(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 30 }), (before, after) => {
      const faults = withRule({ probability: 0.5, times: 9 });
      injectedCalls(faults, before);
      const snapshot = faults.snapshot();
      const first = injectedCalls(faults, after);
      faults.add(rule());
      faults.restore(snapshot);
      expect(injectedCalls(faults, after)).toEqual(first);
      expect(faults.list()).toHaveLength(1);
    });
  });
});

it.each([
  ['x402Pay', 'chain-submit'],
  ['*', 'chain-submit'],
  ['deposit', 'chain-confirm'],
  ['loanRepay', 'chain-confirm'],
])('the phase of a fault is the first that the operation can have: %s, %s', (endpoint, phase) => {
  const faults = new FaultsApi(new Faults('1'), 10);
  expect(faults.add({ endpoint, effect: 'delay-transaction', delay: '5s' })).toMatchObject({ phase });
});

describe('an invalid fault is rejected with its reason', () => {
  const cases: [unknown, RegExp][] = [
    [{ effect: 'lose-response' }, /name the calls/],
    [{ endpoint: 'x402Pay', rpc: 'sendTransaction', effect: 'lose-response' }, /name the calls/],
    [{ endpoint: 'x402Pay', effect: 'explode' }, /effect: /],
    [{ endpoint: 'payMe', effect: 'lose-response' }, /no operation is called payMe; there are challenge/],
    [{ endpoint: '/agent/loans', effect: 'lose-response' }, /name one of loans, loanApply/],
    [{ endpoint: 'x402Pay', effect: 'delay' }, /needs a delay such as 5s/],
    [{ endpoint: 'x402Pay', effect: 'lose-response', delay: '5s' }, /a delay is not for lose-response/],
    [
      { endpoint: 'x402Pay', effect: 'lose-response', status: 500 },
      /status is for the effect replace-response/,
    ],
    [{ endpoint: 'x402Pay', effect: 'lose-response', phase: 'before' }, /only in after-commit/],
    [{ endpoint: 'x402Pay', effect: 'drop-transaction', phase: 'chain-confirm' }, /only in chain-submit/],
    [
      { endpoint: 'savingsDeposit', effect: 'drop-transaction' },
      /savingsDeposit does not use the chain.* can for x402Pay, withdraw, x402Request$/,
    ],
    [
      { endpoint: 'savingsDeposit', effect: 'chain-unavailable' },
      /, x402Request, deposit, x402Receive, loanRepay$/,
    ],
    [
      { endpoint: 'deposit', effect: 'delay-transaction', phase: 'chain-submit', delay: '5s' },
      /use the phase chain-confirm/,
    ],
    [
      { endpoint: 'loanRepay', effect: 'expire-blockhash' },
      /looks up a transaction .* can never fire; it can for x402Pay/,
    ],
    [{ endpoint: 'x402Pay', effect: 'replace-response', status: 200 }, /status: /],
    [{ endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 0 } }, /when.nth: /],
    [
      { endpoint: 'x402Pay', effect: 'lose-response', when: { evry: 2 } },
      /no member evry here; did you mean every\?/,
    ],
    [
      { endpoint: 'x402Pay', effect: 'lose-response', when: { wallet: 'me' } },
      /when.wallet: must be a Solana/,
    ],
    [
      { endpoint: 'x402Pay', effect: 'lose-response', when: { from: 'soon' } },
      /when.from: must be an instant/,
    ],
    [{ rpc: 'getBalance', effect: 'drop-transaction' }, /only sendTransaction submits a transaction/],
    [
      { rpc: 'nope', effect: 'lose-response' },
      /no method of the rpc is called nope; there are getAccountInfo/,
    ],
    [{ rpc: 'getBalanse', effect: 'lose-response' }, /no method .* getBalanse; did you mean getBalance\?/],
    [{ rpc: 'accountSubscribe', effect: 'lose-response' }, /no method of the rpc is called accountSubscribe/],
    [{ rpc: '*', effect: 'oracle-outage' }, /no method of the rpc reads the oracle/],
    [null, /fault: /],
  ];
  for (const [input, reason] of cases) {
    it(JSON.stringify(input), () => {
      const face = new FaultsApi(new Faults('1'), 10);
      expect(() => face.add(input as FaultInput)).toThrow(reason);
      expect(face.list()).toEqual([]);
    });
  }

  it('and an unknown fault cannot be cleared', () => {
    expect(() => new FaultsApi(new Faults('1'), 10).clear('fault-1')).toThrow('there is no fault fault-1');
  });
});

it('a fault names its operation by id or by path, with or without method and base path', () => {
  const face = new FaultsApi(new Faults('1'), 10);
  for (const endpoint of [
    'x402Pay',
    '/agent/account/x402/pay',
    'POST /agent/account/x402/pay',
    '/api/v1/agent/account/x402/pay',
  ]) {
    expect(face.add({ endpoint, effect: 'lose-response' })).toMatchObject({
      endpoint: 'x402Pay',
      phase: 'after-commit',
    });
  }
  expect(face.add({ endpoint: 'POST /agent/loans', effect: 'lose-response' }).endpoint).toBe('loanApply');
});

it('a fault can name each method of the rpc', () => {
  const tables = [ACCOUNT_METHODS, BLOCK_METHODS, CLUSTER_METHODS, INFLATION_METHODS, TOKEN_METHODS];
  const served = [...tables, TRANSACTION_METHODS].flatMap((methods) => Object.keys(methods));
  expect(RPC_METHODS.toSorted()).toEqual(served.toSorted());
});
