import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/chain/solana/wire.js';
import {
  MemoryStorage,
  type Settled,
  type StandardFacilitator,
  type StandardPayment,
} from '../../../src/sdk/x402/index.js';
import { type StandardTerms, StandardPayer } from '../../../src/sdk/x402/standard/standard-payer.js';
import { keyPairOf } from '../../../src/world/keys.js';
import { agentWith, world } from '../../support/world.js';
import { Shop, answered } from './support.js';

/** A shop with a facilitator that settles on the world's chain and names what was settled before, as the simulator's does; and a payer. */
async function standard() {
  const sim = await world();
  const chain = { latestBlockhash: async () => sim.chain.latestBlockhash() };
  const wallet = keyPairOf(bs58.decode(sim.wallets[2]?.secretKey ?? ''));
  const payer = new StandardPayer({ wallet, chain, usdcMint: sim.facts.usdcMint });
  /** The response of the next settlement instead of its result. */
  const line: { instead: ((txSignature: string) => Settled | Promise<Settled>) | null } = { instead: null };
  const signed = ({ paymentPayload }: StandardPayment) => {
    const { payload } = paymentPayload as { readonly payload: { readonly transaction: string } };
    const bytes = Buffer.from(payload.transaction, 'base64');
    const own = sim.bank.addresses.facilitator.sign(parseTransaction(bytes).message);
    bytes.set(own, 1);
    const txSignature = bs58.encode(own);
    return { bytes, txSignature, isNew: sim.chain.getTransaction(txSignature) === null };
  };
  const facilitator: StandardFacilitator = {
    verify: async (payment) =>
      signed(payment).isNew
        ? { kind: 'valid', payer: wallet.address }
        : { kind: 'invalid', reason: 'already processed' },
    settle: async (payment) => {
      const { bytes, txSignature, isNew } = signed(payment);
      const params = [bytes.toString('base64'), { encoding: 'base64', skipPreflight: true }];
      const message = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params };
      if (isNew) await sim.rpc(JSON.stringify(message));
      const { instead } = line;
      line.instead = null;
      if (instead !== null) return instead(txSignature);
      const result = { success: true, transaction: txSignature, payer: wallet.address };
      return { kind: isNew ? 'settled' : 'repeated', txSignature, result };
    },
  };
  const storage = new MemoryStorage({ nowMs: () => sim.now().getTime() });
  const shop = new Shop(sim, await agentWith(sim, 1), { facilitator, storage });
  const sign = async (changes: Partial<StandardTerms> = {}) => {
    const terms = (await payer.termsOf(await shop.fetch('/weather')))[0] as StandardTerms;
    const { name, value } = await payer.sign({ ...terms, ...changes });
    return { [name]: value };
  };
  const buy = async (headers: Record<string, string>) => answered(await shop.fetch('/weather', { headers }));
  const credited = async () => (await shop.account.account()).checking.usdc;
  return { sim, shop, storage, payer: wallet.address, line, sign, buy, credited };
}

describe('paywall for standard payments that were settled and not served', () => {
  it('serves and credits a payment that is sent again after it was pending, its response was lost, or it was not credited', async () => {
    const { sim, shop, payer, line, sign, buy, credited } = await standard();
    const { served } = shop;
    const reason = 'connection reset';
    const payment = expect.stringMatching(/^standard\//) as string;
    for (const [at, [instead, code]] of (
      [
        [(txSignature) => ({ kind: 'pending', txSignature, reason }), 'chain_unavailable'],
        [() => ({ kind: 'unreachable', reason }), 'facilitator_unavailable'],
        [null, 'chain_unavailable'],
      ] as [typeof line.instead, string][]
    ).entries()) {
      const headers = await sign();
      line.instead = instead;
      const busy = { effect: 'replace-response', status: 503, when: { times: 1 } } as const;
      if (instead === null) sim.faults.add({ endpoint: 'x402Receive', ...busy });
      expect(await buy(headers)).toMatchObject({ status: 503, code, details: { payment }, asked: null });
      expect(await credited()).toBe(0.25 * at);
      expect(await buy(headers)).toMatchObject({ status: 200, body: { payer } });
      expect(await credited()).toBe(0.25 * (at + 1));
      expect(await buy(headers)).toMatchObject({ status: 402, code: 'payment_used', details: { payment } });
    }
    expect(shop.served - served).toBe(6);
  });

  it('serves a payment whose settlement ended in a crash once its owner releases it', async () => {
    const { shop, storage, line, sign, buy, credited } = await standard();
    const headers = await sign();
    await new Promise<void>((resolve) => {
      line.instead = () => {
        resolve();
        return new Promise<Settled>(() => undefined);
      };
      void shop.fetch('/weather', { headers });
    });
    const { code, details } = await buy(headers);
    expect(code).toBe('payment_used');
    storage.release(details['payment'] as string);
    expect(await buy(headers)).toMatchObject({ status: 200 });
    expect(await credited()).toBe(0.25);
  });

  it('does not serve a payment of another amount, or to another address, whatever its facilitator says', async () => {
    const { shop, sim, sign, buy, credited } = await standard();
    const { address: payTo } = sim.bank.addresses.treasury;
    for (const [changes, reason] of [
      [{ amountBase: 1n }, 'amount_mismatch'],
      [{ payTo }, 'transaction_not_to_bank'],
    ] as const) {
      const headers = await sign(changes);
      for (let round = 0; round < 2; round += 1)
        expect(await buy(headers)).toMatchObject({ status: 503, details: { reason } });
      expect(shop.problems.splice(0)).toMatchObject([{ code: reason }, { code: reason }]);
    }
    expect(await credited()).toBe(0);
    expect(await sim.invariants()).toEqual([]);
  });

  it('does not serve a payment without a memo that was settled before, which another paywall may have served', async () => {
    const { shop, sim, line, sign, buy, credited } = await standard();
    const offer = (await (await shop.fetch('/weather')).json()) as { accepts: Record<string, unknown>[] };
    const headers = await sign({
      version: 1,
      memo: null,
      accepted: offer.accepts[0] ?? {},
      network: 'solana',
    });
    line.instead = () => ({ kind: 'unreachable', reason: 'connection reset' });
    expect(await buy(headers)).toMatchObject({ status: 503, code: 'facilitator_unavailable' });
    expect(await buy(headers)).toMatchObject({ status: 402, code: 'payment_invalid' });
    expect(await credited()).toBe(0);
    expect(await sim.invariants()).toEqual([]);
  });
});
