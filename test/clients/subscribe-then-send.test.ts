// @module-tag slow
import * as kit from '@solana/kit';
import { Connection, Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { closed } from '../support/waiting.js';

/** `npm run soak` repeats it 200 times. */
const ROUNDS = Number(process.env['EQUAL_PAYMENTS'] ?? 20);
const LAMPORTS = 1_000_000;

describe.each(ENGINES)(
  `${ROUNDS} notifications of subscriptions made just before sending on %s`,
  (engine) => {
    const ready = simulator(engine);

    it('reach @solana/web3.js', async () => {
      const { rpcUrl, webSocketUrl } = ready();
      const connection = new Connection(rpcUrl, { wsEndpoint: webSocketUrl, commitment: 'confirmed' });
      for (let round = 0; round < ROUNDS; round += 1) {
        const { publicKey } = Keypair.generate();
        let id = -1;
        const notified = new Promise<number>((resolve) => {
          id = connection.onAccountChange(publicKey, ({ lamports }) => resolve(lamports));
        });
        await connection.requestAirdrop(publicKey, LAMPORTS);
        expect(await notified).toBe(LAMPORTS);
        await connection.removeAccountChangeListener(id);
      }
      await closed(connection);
    }, 60_000);

    it('reach @solana/kit', async () => {
      const { rpcUrl } = ready();
      const rpc = kit.createSolanaRpc(rpcUrl) as unknown as kit.Rpc<kit.RequestAirdropApi>;
      const rpcSubscriptions = kit.createSolanaRpcSubscriptions(rpcUrl.replace('http', 'ws'));
      for (let round = 0; round < ROUNDS; round += 1) {
        const { address } = await kit.generateKeyPairSigner();
        const ending = new AbortController();
        const stream = await rpcSubscriptions
          .accountNotifications(address, { commitment: 'confirmed' })
          .subscribe({ abortSignal: ending.signal });
        await rpc.requestAirdrop(address, kit.lamports(BigInt(LAMPORTS))).send();
        for await (const { value } of stream) {
          expect(value.lamports).toBe(BigInt(LAMPORTS));
          break;
        }
        ending.abort();
      }
    }, 60_000);
  },
);
