import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import { buildTransaction, parseTransaction } from '../../../src/chain/solana/wire.js';
import { ENGINES, world } from '../../support/world.js';

/** So many notifications of the same transaction that the server gives others a turn between them. */
const OTHERS = 500;

describe.each(ENGINES)('the status of a transaction on %s', (engine) => {
  // @solana/web3.js polls it once it has subscribed, and rejects with the bare error of a transaction when it comes first.
  it.each(['before', 'after'])(
    'is sent after the notification of a subscription made %s the transaction',
    async (when) => {
      const sim = await world({ engine });
      const { wallet } = sim.agent(0);
      const { url, webSocketUrl } = await sim.listenRpc();
      const socket = new WebSocket(webSocketUrl);
      onTestFinished(() => socket.terminate());
      await once(socket, 'open');
      const methods: unknown[] = [];
      socket.on('message', (data: Buffer) =>
        methods.push((JSON.parse(data.toString('utf8')) as { method?: string }).method),
      );
      const subscribe = async (method: string, subject: string) => {
        const params = [subject, { commitment: 'confirmed' }];
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
        await once(socket, 'message');
      };
      for (let count = 0; count < OTHERS; count += 1) await subscribe('accountSubscribe', wallet.address);
      const { blockhash } = sim.chain.latestBlockhash();
      const bytes = buildTransaction(
        [transferLamports(wallet.address, wallet.address, 1n)],
        [wallet],
        blockhash,
      );
      const { signature } = parseTransaction(bytes);
      if (when === 'after') await sim.chain.sendTransaction(bytes);
      await subscribe('signatureSubscribe', signature);
      if (when === 'before') await sim.chain.sendTransaction(bytes);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'getSignatureStatuses',
          params: [[signature]],
        }),
      });
      expect(await response.json()).toMatchObject({ result: { value: [{ err: null }] } });
      expect(methods).toContain('signatureNotification');
    },
  );
});
