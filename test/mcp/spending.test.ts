import { createServer } from 'node:http';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.js';
import type { GivenOptions } from '../../src/mcp/connection-options.js';
import { backendHere } from '../../src/mcp/in-process.js';
import { Shop } from '../sdk/x402/support.js';
import { agentWith, world } from '../support/world.js';
import { listening } from '../support/listening.js';
import { paywallOf } from '../support/paywall.js';
import { funded, inProcess, outcome, serviceOf, tell } from './support.js';

async function outflows(sim: Simulator): Promise<number[]> {
  const { transactions } = await sim.agent(0).transactions();
  return transactions
    .filter(({ type }) => ['withdraw', 'x402_payment'].includes(type))
    .map(({ amount }) => amount);
}

describe('--max-spend', () => {
  it('refuses what would exceed it, counting withdrawals, payments, transfers and bought responses together', async () => {
    const { sim, client } = await funded(100, { maxSpend: '20USDC' });
    const url = `${await paywallOf(sim)}/report`; // costs 5
    const other = sim.wallets[1]?.address;
    for (const [name, args] of [
      ['withdraw', { amount: 6, token: 'USDC' }],
      ['x402_pay', { amount: 4, token: 'USDC', recipient: other }],
      ['wallet_send', { amount: 3, token: 'USDC', to: other }],
      ['fetch_paid', { url, max_amount: 5 }],
    ] as const)
      expect(await outcome(client, name, args), name).toBe('ok');
    for (const [name, args] of [
      ['withdraw', { amount: 2.000001, token: 'USDC' }],
      ['x402_pay', { amount: 3, token: 'USDC', recipient: other }],
      ['wallet_send', { amount: 3, token: 'USDC', to: other }],
      ['fetch_paid', { url, max_amount: 5 }],
      ['wallet_send', { amount: 0.1, token: 'SOL', to: other }],
    ] as const)
      expect(await outcome(client, name, args), name).toBe('spending_limit_exceeded');
    expect(await outcome(client, 'withdraw', { amount: 2, token: 'USDC' })).toBe('ok');
  });

  it('refuses what exceeds it after a revert too, when ids of payment requests repeat', async () => {
    const { sim, client } = await funded(100, { maxSpend: '4USDC' });
    const origin = await paywallOf(sim);
    const buy = (path: string) => outcome(client, 'fetch_paid', { url: origin + path, max_amount: 5 });
    const id = await sim.snapshot();
    expect(await buy('/weather')).toBe('ok');
    await sim.revert(id);
    expect(await buy('/report')).toBe('spending_limit_exceeded');
  });

  it('refuses a payment without amount or token as the bank does', async () => {
    const sim = await world();
    const refusals = async (given: { maxSpend?: string }) => {
      const client = await inProcess(sim, { given });
      const recipient = sim.wallets[1]?.address;
      const told = [];
      for (const more of [{}, { amount: 1 }, { token: 'USDC' }, { amount: 1, recipient: undefined }]) {
        const args = { recipient, ...more };
        const { error } = (await tell(client, 'x402_pay', args)).content;
        told.push({ code: error.code, issues: error.details.issues });
      }
      return told;
    };
    const without = await refusals({});
    expect(without[0]).toEqual({
      code: 'invalid_request',
      issues: [
        { path: 'body.amount', message: 'is required' },
        { path: 'body.token', message: expect.any(String) },
      ],
    });
    expect(await refusals({ maxSpend: '10USDC' })).toEqual(without);
  });

  it('holds for calls in parallel', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    const recipient = sim.wallets[1]?.address;
    const calls = Array.from({ length: 30 }, () =>
      outcome(client, 'x402_pay', { amount: 1, token: 'USDC', recipient }),
    );
    expect((await Promise.all(calls)).filter((each) => each === 'ok')).toHaveLength(10);
    expect(await outflows(sim)).toHaveLength(10);
  });

  it('holds over all connections of a wallet, also those without limits, whose invalid calls the bank refuses', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 100 });
    const service = serviceOf(sim);
    const free = await inProcess(sim, { service });
    const limited = await inProcess(sim, { service, given: { maxSpend: '20USDC' } });
    const recipient = sim.wallets[1]?.address;
    const pay = (client: Client, amount: number, more: object = {}) =>
      tell(client, 'x402_pay', { amount, token: 'USDC', recipient, ...more });
    expect((await pay(free, 9)).isError).toBe(false);
    expect((await tell(free, 'withdraw', { amount: 9, token: 'USDC' })).isError).toBe(false);
    for (const more of [{ amount: 0 }, { token: 'BTC' }, { recipient: 'nobody' }]) {
      const { content } = await pay(free, 1, more);
      expect(content['error']).toMatchObject({ explanation: expect.stringContaining('It was refused') });
    }
    expect((await pay(limited, 3)).content['error']).toMatchObject({
      code: 'spending_limit_exceeded',
      details: { spent: 18 },
    });
    expect((await pay(limited, 2)).isError).toBe(false);
  });

  it('gets back what was refused, and what failed before anything was charged', async () => {
    const { sim, client } = await funded(5, { maxSpend: '10USDC' });
    const withdraw = (amount: number) => outcome(client, 'withdraw', { amount, token: 'USDC' });
    expect(await withdraw(10)).toBe('insufficient_balance');
    sim.faults.add({ endpoint: 'withdraw', effect: 'replace-response', status: 500, when: { times: 1 } });
    expect(await withdraw(5)).not.toBe('ok');
    const send = { amount: 9, token: 'USDC', to: sim.facts.treasury };
    expect(await outcome(client, 'wallet_send', send)).toBe('ok');
    expect([await withdraw(5), await withdraw(5)]).toEqual(['ok', 'insufficient_balance']);
  });

  it('gets back what came back into the account because the chain was unavailable', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    const when = { times: 1 };
    sim.faults.add({ endpoint: 'x402Pay', effect: 'chain-unavailable', phase: 'chain-submit', when });
    const pay = { amount: 10, token: 'USDC', recipient: sim.wallets[1]?.address };
    const pays = () => outcome(client, 'x402_pay', pay);
    expect([await pays(), await pays()]).toEqual(['chain_unavailable', 'ok']);
    expect((await sim.agent(0).account()).checking.usdc).toBe(90);
  });

  it('counts a payment whose answer was lost, once, however often it is repeated', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { times: 2 } });
    const pay = { amount: 6, token: 'USDC', recipient: sim.wallets[1]?.address, idempotency_key: 'k1' };
    const told = [];
    for (let at = 0; at < 4; at += 1) told.push(await outcome(client, 'x402_pay', pay));
    expect(told).toEqual(['no_response', 'no_response', 'ok', 'ok']);
    expect(await outflows(sim)).toEqual([6]);
    expect(await outcome(client, 'x402_pay', { ...pay, amount: 4, idempotency_key: 'k2' })).toBe('ok');
  });

  it('counts a repetition anew once the bank has forgotten the key', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 1 } });
    const pay = { amount: 6, token: 'USDC', recipient: sim.wallets[1]?.address, idempotency_key: 'k1' };
    await tell(client, 'x402_pay', pay);
    await sim.advance('25h');
    expect(await outcome(client, 'x402_pay', pay)).toBe('spending_limit_exceeded');
    expect(await outflows(sim)).toEqual([6]);
  });

  it('is not evaded by a fault that answers a repetition with a refusal', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    const fault = { endpoint: 'x402Pay', effect: 'replace-response', status: 400 } as const;
    sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 1 } });
    sim.faults.add({ ...fault, code: 'insufficient_balance', when: { nth: 2 } });
    const recipient = sim.wallets[1]?.address;
    const pay = (key: string) =>
      outcome(client, 'x402_pay', { amount: 6, token: 'USDC', recipient, idempotency_key: key });
    const told = [await pay('k1'), await pay('k1'), await pay('k2')];
    expect(told).toEqual(['no_response', 'insufficient_balance', 'spending_limit_exceeded']);
    expect(await outflows(sim)).toEqual([6]);
  });

  it('is not evaded by a fault that answers with a refusal after the payment', async () => {
    const { sim, client } = await funded(100, { maxSpend: '10USDC' });
    const refusal = { status: 400, code: 'insufficient_balance' };
    sim.faults.add({ endpoint: 'withdraw', effect: 'replace-response', phase: 'after-commit', ...refusal });
    for (let at = 0; at < 4; at += 1) await tell(client, 'withdraw', { amount: 6, token: 'USDC' });
    expect(await outflows(sim)).toEqual([6]);
  });
});

