// @module-tag slow
import * as kit from '@solana/kit';
import { type Connection, Keypair, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { KitClient, connected, funded, kitAddress, kitTransfer, send, transfer } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';

const ROUNDS = 10;
const LAMPORTS = 1_000_000;

async function confirmedOne(connection: Connection, payer: Keypair, instruction: TransactionInstruction) {
  const latest = await connection.getLatestBlockhash();
  const payment = new Transaction({ feePayer: payer.publicKey, ...latest }).add(instruction);
  payment.sign(payer);
  const signature = await connection.sendRawTransaction(payment.serialize());
  expect((await connection.confirmTransaction({ signature, ...latest })).value.err).toBeNull();
}

describe.each(ENGINES)(`${ROUNDS} equal payments in a row on %s`, (engine) => {
  const ready = simulator(engine);

  it.each([
    ['each confirmed before the next', confirmedOne],
    ['with its own cache of blockhashes', send],
  ])(
    'are accepted from @solana/web3.js, %s',
    async (_how, pay) => {
      const connection = connected(ready().rpcUrl);
      const payer = await funded(connection);
      const to = Keypair.generate().publicKey;
      for (let round = 0; round < ROUNDS; round += 1)
        await pay(connection, payer, transfer(payer, to, LAMPORTS));
      expect(await connection.getBalance(to)).toBe(ROUNDS * LAMPORTS);
    },
    60_000,
  );

  it('are accepted from @solana/kit, each confirmed before the next', async () => {
    const client = new KitClient(ready().rpcUrl);
    const source = await client.funded();
    const destination = await kitAddress();
    const payment = kitTransfer(source, destination, LAMPORTS);
    for (let round = 0; round < ROUNDS; round += 1) await client.send(source, payment);
    expect(await client.balance(destination)).toBe(BigInt(ROUNDS * LAMPORTS));
  }, 60_000);
});

describe.each(ENGINES)(
  `${ROUNDS} notifications of subscriptions made just before sending on %s`,
  (engine) => {
    const ready = simulator(engine);

    it('reach @solana/web3.js', async () => {
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

    it('reach @solana/kit', async () => {
      const { rpc, rpcSubscriptions } = new KitClient(ready().rpcUrl);
      for (let round = 0; round < ROUNDS; round += 1) {
        const address = await kitAddress();
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
