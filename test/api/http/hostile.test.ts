import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { RawCaller, worldWithAgent } from '../../support/world.js';
import { forAllAsync } from '../../support/for-all.js';

const TABLE = Object.entries(endpoints(DEFAULT_VARIANTS)) as [string, Endpoint][];
const RUNS = 150;

async function target(): Promise<{ sim: Simulator; caller: RawCaller }> {
  const { sim, agent } = await worldWithAgent({ usdc: 2_000, sol: 5 });
  await agent.depositSavings({ amount: 500, token: 'USDC' });
  await agent.applyForLoan({ amount: 100, purpose: 'task' });
  return { sim, caller: await RawCaller.signedIn(sim, 0) };
}

/** Sends a hostile request and expects an error that changed nothing; a request that is valid by chance passes. Returns the status. */
async function attack(
  sim: Simulator,
  request: { method: string; path: string; body: string | Uint8Array | null; token: string },
): Promise<number> {
  const { state } = sim.bank.books;
  const response = await sim.fetch(`/api/v1${request.path}`, {
    method: request.method,
    headers: { authorization: `Bearer ${request.token}` },
    ...(request.body === null ? {} : { body: request.body }),
  });
  const answer = (await response.json()) as { code?: string; error?: string };
  expect(response.status, JSON.stringify(answer)).not.toBe(500);
  if (response.status === 200) return 200;
  expect(answer).toMatchObject({ code: expect.any(String), error: expect.any(String) });
  expect(sim.bank.books.state, `${request.method} ${request.path} ${answer.code} changed the books`).toBe(
    state,
  );
  return response.status;
}

const loanId = (sim: Simulator) => sim.bank.books.state.loans.keySeq().first() ?? 'loan_x';

/** JSON that resembles a body: its members with values of any kind. */
function bodyLike(endpoint: Endpoint): fc.Arbitrary<unknown> {
  const names = Object.keys(endpoint.body?.shape ?? {});
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('USDC', 'SOL', 'task', '', '__proto__', '\u0000', '5'.repeat(87), '1'.repeat(32)),
    fc.double(),
    fc.constantFrom(0, -0, 1e-7, 1e12, 1e13, Number.MAX_SAFE_INTEGER, 5e-324, 1.7976931348623157e308),
    fc.string({ maxLength: 3_000 }),
  );
  return fc.dictionary(fc.constantFrom('__proto__', 'constructor', ...names), value);
}

describe('bad input never causes a 500 and never changes the books', () => {
  for (const [id, endpoint] of TABLE) {
    it(`${id}: random bytes, random JSON, wrong types`, async () => {
      const { sim, caller } = await target();
      const token = caller.token as string;
      const path = endpoint.path.replace('{id}', loanId(sim));
      const { method } = endpoint;
      if (method === 'POST') {
        const bodies = fc.oneof(
          fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
          bodyLike(endpoint).map((value) => JSON.stringify(value)),
        );
        await forAllAsync(RUNS, bodies, async (body) => {
          await attack(sim, { method, path, body, token });
        });
        return;
      }
      const names = Object.keys(endpoint.query?.shape ?? { amount: 0 });
      const odd = fc.constantFrom('-1', '1e400', '0x10', ' 5', 'NaN', '99999999999999999999', 'USDC');
      const query = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), odd));
      await forAllAsync(RUNS, query, async (given) => {
        const asked = `${path}?${new URLSearchParams(given).toString()}`;
        await attack(sim, { method, path: asked, body: null, token });
      });
    });
  }

  it('random paths, methods and tokens', { tags: ['slow'] }, async () => {
    const { sim } = await target();
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');
    await forAllAsync(RUNS, fc.webPath(), methods, fc.base64String(), async (path, method, token) => {
      expect(await attack(sim, { method, path: `/agent${path}`, body: null, token })).not.toBe(200);
    });
  });

  it('rejects a huge body that is streamed, and deep nesting', async () => {
    const { sim, caller } = await target();
    const streamed = await sim.fetch('/api/v1/agent/account/withdraw', {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}` },
      body: new Blob(['x'.repeat(1_000_000)]).stream(),
      duplex: 'half',
    });
    expect(await streamed.json()).toMatchObject({ code: 'payload_too_large' });
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const codeOf = async (text: string) => (await caller.post('/agent/account/withdraw', text)).body.code;
    const codes = [await codeOf(deep(128)), await codeOf(deep(129)), await codeOf(deep(30_000))];
    expect(codes).toEqual(['invalid_request', 'invalid_json', 'invalid_json']);
    const command = await sim.fetch('/_sim/v1/time/advance', { method: 'POST', body: deep(129) });
    expect(await command.json()).toMatchObject({ code: 'invalid_json' });
    expect(await sim.rpc(`{"jsonrpc":"2.0","id":1,"method":"getSlot","params":${deep(128)}}`)).toContain(
      '-32700',
    );
  });

  // All other forgeries: test/bank/jwt.test.ts.
  it('rejects a token that is signed with the seed, of another wallet, or empty', async () => {
    const { sim, caller } = await target();
    const [header, payload, signature] = (caller.token as string).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const others = JSON.stringify({ ...claims, sub: sim.wallets[1]?.address });
    const changed = Buffer.from(others).toString('base64url');
    const bySeed = createHmac('sha256', sim.config.seed).update(`${header}.${payload}`).digest('base64url');
    for (const token of [`${header}.${payload}.${bySeed}`, `${header}.${changed}.${signature}`, '']) {
      const { status } = await new RawCaller(sim, token).get('/agent/account');
      expect(status, token).toBe(401);
    }
  });

  it('rejects a lone surrogate, over which no receipt could be signed', async () => {
    const { sim, caller } = await target();
    const payment = { recipient: sim.wallets[1]?.address, amount: 1, token: 'USDC' };
    const pay = (member: string, headers = {}) =>
      caller.post('/agent/account/x402/pay', `${JSON.stringify(payment).slice(0, -1)},${member}}`, headers);
    for (const member of ['"memo":"x\\ud800y"', '"memo":"\\uDFFF"', '"\\udc00":1']) {
      const key = { 'idempotency-key': member.length.toString() };
      const { status, body } = await pay(member, key);
      expect([status, body.code]).toEqual([400, 'invalid_json']);
    }
    const paid = await pay('"memo":"\\ud83d\\ude00"');
    expect(paid.body).toMatchObject({ receipt: { memo: '\u{1f600}' } });
  });
});

it('refuses a parameter that is given twice, of the API and of the control interface', async () => {
  const { sim, caller } = await target();
  for (const query of ['limit=1&limit=1000', 'type=withdraw&type=deposit', 'limit=5&limit=5']) {
    const { status, body } = await caller.get(`/agent/account/transactions?${query}`);
    expect([status, body.code], query).toEqual([400, 'invalid_request']);
  }
  for (const path of ['events?limit=1&limit=2', 'events?after=0&after=1']) {
    const response = await sim.fetch(`/_sim/v1/${path}`);
    expect([response.status, await response.json()], path).toMatchObject([400, { code: 'invalid_request' }]);
  }
});