describe('--confirm-above', () => {
  const ELICITING = { capabilities: { elicitation: { form: {} } } };

  const AGREED = { action: 'accept', content: { pay: true } };

  async function asked(answer: () => object = () => AGREED, limits: GivenOptions = {}) {
    const questions: string[] = [];
    const { sim, client } = await funded(100, { confirmAbove: '1USDC', ...limits }, ELICITING);
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return answer() as never;
    });
    return { sim, client, questions };
  }

  it('asks the user before a larger payment, and pays when the user agrees', async () => {
    const { sim, client, questions } = await asked();
    const url = `${await paywallOf(sim)}/report`;
    const recipient = sim.wallets[1]?.address ?? '';
    const pay = (amount: number) => outcome(client, 'x402_pay', { amount, token: 'USDC', recipient });
    expect([await pay(1), await pay(2.5)]).toEqual(['ok', 'ok']);
    const bought = await tell(client, 'fetch_paid', { url, max_amount: 6 });
    expect(bought.content['paid']).toMatchObject({ amount: 5 });
    expect(await outcome(client, 'wallet_send', { to: recipient, amount: 0.5, token: 'SOL' })).toBe('ok');
    const first = 'Make this payment?';
    expect(questions.map((question) => question.split('\n'))).toEqual([
      [first, 'amount: 2.5', 'token: USDC', `recipient: ${recipient}`],
      [first, 'amount: 5', 'token: USDC', expect.stringMatching(/^recipient: \w+$/), `url: "${url}"`],
      [first, 'amount: 0.5', 'token: SOL', `to: ${recipient}`],
    ]);
  });

  it('does not ask about a payment beyond --max-spend', async () => {
    const { sim, client, questions } = await asked(undefined, { maxSpend: '4USDC' });
    const url = `${await paywallOf(sim)}/report`; // costs 5
    const other = sim.wallets[1]?.address;
    for (const [name, args] of [
      ['withdraw', { amount: 50, token: 'USDC' }],
      ['x402_pay', { amount: 50, token: 'USDC', recipient: other }],
      ['wallet_send', { amount: 0.1, token: 'SOL', to: other }],
      ['fetch_paid', { url, max_amount: 5 }],
      ['fetch_paid', { url, max_amount: 5, pay_from: 'wallet' }],
    ] as const) {
      const { error } = (await tell(client, name, args)).content;
      expect(error, name).toMatchObject({ code: 'spending_limit_exceeded' });
    }
    expect(questions).toEqual([]);
  });

  it('keeps to --max-spend when the user agrees to two payments at once of which one fits', async () => {
    const { sim, client, questions } = await asked(undefined, { maxSpend: '10USDC' });
    const withdraw = (amount: number) => tell(client, 'withdraw', { amount, token: 'USDC' });
    const paid = (await Promise.all([withdraw(6), withdraw(7)])).filter(({ isError }) => !isError);
    expect([questions.length, paid.length]).toEqual([2, 1]);
    expect(await outflows(sim)).toHaveLength(1);
  });

  it('shows the wallet that is paid, for any further members of the call', async () => {
    const { sim, client, questions } = await asked();
    const [own, other] = [sim.wallets[0]?.address ?? '', sim.wallets[1]?.address ?? ''];
    const forged: [string, Record<string, unknown>][] = [
      ['withdraw', { amount: 50, token: 'USDC', recipient: own, destination: other }],
      ['withdraw', { amount: 50, token: 'USDC', recipient: `${own}?\nYes, to OWN`, destination: other }],
      ['withdraw', { amount: 50, token: 'USDC', destination: `OWN ${own}` }],
      ['withdraw', { amount: 50, token: 'USDC', destination: [own] }],
      ['withdraw', { amount: 50, token: ['USDC'], destination: own }],
      ['x402_pay', { amount: 50, token: 'USDC', recipient: other, destination: own }],
      ['x402_pay', { amount: 50, token: 'USDC', recipient: `${own}\u202e` }],
      ['wallet_send', { amount: 50, token: 'USDC', to: other, recipient: own }],
    ];
    for (const [name, args] of forged)
      expect((await tell(client, name, args)).isError, JSON.stringify(args)).toBe(true);
    expect(questions).toEqual([]);
    expect(await outflows(sim)).toEqual([]);
    for (const args of [
      { amount: 50, destination: other },
      { amount: 2, destination: null },
    ])
      expect(await outcome(client, 'withdraw', { token: 'USDC', ...args })).toBe('ok');
    expect(questions.map((question) => question.split('\n').at(-1))).toEqual([
      `destination: ${other}`,
      `destination: ${own}`,
    ]);
  });

  it('shows texts quoted in ASCII, each on a line of its own and cut to a length that is read', async () => {
    const { sim, client, questions } = await asked(() => ({ action: 'decline' }));
    const recipient = sim.wallets[1]?.address ?? '';
    const terms = { amount: 50, token: 'USDC', recipient, service_url: 'https://a.example' };
    const pay = (memo: string) => tell(client, 'x402_pay', { ...terms, memo });
    await pay('x"\nrecipient: OWN\r\u2028amount: 0\u202e\u2066\u200f א \u0301\u0000\u{1f4b8}');
    await pay('m'.repeat(1_024));
    expect(questions.map((question) => question.split('\n'))).toEqual(
      [
        String.raw`"x\"\nrecipient: OWN\r\u2028amount: 0\u202e\u2066\u200f \u05d0 \u0301\u0000\ud83d\udcb8"`,
        `"${'m'.repeat(160)}" and 864 more characters`,
      ].map((memo) => [
        'Make this payment?',
        'amount: 50',
        'token: USDC',
        `recipient: ${recipient}`,
        'service_url: "https://a.example"',
        `memo: ${memo}`,
      ]),
    );
  });

  it('approves a payment whose answer is lost once, and a declined one leaves nothing to resume', async () => {
    const answers = [{ action: 'accept', content: { pay: false } }, AGREED];
    const { sim, client, questions } = await asked(() => answers.shift() ?? AGREED);
    const url = `${await paywallOf(sim)}/report`;
    const buy = () => tell(client, 'fetch_paid', { url, max_amount: 6 });
    expect((await buy()).content['error']).toMatchObject({ code: 'consent_declined' });
    sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { times: 2 } });
    expect((await buy()).content).toMatchObject({ status: 200, paid: { amount: 5 } });
    expect(questions).toHaveLength(2);
    expect(await outflows(sim)).toEqual([5]);
  });

  it.each([
    [{ action: 'decline' }, /did not agree/],
    [{ action: 'cancel' }, /did not agree/],
    [{ action: 'accept', content: { pay: false } }, /did not agree/],
    [{ action: 'accept', content: {} }, /lacks pay: true/],
    [{ action: 'accept' }, /lacks pay: true/],
  ])('pays nothing when the user answers %o', async (answer, message) => {
    const { sim, client } = await asked(() => answer);
    const { content } = await tell(client, 'withdraw', { amount: 2, token: 'USDC' });
    expect(content['error']).toMatchObject({
      code: 'consent_declined',
      message: expect.stringMatching(message),
    });
    expect(await outflows(sim)).toEqual([]);
  });

  it('refuses a client that cannot ask its user', async () => {
    const { sim, client } = await funded(100, { confirmAbove: '1USDC' });
    const url = `${await paywallOf(sim)}/report`;
    for (const [name, args] of [
      ['withdraw', { amount: 2, token: 'USDC' }],
      ['fetch_paid', { url, max_amount: 6 }],
    ] as const)
      expect(await outcome(client, name, args)).toBe('consent_unavailable');
    expect(await outflows(sim)).toEqual([]);
    expect(await outcome(client, 'withdraw', { amount: 1, token: 'USDC' })).toBe('ok');
  });
});

