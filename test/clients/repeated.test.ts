// @module-tag slow
import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { connected, funded, send, transfer } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';

const ROUNDS = 10;
const LAMPORTS = 1_000_000;

describe.each(ENGINES)(`${ROUNDS} times in a row on %s, @solana/web3.js`, (engine) => {
  const ready = simulator(engine);

  it('sends an equal payment, with its own cache of blockhashes', async () => {
    const connection = connected(ready().rpcUrl);
    const payer = await funded(connection);
    const to = Keypair.generate().publicKey;
    for (let round = 0; round < ROUNDS; round += 1)
      await send(connection, payer, transfer(payer, to, LAMPORTS));
    expect(await connection.getBalance(to)).toBe(ROUNDS * LAMPORTS);
  }, 60_000);

  it('receives the notification of a subscription made just before sending', async () => {
    const connection = connected(ready().rpcUrl);
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
  }, 60_000);
});
