import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/mcp/backend.js';
import { backendHere } from '../../src/mcp/in-process.js';
import { backendAt } from '../../src/mcp/remote.js';
import { SYSTEM_PROGRAM, SYSVARS, TOKEN_PROGRAM } from '../../src/chain/solana/addresses.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { KeyRing } from '../../src/world/keys.js';
import { deployed } from '../support/programs.js';
import { ENGINES, expireBlockhashes, world } from '../support/world.js';
import { inProcess, serviceOf, tell } from './support.js';

type Place = 'in process' | 'over HTTP';

async function backendOf(sim: Simulator, place: Place): Promise<Backend> {
  if (place === 'in process') return backendHere(sim, (request) => sim.fetch(request));
  const { origin } = await sim.listen();
  await sim.listenRpc();
  return backendAt(origin, undefined);
}

/** A client that may spend 10 USDC, and a call of `wallet_send` by it to the second wallet. */
async function sender(sim: Simulator, place: Place) {
  const service = serviceOf(sim, await backendOf(sim, place));
  const client = await inProcess(sim, { service, given: { maxSpend: '10USDC' } });
  const to = sim.wallets[1]?.address ?? '';
  const send = async (amount: number, more: object = {}) =>
    (await tell(client, 'wallet_send', { to, amount, token: 'USDC', ...more })).content;
  const received = async () => Number((await sim.chain.balances(to)).usdcBase) / 1e6;
  const before = await received();
  return { send, received: async () => (await received()) - before };
}

describe.each(ENGINES)('wallet_send on %s', (engine) => {
  describe.each(['in process', 'over HTTP'] as const)('%s', (place) => {
    it('returns the chain’s refusal, which does not count as spent', async () => {
      const sim = await world({ engine });
      await sim.setBalance(sim.wallets[0]?.address ?? '', 5, 'USDC');
      const { send, received } = await sender(sim, place);
      expect((await send(9)).error).toMatchObject({
        code: 'transaction_failed',
        message: expect.stringContaining('custom program error: 0x1'),
        details: { transaction_error: { InstructionError: [2, { Custom: 1 }] } },
      });
      expect((await send(5)).tx_signature).toEqual(expect.any(String));
      expect(await received()).toBe(5);
    });

    it('sends again under a key what a revert has undone', async () => {
      const sim = await world({ engine });
      const { send, received } = await sender(sim, place);
      const id = await sim.snapshot();
      for (let round = 0; round < 2; round += 1) {
        const { tx_signature } = await send(3, { idempotency_key: 'k' });
        expect(tx_signature).toEqual(expect.any(String));
        expect(await received()).toBe(3);
        await send(3, { idempotency_key: 'k' });
        expect(await received()).toBe(3);
        await sim.revert(id);
      }
    });

    it('sends nothing to a program or a sysvar', async () => {
      const sim = await world({ engine });
      const { send } = await sender(sim, place);
      const keys = new KeyRing('payee');
      const [program, payer] = [keys.derive('program'), keys.derive('payer')];
      await sim.faucet(payer.address, 5, 'SOL');
      await deployed(sim, { program, payer }, memoProgram());
      for (const to of [program.address, TOKEN_PROGRAM, SYSTEM_PROGRAM, SYSVARS.clock])
        for (const token of ['USDC', 'SOL'])
          expect((await send(1, { to, token })).error, `${token} ${to}`).toMatchObject({
            code: 'invalid_wallet',
          });
      expect((await send(10)).tx_signature).toEqual(expect.any(String));
    });

    it('sends once under a key, and refuses the key for another transfer', async () => {
      const sim = await world({ engine });
      const { send, received } = await sender(sim, place);
      const key = { idempotency_key: 'k1' };
      const first = await Promise.all([send(2, key), send(2, key), send(2, key)]);
      await expireBlockhashes(sim);
      const all = [...first, await send(2, key)].map(({ tx_signature }) => tx_signature);
      expect(new Set(all)).toEqual(new Set([expect.stringMatching(/^\w{64,88}$/)]));
      expect((await send(3, key)).error).toMatchObject({ code: 'idempotency_key_reused' });
      expect(await received()).toBe(2);
      expect((await send(8, { idempotency_key: 'k2' })).error).toBe(undefined);
      expect(await received()).toBe(10);
    });
  });

  it('sends once under a key when answers are lost, and counts it once', async () => {
    const sim = await world({ engine });
    const { send, received } = await sender(sim, 'over HTTP');
    const key = { idempotency_key: 'k1' };
    sim.faults.add({ rpc: 'sendTransaction', effect: 'lose-response', when: { times: 1 } });
    expect((await send(6, key)).error).toMatchObject({ code: 'no_response' });
    expect((await send(6, key)).tx_signature).toEqual(expect.any(String));
    expect(await received()).toBe(6);
    expect((await send(4)).error).toBe(undefined);
    expect((await send(0.01)).error).toMatchObject({ code: 'spending_limit_exceeded' });
  });

  it('never sends again what may have been sent when its blockhash has expired', async () => {
    const sim = await world({ engine });
    const { send, received } = await sender(sim, 'over HTTP');
    const key = { idempotency_key: 'k1' };
    sim.faults.add({ rpc: 'sendTransaction', effect: 'lose-response', when: { times: 1 } });
    await send(6, key);
    await expireBlockhashes(sim);
    expect((await send(6, key)).error).toMatchObject({
      code: 'payment_unknown',
      details: { tx_signature: expect.any(String) },
    });
    expect(await received()).toBe(6);
  });

  it('counts a transfer that ran before its node answered with an error', async () => {
    const sim = await world({ engine });
    const { send, received } = await sender(sim, 'over HTTP');
    sim.faults.add({
      rpc: 'sendTransaction',
      effect: 'replace-response',
      phase: 'after-commit',
      code: '-32005',
    });
    expect((await send(6)).error).toMatchObject({ code: 'transaction_failed' });
    expect((await send(6)).error).toMatchObject({ code: 'spending_limit_exceeded' });
    expect(await received()).toBe(6);
  });
});
