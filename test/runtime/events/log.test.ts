import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BankError } from '../../../src/sdk/client/client.js';
import { ControlClient } from '../../../src/api/control/client.js';
import { ERRORS } from '../../../src/core/domain/errors.js';
import { REASONS, RULES } from '../../../src/core/domain/rules.js';
import type { SimEvent } from '../../../src/runtime/events/event.js';
import { LogFile } from '../../../src/runtime/events/log-file.js';
import { EventLog, REMEMBERED_EVENTS } from '../../../src/runtime/events/log.js';
import { result } from '../../api/rpc/support.js';
import { postJson } from '../../support/post-json.js';
import {
  ENGINES,
  RawCaller,
  agentWith,
  world,
  worldWithAgent,
  worldWithCaller,
} from '../../support/world.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe.each(ENGINES)('event log on %s', (engine) => {
  it('explains a request by its id with decision, entries and transaction', async () => {
    const { sim, caller } = await worldWithCaller({ usdc: 1_000, engine });
    const recipient = sim.wallets[1]?.address as string;
    const paid = await caller.post('/agent/account/x402/pay', { amount: 950, token: 'USDC', recipient });
    const id = paid.headers.get('x-request-id') as string;
    const explained = sim.explain(id);
    expect(explained?.rule).toBeNull();
    expect(explained?.text.split('\n')).toEqual([
      expect.stringMatching(
        /^POST \/api\/v1\/agent\/account\/x402\/pay by \w+ at 2026-01-01T00:00:00.000Z with \{.*"amount":950,/,
      ),
      'It succeeded (200).',
      'What it did:',
      expect.stringMatching(
        /^- Entry \d+, outflow\.pending: checking −950 USDC, reserved for a transfer \+950 USDC\.$/,
      ),
      expect.stringMatching(/^- Transaction \w+ ran in slot \d+\.$/),
      expect.stringMatching(
        /^- Entry \d+, outflow\.posted: reserved for a transfer −950 USDC, the treasury on chain −950 USDC, network fees of the bank \+\S+ SOL, the treasury on chain −\S+ SOL\.$/,
      ),
    ]);
    expect(explained?.events.map((event) => (event as { kind: string }).kind)).toEqual([
      'entry',
      'transaction',
      'entry',
      'request',
    ]);
    expect(JSON.stringify(explained)).toContain(paid.body['tx_signature']);
    // The text of a refusal is in test/golden.
    expect(sim.explain('req_99999999')).toBeNull();
  });

  it('numbers requests, entries, transactions, clock changes and due events without gaps', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 500, engine, variants: { review: 'auto' } });
    await agent.depositSavings({ amount: 100, token: 'USDC' });
    await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 7 });
    const id = await sim.snapshot();
    await sim.advance('8d');
    await sim.revert(id);
    const { events, next } = sim.events.page({ after: 0, limit: 1_000 });
    expect(next).toBeNull();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    const kinds = new Set(events.map(({ body }) => body.kind));
    expect([...kinds].toSorted()).toEqual(['clock', 'entry', 'fired', 'request', 'transaction', 'world']);
    const fired = events.filter(({ body }) => body.kind === 'fired');
    expect(fired.map(({ body, atMs }) => [body, new Date(atMs).toISOString()])).toMatchObject([
      [{ event: 'savings.settled' }, '2026-01-02T00:00:00.000Z'],
      [{ event: 'loan.due' }, '2026-01-08T00:00:00.000Z'],
    ]);
    const { address: wallet } = agent.wallet;
    const page = sim.events.page({ after: 0, limit: 1_000, wallet, kind: 'entry' });
    expect(page.events.length).toBeGreaterThan(3);
    const isOwn = ({ body }: SimEvent) => body.kind === 'entry' && body.entry.wallet === wallet;
    expect(page.events.every(isOwn)).toBe(true);
  });

  it('has the same events as file, page and stream', async () => {
    const sim = await world({ engine });
    const path = join(temporaryFolder(), 'events.ndjson');
    sim.logTo(path);
    const { origin } = await sim.listen();
    const control = new ControlClient({ origin });
    const abort = new AbortController();
    const stream = await fetch(`${origin}/_sim/v1/events/stream?after=0`, { signal: abort.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const agent = await agentWith(sim, 0, { usdc: 5 });
    await expect(agent.withdraw({ amount: 6, token: 'USDC' })).rejects.toThrow(BankError);
    await control.do('advance', { body: { by: '1d' } });
    const { events, last } = await control.do('events', { query: { limit: 1_000 } });
    expect(events.length).toBeGreaterThan(8);
    const reader = (stream.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let text = '';
    while (!text.includes(`\nid: ${last}\n`) && !text.startsWith(`id: ${last}\n`)) {
      const part = await reader.read();
      if (part.done) break;
      text += part.value;
    }
    abort.abort();
    const streamed = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => JSON.parse(data as string) as object,
    );
    expect(streamed.slice(0, events.length)).toEqual(events);
    const half = await control.do('events', { query: { after: 3, limit: 2 } });
    expect(half).toMatchObject({ events: [{ seq: 4 }, { seq: 5 }], next: 5, oldest: 1 });
    await sim.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.slice(0, events.length).map((line) => JSON.parse(line) as object)).toEqual(events);
  });

  it('has request ids of every interface, and explains control and RPC calls', async () => {
    const sim = await world({ engine });
    const { origin } = await sim.listen();
    const { url } = await sim.listenRpc();
    const idOf = async (answer: Promise<Response>) => (await answer).headers.get('x-request-id') as string;
    const [first, second] = sim.wallets.map(({ address }) => address);
    const api = await idOf(fetch(`${origin}/api/v1/agent/account`));
    const ctl = await idOf(postJson(`${origin}/_sim/v1/time/advance`, { by: '3d' }));
    const airdrop = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [first, 1] };
    const rpc = await idOf(postJson(url, airdrop));
    expect([api, ctl, rpc]).toEqual(['req_00000001', 'ctl_00000001', 'rpc_00000001']);
    const control = new ControlClient({ origin });
    const explained = async (id: string) => (await control.do('explain', { id })).text;
    expect(await explained(api)).toContain('Rule auth.token');
    const moved = await explained(ctl);
    expect(moved).toContain('The clock moved from 2026-01-01T00:00:00.000Z to 2026-01-04T00:00:00.000Z');
    expect(await explained(rpc)).toContain('RPC requestAirdrop');
    expect(await explained(rpc)).toMatch(/- Transaction \w+ ran in slot/);
    const given = { address: second, amount: 1, token: 'USDC' };
    const gift = await idOf(postJson(`${origin}/_sim/v1/faucet`, given));
    expect(await explained(gift)).toMatch(/- Transaction \w+ ran in slot/);
    const lost = await idOf(fetch(`${origin}/w/fork-9/api/v1/docs`));
    expect(await explained(lost)).toContain('404 fork_not_found');
    expect(await idOf(fetch(`${origin}/facilitator/supported`))).toMatch(/^fac_/);
    const foreign = await idOf(
      fetch(`${origin}/_sim/v1/time`, { headers: { origin: 'http://evil.example' } }),
    );
    expect(await explained(foreign)).toContain('403 foreign_origin');
    await expect(control.do('explain', { id: 'req_404' })).rejects.toMatchObject({
      status: 404,
      code: 'request_not_found',
    });
  });
});