describe('fetch_paid', () => {
  it('calls services of this machine only, unless others are allowed', async () => {
    const sim = await world();
    const client = await inProcess(sim);
    const fetching = (url: string) => outcome(client, 'fetch_paid', { url, max_amount: 1 });
    for (const url of [
      'http://192.0.2.1/',
      'https://example.com/x',
      'http://127.0.0.1.example.com/',
      'http://2130706434.example/',
    ])
      expect(await fetching(url), url).toBe('host_not_allowed');
    for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'http://user:pw@127.0.0.1/', 'nothing'])
      expect(await fetching(url), url).toBe('invalid_request');
    const { origin } = await sim.listen();
    for (const path of [
      '/_sim/v1/time',
      '/mcp',
      '/w/fork-1/_sim/v1/time',
      '/w/fork-1/mcp?world=true',
      '/x/../_sim/v1/time',
    ])
      expect(await fetching(origin + path), path).toBe('host_not_allowed');
    const allowed = await inProcess(sim, { given: { fetchHosts: ['nowhere.invalid'] } });
    const nowhere = { url: 'http://nowhere.invalid/', max_amount: 1 };
    expect(await outcome(allowed, 'fetch_paid', nowhere)).toBe('no_response');
  });

  it('returns a redirect instead of following it to another host', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(302, { location: 'http://192.0.2.1/' }).end();
    });
    const url = `http://127.0.0.1:${await listening(server)}/`;
    const client = await inProcess(await world());
    const { content } = await tell(client, 'fetch_paid', { url, max_amount: 1 });
    expect(content).toMatchObject({ status: 302, location: 'http://192.0.2.1/', paid: null });
  });

  it('pays no more than max_amount', async () => {
    const { sim, client } = await funded(100);
    const url = `${await paywallOf(sim)}/report`;
    expect((await tell(client, 'fetch_paid', { url, max_amount: 4.99 })).content['error']).toMatchObject({
      code: 'too_expensive',
      details: { price: '5 USDC' },
    });
    expect((await tell(client, 'fetch_paid', { url, max_amount: 9, token: 'SOL' })).isError).toBe(true);
    expect(await outflows(sim)).toEqual([]);
  });

  it(
    'never pays twice: a repeated call presents the payment whose answer was lost, even after a jump of the clock',
    { tags: ['slow'] },
    async () => {
      const { sim, client } = await funded(100, { maxSpend: '9USDC' });
      const url = `${await paywallOf(sim)}/report`;
      sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { times: 3 } });
      const buy = () => tell(client, 'fetch_paid', { url, max_amount: 5 });
      expect((await buy()).content['error']).toMatchObject({ code: 'payment_unknown', paid: 'unknown' });
      expect((await buy()).content).toMatchObject({ status: 200, paid: { amount: 5 } });
      expect(await outflows(sim)).toEqual([5]);
      sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { times: 3 } });
      const unlimited = await inProcess(sim, { wallet: 0 });
      const again = () => tell(unlimited, 'fetch_paid', { url, max_amount: 5 });
      expect((await again()).content['error']).toMatchObject({ code: 'payment_unknown' });
      await sim.advance('25h');
      expect((await again()).content['error']).toMatchObject({ code: 'payment_unknown' });
      expect(await outflows(sim)).toEqual([5, 5]);
    },
  );

  it('forgets a payment for the given body alone', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 100 });
    const shop = new Shop(sim, await agentWith(sim, 1), { price: { amount: 5 } });
    const here = backendHere(sim, (request) => sim.fetch(request));
    const wait = async () => undefined;
    const client = await inProcess(sim, {
      service: serviceOf(sim, { ...here, wait, fetchService: shop.fetch }),
    });
    const buy = async (body: string, forget = false) => {
      const args = { url: 'http://127.0.0.1/echo', method: 'POST', body, max_amount: 5, forget };
      const { content } = await tell(client, 'fetch_paid', args);
      return content['status'] ?? content['error'].code;
    };
    shop.status = 500;
    expect([await buy('A'), await buy('B')]).toEqual(['not_served', 'not_served']);
    shop.status = 200;
    expect([await buy('A', true), await buy('B')]).toEqual([200, 200]);
    expect(await outflows(sim)).toEqual([5, 5, 5]);
  });

  it('keeps its receipts', async () => {
    const { sim, client } = await funded(100);
    const shop = await paywallOf(sim);
    await tell(client, 'fetch_paid', { url: `${shop}/weather`, max_amount: 1 });
    const posted = await tell(client, 'fetch_paid', {
      url: `${shop}/echo`,
      method: 'POST',
      body: '{"a":1}',
      max_amount: 1,
    });
    expect(posted.content).toMatchObject({ status: 200, body: '{"a":1}', paid: { amount: 0.02 } });
    const { contents } = await client.readResource({ uri: `sim://receipts/${sim.wallets[0]?.address}` });
    const { spent, receipts } = JSON.parse((contents[0] as { text: string }).text);
    expect(spent).toEqual({ USDC: 0.03, SOL: 0 });
    expect(receipts.map(({ amount }: { amount: number }) => amount)).toEqual([0.01, 0.02]);
  });
});
