import type { EventEmitter } from 'node:events';
import * as spl from '@solana/spl-token';
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { connected, funded, send, transfer } from './clients.js';
import { servingSuite } from '../cli/process.js';
import { secretOf } from './support.js';
import { ENGINES } from '../support/world.js';
import { closed } from '../support/waiting.js';

/** A connection's WebSocket. */
interface Socket extends EventEmitter {
  call(method: string, params: unknown): Promise<unknown>;
}

describe('@solana/web3.js against sim start', () => {
  const server = servingSuite();

  /** Pays 100 times, and gives the WebSocket calls that were refused. A notification after the client has unsubscribed has no effect. */
  async function pay100Times(notifications: 'in time' | 'too late'): Promise<unknown[]> {
    const connection = connected(server().ready.rpcUrl);
    const alice = await funded(connection);
    const { _rpcWebSocket: socket } = connection as unknown as { _rpcWebSocket: Socket };
    const refused: unknown[] = [];
    const call = socket.call.bind(socket);
    socket.call = (method, params) =>
      call(method, params).catch((error: unknown) => {
        refused.push([method, error]);
        // The client would repeat the request endlessly.
        return new Promise(() => undefined);
      });
    if (notifications === 'too late') socket.removeAllListeners('signatureNotification');
    const bob = Keypair.generate().publicKey;
    for (let run = 1; run <= 100 && refused.length === 0; run += 1) {
      await send(connection, alice, transfer(alice, bob, 1_000_000 + run));
    }
    await closed(connection);
    return refused;
  }

  it(
    'confirms 100 transactions each of two clients, of which one gets its notifications too late, without a refused call',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      expect(await Promise.all([pay100Times('in time'), pay100Times('too late')])).toEqual([[], []]);
    },
  );
});

describe.each(ENGINES)('@solana/web3.js against sim start on %s', (engine) => {
  const server = servingSuite('--engine', engine);

  it('deposits SOL and USDC into the bank from a dev wallet', async () => {
    const connection = connected(server().ready.rpcUrl);
    const { ready, agent } = server();
    const [alice, customer] = [Keypair.fromSecretKey(secretOf(ready, 0)), agent(0)];
    const treasury = new PublicKey(ready.treasury);
    const sol = await send(connection, alice, transfer(alice, treasury, 1.5 * LAMPORTS_PER_SOL));
    const mint = new PublicKey(ready.usdcMint);
    const [from, to] = [alice.publicKey, treasury].map((owner) =>
      spl.getAssociatedTokenAddressSync(mint, owner),
    ) as [PublicKey, PublicKey];
    const usdc = await spl.transferChecked(connection, alice, from, mint, to, alice, 25_000_000, 6);
    await customer.deposit({ amount: 1.5, token: 'SOL', tx_signature: sol });
    const deposit = { amount: 25, token: 'USDC', tx_signature: usdc } as const;
    expect(await customer.deposit(deposit)).toMatchObject({ success: true, deposit });
    expect((await customer.account()).checking).toEqual({ usdc: 25, sol: 1.5 });
    await expect(customer.deposit(deposit)).rejects.toMatchObject({ code: 'transaction_already_recorded' });
  });
});
