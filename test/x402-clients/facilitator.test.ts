import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { ENGINES, agentWith, expireBlockhashes, world } from '../support/world.js';
import { StandardPayer, quiet } from './standard-support.js';

interface Told {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(sim: Simulator, name: string, body?: unknown, method = 'POST'): Promise<Told> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await sim.fetch(`/facilitator/${name}`, { method, ...sent });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

interface Signed {
  readonly x402Version: 2;
  readonly paymentPayload: { readonly payload: { readonly transaction: string } };
  readonly paymentRequirements: Record<string, unknown>;
}

/** A payment by the standard client for the bank's own payment request, without a paywall. */
async function signed(sim: Simulator, amount = 1): Promise<Signed> {
  const { headers } = await sim.agent(1).requestPayment({ amount });
  const required = headers['PAYMENT-REQUIRED'] ?? '';
  const asked = new Response('{}', { status: 402, headers: { 'payment-required': required } });
  const header = (await (await StandardPayer.of(sim, 2)).sign(asked))['PAYMENT-SIGNATURE'] ?? '';
  const [paymentRequirements] = (
    JSON.parse(Buffer.from(required, 'base64').toString()) as { accepts: Record<string, unknown>[] }
  ).accepts;
  return {
    x402Version: 2,
    paymentPayload: JSON.parse(Buffer.from(header, 'base64').toString()) as Signed['paymentPayload'],
    paymentRequirements: paymentRequirements ?? {},
  };
}

describe('facilitator endpoints', () => {
  it('supports both versions on every network of the SDK, with its own address as fee payer', async () => {
    const sim = await world();
    const { body } = await ask(sim, 'supported', undefined, 'GET');
    const kinds = body['kinds'] as { x402Version: number; network: string; extra: { feePayer: string } }[];
    const feePayer = sim.bank.addresses.facilitator.address;
    expect(kinds.map(({ x402Version, network }) => `${x402Version} ${network}`).toSorted()).toEqual([
      '1 solana',
      '1 solana-devnet',
      '1 solana-testnet',
      '2 solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
      '2 solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      '2 solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    ]);
    expect(kinds.every(({ extra }) => extra.feePayer === feePayer)).toBe(true);
  });

  it("settles the bank's own PAYMENT-REQUIRED, which receive credits once", async () => {
    for (const network of ['mainnet', 'devnet'] as const) {
      const sim = await world({ variants: { network } });
      const service = await agentWith(sim, 1);
      const payment = await signed(sim, 1.5);
      expect(await ask(sim, 'verify', payment)).toMatchObject({
        status: 200,
        body: { isValid: true, payer: sim.wallets[2]?.address },
      });
      const { body } = await ask(sim, 'settle', payment);
      expect(body).toMatchObject({ success: true, payer: sim.wallets[2]?.address });
      const received = await service.receive({ tx_signature: body['transaction'] as string });
      expect(received).toMatchObject({ amount: 1.5, token: 'USDC', sender: sim.wallets[2]?.address });
      await expect(service.receive({ tx_signature: body['transaction'] as string })).rejects.toMatchObject({
        code: 'transaction_already_recorded',
      });
      expect((await service.account()).checking.usdc).toBe(1.5);
      expect(await sim.invariants()).toEqual([]);
    }
  });

  it('settles a payment once, and again after a revert', async () => {
    const sim = await world();
    const payment = await signed(sim);
    const before = await sim.snapshot();
    const settle = async () => (await ask(sim, 'settle', payment)).body;
    const { transaction } = await settle();
    const repeated = { success: false, errorReason: 'duplicate_settlement', transaction };
    expect(await settle()).toMatchObject(repeated);
    const cheaper = { ...payment, paymentRequirements: { ...payment.paymentRequirements, amount: '1' } };
    const other = (await ask(sim, 'settle', cheaper)).body;
    expect(other).toMatchObject({
      success: false,
      transaction: '',
      errorReason: expect.stringContaining('amount'),
    });
    const { usdcBase } = await sim.chain.balances(sim.wallets[2]?.address ?? '');
    expect(usdcBase).toBe(99_999_000_000n);
    await sim.revert(before);
    expect(await settle()).toMatchObject({ success: true });
  });

  it.each(ENGINES)(
    'does not verify what cannot be settled: a payment that was, and one that has expired, on %s',
    async (engine) => {
      const sim = await world({ engine });
      const payment = await signed(sim);
      const unpaid = await signed(sim, 2);
      const verify = async (sent: Signed) => (await ask(sim, 'verify', sent)).body;
      expect(await verify(payment)).toMatchObject({ isValid: true });
      expect(await verify(payment)).toMatchObject({ isValid: true });
      expect((await ask(sim, 'settle', payment)).body).toMatchObject({ success: true });
      expect(await verify(payment)).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_svm_transaction_simulation_failed',
        invalidMessage: expect.stringContaining('This transaction has already been processed'),
      });
      await expireBlockhashes(sim);
      expect(await verify(unpaid)).toMatchObject({
        isValid: false,
        invalidMessage: expect.stringContaining('Blockhash not found'),
      });
    },
  );