describe('the text of an explanation', () => {
  const textOf = (sim: Simulator, { headers }: { readonly headers: Headers }) =>
    sim.explain(headers.get('x-request-id') ?? '')?.text ?? '';

  it('mentions the token only where its absence is the reason', async () => {
    const sim = await world();
    const caller = new RawCaller(sim, null);
    const { address: wallet } = sim.wallets[0] as { address: string };
    const words = async (answer: ReturnType<RawCaller['get']>) => textOf(sim, await answer);
    expect(await words(caller.get('/docs'))).toMatch(/^GET \/api\/v1\/docs at /);
    expect(await words(caller.post('/agent/auth/challenge', { wallet }))).toMatch(/^POST \S+ at /);
    expect(await words(caller.post('/agent/auth/verify', { wallet, signature: 'x', message: 'y' }))).toMatch(
      /^POST \S+ at /,
    );
    expect(await words(caller.get('/agent/account'))).toMatch(/^GET \S+ without a valid token at /);
  });

  it('cuts a long text of the input, and keeps addresses and signatures', async () => {
    const sim = await world();
    const [caller, seller] = [await RawCaller.signedIn(sim, 0), sim.agent(1)];
    const { headers, payment_request: asked } = await seller.requestPayment({ amount: 10 });
    const { recipient, amount, token } = asked;
    const payment_request = headers['X-Payment-Request'];
    const text = textOf(
      sim,
      await caller.post('/agent/account/x402/pay', { recipient, amount, token, payment_request }),
    );
    expect(text).toContain(`"recipient":"${recipient}"`);
    expect(text).toMatch(/"payment_request":"[^"]{90,100}…"/);
  });

  it('does not recommend an amount of zero', async () => {
    const sim = await world();
    await agentWith(sim, 1, { usdc: 10 });
    const todo = async (at: number, path: string) => {
      const caller = await RawCaller.signedIn(sim, at);
      const text = textOf(sim, await caller.post(`/agent/account/${path}`, { amount: 100, token: 'USDC' }));
      return /What to do: (.*)/.exec(text)?.[1];
    };
    expect(await todo(0, 'withdraw')).toBe('Deposit first.');
    expect(await todo(1, 'withdraw')).toBe('Use at most 10, or deposit first.');
    expect(await todo(0, 'savings/withdraw')).toBe('Save more first. The yield is paid in addition.');
    expect(await todo(0, 'collateral/borrow')).toBe('Save more USDC first.');
  });
});

