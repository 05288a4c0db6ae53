import { describe, expect, it, vi, onTestFinished } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/core/domain/errors.js';
import { MemoryJournal } from '../../../src/core/journal/memory.js';
import { StorageUnavailable } from '../../../src/core/journal/storage-unavailable.js';
import { leaveInTreasury } from '../../support/thief.js';
import { type Answer, RawCaller, agentWith, world } from '../../support/world.js';

/** Codes that scenarios provoke by a fault only; they provoke all others as an agent does, which test/testing/scenario/suite.test.ts requires. */
const FAILURES: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  chain_unavailable: async () => {
    const sim = await world();
    await leaveInTreasury(sim, 'SOL', 0n);
    await agentWith(sim, 0, { sol: 0.5 });
    const caller = await RawCaller.signedIn(sim, 0);
    return caller.post('/agent/account/withdraw', { amount: 0.5, token: 'SOL' });
  },
  storage_unavailable: async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 10 });
    const caller = await RawCaller.signedIn(sim, 0);
    const broken = vi.spyOn(MemoryJournal.prototype, 'append').mockImplementation(() => {
      throw new StorageUnavailable('no space left');
    });
    onTestFinished(() => broken.mockRestore());
    return caller.post('/agent/account/savings/deposit', { amount: 1, token: 'USDC' });
  },
  internal_error: async () => {
    const bugs: unknown[] = [];
    const sim = await world({}, { onBug: (error) => bugs.push((error as Error).message) });
    const caller = await RawCaller.signedIn(sim, 0);
    vi.spyOn(sim.bank, 'account').mockImplementation(() => {
      throw new Error('a bug');
    });
    const answer = await caller.get('/agent/account');
    expect(bugs).toEqual(['a bug']);
    return answer;
  },
};

describe('a failure that is not the caller’s', () => {
  for (const [code, provoke] of Object.entries(FAILURES)) {
    it(`responds ${ERRORS[code as ErrorCode][0]} ${code}`, async () => {
      const { status, body, headers } = await provoke();
      expect([status, body]).toEqual([
        ERRORS[code as ErrorCode][0],
        {
          code,
          error: expect.stringMatching(/^[A-Z].+\.$/s),
          details: expect.any(Object),
          requestId: headers.get('x-request-id'),
        },
      ]);
    });
  }
});

it('a token of another scheme is refused with the name of the right one', async () => {
  const sim = await world();
  const answer = await sim.fetch('/api/v1/agent/account', { headers: { authorization: 'Basic YTpi' } });
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { code: 'invalid_token', error: expect.stringContaining('Bearer <token>') },
  ]);
});

it.each([
  ['without a fault rule', null, 1, 200],
  ['with a rule for another operation', { endpoint: 'withdraw', delay: '1h' }, 1, 200],
  ['with a delay', { endpoint: 'account', delay: '1h' }, 2, 200],
  ['with a delay during which the token expires', { endpoint: 'account', delay: '25h' }, 2, 401],
] as const)(
  'a request is authenticated again only when time has passed: %s',
  async (_when, rule, times, status) => {
    const sim = await world();
    const caller = await RawCaller.signedIn(sim, 0);
    if (rule !== null) sim.faults.add({ ...rule, effect: 'delay', when: { times: 1 } });
    const authenticated = vi.spyOn(sim.bank, 'authenticate');
    expect((await caller.get('/agent/account')).status).toBe(status);
    expect(authenticated).toHaveBeenCalledTimes(times);
  },
);
