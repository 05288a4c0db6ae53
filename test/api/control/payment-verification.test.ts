import { describe, expect, it } from 'vitest';
import { MEMO_PROGRAM } from '../../../src/chain/solana/addresses.js';
import { associatedTokenAddress } from '../../../src/chain/solana/token-accounts.js';
import { transferTokens } from '../../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../../src/chain/solana/wire.js';
import { encodeHeader } from '../../../src/core/domain/payment-request.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, agentWith, controlOf, world, worldWithAgent } from '../../support/world.js';

function verifier(sim: Simulator) {
  return async (header: string) => {
    const { kind, valid, checks } = await controlOf(sim).do('verifyPayment', { query: { header } });
    const named = (verdict: string) =>
      checks.flatMap((check) => (check.verdict === verdict ? [check.name] : []));
    return { kind, valid, checks, failed: named('failed'), open: named('open') };
  };
}

async function paid(engine: (typeof ENGINES)[number]) {
  const { sim, agent: payer } = await worldWithAgent({ usdc: 100, engine });
  const service = await agentWith(sim, 1);
  const { payment_request: request } = await service.requestPayment({ amount: 2.5, token: 'USDC' });
  const { receipt } = await payer.pay({
    recipient: service.wallet.address,
    amount: 2.5,
    token: 'USDC',
    payment_request: encodeHeader(request),
  });
  return { sim, payer, service, request, receipt, verify: verifier(sim) };
}

describe.each(ENGINES)('the verification of payments on %s', (engine) => {
  it('passes what the bank has issued, encoded or as JSON', async () => {
    const { verify, receipt, request } = await paid(engine);
    expect(await verify(encodeHeader(receipt))).toMatchObject({
      kind: 'receipt',
      valid: true,
      failed: [],
      open: [],
    });
    expect(await verify(JSON.stringify(receipt))).toMatchObject({ valid: true, open: ['encoding'] });
    expect(await verify(encodeHeader(request))).toMatchObject({ kind: 'request', valid: true, failed: [] });
  });

  it('reads the receipt of a payment again, as it was issued, and none of what is no payment', async () => {
    const { sim, receipt, verify } = await paid(engine);
    const control = controlOf(sim);
    const { entries } = await control.do('journalEntries', { query: { kind: 'outflow.pending' } });
    const [payment] = entries;
    const again = await control.do('receipt', { id: String(payment?.entry) });
    expect(again.receipt).toEqual(receipt);
    expect(await verify(again.header)).toMatchObject({ kind: 'receipt', valid: true, open: [] });
    for (const id of ['1', '0', '99999', '-1', 'one', '1e9', '9'.repeat(30)])
      await expect(control.do('receipt', { id })).rejects.toMatchObject({ code: 'receipt_not_found' });
  });

  it('names each field that does not agree, with what was expected', async () => {
    const { verify, receipt, request, sim } = await paid(engine);
    const more = await verify(encodeHeader({ ...receipt, amount: 3 }));
    expect(more.valid).toBe(false);
    expect(more.failed).toEqual([
      "signature is the issuer's",
      'amount on the books',
      'amount that arrived at pay_to',
    ]);
    expect(more.checks.find(({ name }) => name === 'amount on the books')).toMatchObject({
      expected: 2.5,
      got: 3,
    });
    const foreign = await verify(encodeHeader({ ...receipt, issuer: receipt.payer }));
    expect(foreign.failed).toEqual(['issuer is the bank', "signature is the issuer's"]);
    expect((await verify(encodeHeader({ ...receipt, tx_signature: 'none' }))).failed).toContain(
      'payment is on the books',
    );
    const { memo: _memo, ...lacking } = receipt;
    expect((await verify(encodeHeader({ ...lacking, more: 1 }))).failed).toEqual(['memo', 'other members']);
    await sim.advance('1h');
    expect((await verify(encodeHeader(request))).failed).toEqual(['not expired']);
  });

  it('checks payments of standard x402 in both versions', async () => {
    const { sim, verify, payer, service, request } = await paid(engine);
    const { usdcMint, network } = sim.facts;
    const facilitator = sim.bank.addresses.facilitator.address;
    const { blockhash } = sim.chain.latestBlockhash();
    const transfer = transferTokens(
      payer.wallet.address,
      request.pay_to,
      { mint: usdcMint, amountBase: 2_500_000n, decimals: 6 },
      payer.wallet.address,
    );
    const memo = { program: MEMO_PROGRAM, accounts: [], data: new TextEncoder().encode(request.request_id) };
    const unsigned = { address: facilitator, sign: () => new Uint8Array(64) };
    const bytes = buildTransaction([transfer, memo], [unsigned, payer.wallet], blockhash);
    const payload = { transaction: Buffer.from(bytes).toString('base64') };
    const accepted = {
      scheme: 'exact',
      network,
      amount: '2500000',
      asset: usdcMint,
      payTo: request.pay_to,
      maxTimeoutSeconds: 60,
      extra: { feePayer: facilitator, memo: request.request_id },
    };
    const two = await verify(encodeHeader({ x402Version: 2, accepted, payload }));
    expect(two).toMatchObject({ kind: 'payment', valid: true, failed: [], open: [] });
    const one = await verify(encodeHeader({ x402Version: 1, scheme: 'exact', network: 'solana', payload }));
    expect(one).toMatchObject({ kind: 'payment', valid: true, failed: [] });
    const less = { ...accepted, amount: '9', payTo: service.wallet.address };
    const cheap = await verify(encodeHeader({ x402Version: 2, accepted: less, payload }));
    expect(cheap.failed).toEqual(['amount in base units', 'recipient token account']);
    expect(cheap.checks.find(({ name }) => name === 'recipient token account')).toMatchObject({
      expected: associatedTokenAddress(service.wallet.address, usdcMint),
      got: associatedTokenAddress(request.pay_to, usdcMint),
    });
    const torn = Buffer.from(bytes);
    torn[1 + 64] = (torn[1 + 64] ?? 0) ^ 1;
    const forged = { transaction: torn.toString('base64') };
    expect((await verify(encodeHeader({ x402Version: 2, accepted, payload: forged }))).failed).toEqual([
      'signature of the payer',
    ]);
  });
});

describe('the verification of payments', () => {
  it('says what is wrong with hostile headers, and never fails itself', async () => {
    const sim = await world();
    const verify = verifier(sim);
    const hostile = [
      'x',
      '{',
      '{}',
      '[]',
      'null',
      '🂡',
      encodeHeader([]),
      encodeHeader({}),
      encodeHeader({ x402Version: 3 }),
      encodeHeader({ x402Version: 2 }),
      encodeHeader({ x402Version: 2, accepted: 'x', payload: { transaction: 'AAAA' } }),
      encodeHeader({ x402Version: 1, payload: null }),
      encodeHeader({ payment_id: {}, amount: '1' }),
      encodeHeader({ request_id: null }),
      JSON.stringify({ __proto__: null, payment_id: 1, constructor: 2 }),
    ];
    for (const header of hostile) expect([header, (await verify(header)).valid]).toEqual([header, false]);
    const response = await sim.fetch(`/_sim/v1/x402/verification?header=${'A'.repeat(9_000)}`);
    expect(response.status).toBe(400);
  });
});