it.skipIf(!existsSync('/dev/full'))(
  'a log file that cannot be written is reported once, and events continue',
  () => {
    const log = new EventLog(() => 0);
    const errors: unknown[] = [];
    const file = new LogFile(log, '/dev/full', (error) => errors.push(error));
    for (let at = 0; at < 2_000; at += 1) log.append({ kind: 'world', what: 'snapshot', id: `${at}` }, null);
    file.close();
    expect(errors).toMatchObject([{ code: 'ENOSPC' }]);
  },
);

it('the event log keeps a limited number of events and states the oldest', () => {
  const log = new EventLog(() => 0);
  const more = 10;
  for (let at = 0; at < REMEMBERED_EVENTS + more; at += 1)
    log.append({ kind: 'world', what: 'snapshot', id: `${at}` }, null);
  const page = log.page({ after: 0, limit: 3 });
  expect(page.oldest).toBe(more + 1);
  expect(page.events.map(({ seq }) => seq)).toEqual([more + 1, more + 2, more + 3]);
  expect(log.at(more)).toBeNull();
  expect(log.last).toBe(REMEMBERED_EVENTS + more);
});

it('a transfer that the chain rejected is explained by the rule of transfers, a deposit by the rule of evidence', async () => {
  const { sim, caller } = await worldWithCaller({ sol: 1 });
  const nobody = sim.createWallet().address;
  const tiny = { amount: 0.0001, token: 'SOL' };
  for (const [path, body] of [
    ['withdraw', { ...tiny, destination: nobody }],
    ['x402/pay', { ...tiny, recipient: nobody }],
  ] as const) {
    const refused = await caller.post(`/agent/account/${path}`, body);
    expect(refused.body.code).toBe('transaction_failed');
    const explained = sim.explain(refused.body.requestId ?? '');
    expect(explained?.rule).toBe('chain.transfer');
    expect(explained?.text).toContain('What to do: The amount is back in checking. Use another amount');
    expect(explained?.text).not.toContain('send a new transaction');
  }
  const failed = await result<string>(sim, 'requestAirdrop', sim.facts.treasury, 2 ** 50);
  const deposit = { amount: 1, token: 'SOL', tx_signature: failed };
  const refused = await caller.post('/agent/account/deposit', deposit);
  expect(refused.body.code).toBe('transaction_failed');
  const explained = sim.explain(refused.body.requestId ?? '');
  expect(explained?.rule).toBe('evidence.chain');
  expect(explained?.text).toContain('send a new transaction');
});

it('a repeat with the same Idempotency-Key is explained by the request whose response it returned', async () => {
  const { sim, caller } = await worldWithCaller({ usdc: 100 });
  const pay = () =>
    caller.post('/agent/account/withdraw', { amount: 60, token: 'USDC' }, { 'Idempotency-Key': 'x' });
  const idOf = ({ headers }: Awaited<ReturnType<typeof pay>>) => headers.get('x-request-id') ?? '';
  const first = await pay();
  const again = await pay();
  expect(again.body).toEqual(first.body);
  const explained = sim.explain(idOf(first));
  expect(explained?.text).not.toContain('repeated');
  expect(explained?.text).toContain('with {"amount":60,"token":"USDC"}, Idempotency-Key "x".');
  expect(explained?.events.at(-1)).toMatchObject({ kind: 'request', idempotencyKey: 'x' });
  expect(sim.explain(idOf(again))?.text).toContain(
    `It repeated request ${idOf(first)} with the same Idempotency-Key`,
  );
  const refused = await caller.post('/agent/account/withdraw', { amount: 'x' }, { 'Idempotency-Key': 'y' });
  expect(sim.explain(idOf(refused))?.text).toContain('Idempotency-Key "y"');
  await sim.importState(await sim.exportState());
  expect(sim.explain(idOf(await pay()))?.text).toContain('It repeated an earlier request');
});

it('the second payee of a transaction that pays two reads how it can be paid', async () => {
  const sim = await world();
  const payer = sim.agent(0);
  const payees = [await agentWith(sim, 1), await agentWith(sim, 2)];
  const outgoing = [];
  for (const payee of payees) {
    const { payment_request: request } = await payee.requestPayment({ amount: 1, token: 'SOL' });
    outgoing.push({ kind: 'sol', to: request.pay_to, amountBase: 1_000_000_000n } as const);
  }
  const signature = await payer.wallet.sendAll(sim.chain.connection(), outgoing);
  const [first, second] = payees.map((payee) => payee.receive({ tx_signature: signature }));
  await first;
  const refusal = await second?.catch((error: unknown) => error as BankError);
  expect(refusal).toMatchObject({ code: 'transaction_already_recorded' });
  const text = sim.explain((refusal as BankError).requestId ?? '')?.text;
  expect(text).toContain('another one in the transaction was recorded');
  expect(text).toContain('send it in a transaction of its own');
  expect(text).not.toContain('already credited');
});

it('every error code has a rule and a remedy, and every rule belongs to an error code', () => {
  expect(Object.keys(REASONS).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  const used = new Set(Object.values(REASONS).map(([rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !used.has(rule as keyof typeof RULES))).toEqual([]);
});