  it('rejects another amount, recipient, fee payer or memo, and a payer without funds', async () => {
    const sim = await world();
    const payment = await signed(sim);
    const verify = async (changes: Record<string, unknown>) => {
      const paymentRequirements = { ...payment.paymentRequirements, ...changes };
      return (await ask(sim, 'verify', { ...payment, paymentRequirements })).body['invalidReason'];
    };
    expect(await verify({ amount: '1000001' })).toContain('amount');
    expect(await verify({ payTo: sim.wallets[5]?.address })).toContain('recipient');
    expect(await verify({ extra: { feePayer: sim.wallets[5]?.address } })).toContain('fee_payer');
    expect(
      await verify({ extra: { ...(payment.paymentRequirements['extra'] as object), memo: 'x' } }),
    ).toContain('memo');
    await sim.setBalance(sim.wallets[2]?.address ?? '', 0.5, 'USDC');
    expect((await ask(sim, 'verify', payment)).body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_svm_transaction_simulation_failed',
      invalidMessage: expect.stringContaining('custom program error: 0x1'),
    });
  });

  it('reports a payment as pending until it is confirmed', async () => {
    quiet();
    const sim = await world({ confirmationSlots: 2 });
    const payment = await signed(sim);
    expect((await ask(sim, 'settle', payment)).body).toMatchObject({
      success: false,
      errorReason: expect.stringContaining('pending'),
    });
    await sim.advance('1s');
    expect((await ask(sim, 'settle', payment)).body).toMatchObject({ success: true });
  });

  it('waits for confirmation on a running clock', async () => {
    const sim = await world({ time: 'real', confirmationSlots: 1 });
    // The first slots count as confirmed immediately.
    await sim.advance('4s');
    const { body } = await ask(sim, 'settle', await signed(sim));
    expect(body).toMatchObject({ success: true });
    const record = sim.chain.getTransaction(body['transaction'] as string);
    expect(sim.chain.slot()).toBeGreaterThan(record?.slot ?? Infinity);
  });

  it('rejects malformed calls and payments without reporting a bug', async () => {
    quiet();
    const bugs: unknown[] = [];
    const sim = await world({}, { onBug: (bug) => bugs.push(bug) });
    const refusal = (status: number, code: string) => ({ status, body: { code } });
    const read = await ask(sim, 'verify', undefined, 'GET');
    expect(read).toMatchObject(refusal(405, 'method_not_allowed'));
    expect(await ask(sim, 'refund', {})).toMatchObject(refusal(404, 'not_found'));
    for (const body of ['', 'null', '[]', '{}', '{"paymentPayload":{}}'])
      expect(await ask(sim, 'settle', body)).toMatchObject(refusal(400, 'invalid_request'));
    const large = await ask(sim, 'settle', `"${'x'.repeat(70_000)}"`);
    expect(large).toMatchObject(refusal(413, 'payload_too_large'));
    const payment = await signed(sim);
    const mutated = fc.record({
      member: fc.constantFrom('x402Version', 'payload', 'accepted', 'resource'),
      requirement: fc.constantFrom(...Object.keys(payment.paymentRequirements)),
      value: fc.json().map((text) => JSON.parse(text) as unknown),
      at: fc.nat(payment.paymentPayload.payload.transaction.length - 1),
      kind: fc.constantFrom('payload', 'requirements', 'transaction'),
      name: fc.constantFrom('verify', 'settle'),
    });
    await fc.assert(
      fc.asyncProperty(mutated, async ({ member, requirement, value, at, kind, name }) => {
        const { paymentPayload, paymentRequirements } = payment;
        const { transaction } = paymentPayload.payload;
        const flipped = `${transaction.slice(0, at)}${transaction[at] === 'A' ? 'B' : 'A'}${transaction.slice(at + 1)}`;
        const changed = {
          payload: { ...payment, paymentPayload: { ...paymentPayload, [member]: value } },
          requirements: { ...payment, paymentRequirements: { ...paymentRequirements, [requirement]: value } },
          transaction: {
            ...payment,
            paymentPayload: { ...paymentPayload, payload: { transaction: flipped } },
          },
        }[kind];
        const { status, body } = await ask(sim, name, changed);
        expect(status).toBe(200);
        expect(typeof (name === 'verify' ? body['isValid'] : body['success'])).toBe('boolean');
      }),
      { seed: 402, numRuns: 400 },
    );
    expect(bugs).toEqual([]);
  });

  it('is served on the API port and reports its requests like others', async () => {
    const told: string[] = [];
    const sim = await world(
      {},
      { onAnswer: ({ path, status, code }) => told.push(`${path} ${status} ${code}`) },
    );
    const { origin } = await sim.listen();
    expect((await fetch(`${origin}/facilitator/supported`)).status).toBe(200);
    const empty = { paymentPayload: {}, paymentRequirements: {} };
    await fetch(`${origin}/facilitator/verify`, { method: 'POST', body: JSON.stringify(empty) });
    expect(told).toEqual(['/facilitator/supported 200 null', '/facilitator/verify 200 invalid_payload']);
  });

  it('explains a settlement with its payment and transaction, and a refusal with its reason', async () => {
    const sim = await world({ history: 5 });
    const payment = await signed(sim, 1.5);
    const { body } = await ask(sim, 'settle', payment);
    const settled = sim.explain('fac_00000001');
    const payer = sim.wallets[2]?.address ?? '';
    expect(settled?.text).toContain(`"payer":"${payer}","amount":"1500000"`);
    expect(settled?.text).toContain(`Transaction ${String(body['transaction'])} ran in slot`);
    expect(JSON.parse(settled?.answer ?? '')).toEqual(body);
    const refused = await ask(sim, 'verify', payment);
    const { text, answer } = sim.explain('fac_00000002') ?? {};
    expect(text).toMatch(/simulation_failed: This transaction has already been processed.*\nWhat to do: /);
    expect(JSON.parse(answer ?? '')).toEqual(refused.body);
  });

  it("settles for a fork on the fork's chain", async () => {
    const sim = await world();
    const payment = await signed(sim);
    const { id, fork } = await sim.openFork();
    const wallet = sim.wallets[2]?.address ?? '';
    const had = (await sim.chain.balances(wallet)).usdcBase;
    const settled = await sim.fetch(`/w/${id}/facilitator/settle`, {
      method: 'POST',
      body: JSON.stringify(payment),
    });
    expect(await settled.json()).toMatchObject({ success: true });
    expect(had - (await fork.chain.balances(wallet)).usdcBase).toBe(1_000_000n);
    expect((await sim.chain.balances(wallet)).usdcBase).toBe(had);
    expect((await ask(sim, 'settle', payment)).body).toMatchObject({ success: true });
  });

  it('answers not_on_a_cluster on a cluster', async () => {
    const chain = await world();
    const { url } = await chain.listenRpc();
    const treasuryKey = chain.wallets[0]?.secretKey ?? '';
    const sim = await world({ engine: 'cluster', time: undefined, clusterUrl: url, treasuryKey });
    expect(await ask(sim, 'supported', undefined, 'GET')).toMatchObject({
      status: 404,
      body: { code: 'not_on_a_cluster' },
    });
  });
});
