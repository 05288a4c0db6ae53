// @module-tag slow
import * as kit from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS,
  SYSTEM_PROGRAM_ADDRESS,
  isSystemError,
} from '@solana-program/system';
import { describe, expect, it } from 'vitest';
import { KitClient, kitAddress, kitTransfer } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { FEE } from '../support/waiting.js';

const SOL = 1_000_000_000n;
const PAID = 100_000_000n;
const COST = BigInt(FEE);
const PREFLIGHT_FAILURE = kit.SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE;

describe.each(ENGINES)('@solana/kit on %s', (engine) => {
  const sim = simulator(engine);

  it('airdrops, sends, confirms and reads the transaction back', async () => {
    // The HTTP port serves WebSockets, too; the other test uses the WebSocket port.
    const client = new KitClient(sim().rpcUrl);
    const { rpc } = client;
    const alice = await client.funded();
    const bob = await kitAddress();
    const pay = kitTransfer(alice, bob, PAID);
    const signature = await client.send(alice, pay, getAddMemoInstruction({ memo: 'hello' }));
    expect(await client.balance(bob)).toBe(PAID);
    expect(await client.balance(alice.address)).toBe(SOL - PAID - COST);
    const sent = await rpc
      .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
      .send();
    expect(sent?.meta).toMatchObject({ err: null, fee: COST });
    expect(sent?.transaction.message.instructions).toMatchObject([
      { program: 'system', parsed: { type: 'transfer', info: { lamports: PAID } } },
      { program: 'spl-memo', parsed: 'hello' },
    ]);
    const [newest] = await rpc.getSignaturesForAddress(bob).send();
    expect(newest).toMatchObject({ signature, memo: '[5] hello', err: null });
    await client.send(alice, pay);
    expect(await client.balance(bob)).toBe(2n * PAID);
    const { value } = await rpc.getAccountInfo(alice.address, { encoding: 'base64' }).send();
    expect(value).toMatchObject({ rentEpoch: 18446744073709551615n, space: 0n });
  });

  it('receives typed errors of programs, the runtime and blockhash lifetimes', async () => {
    const client = new KitClient(sim().rpcUrl, sim().webSocketUrl);
    const alice = await client.funded();
    const bob = await kitAddress();
    const tooMuch = [kitTransfer(alice, bob, 2n * SOL)];
    const refused = await client
      .confirmed(await client.build(alice, tooMuch))
      .catch((error: unknown) => error);
    if (!kit.isSolanaError(refused, PREFLIGHT_FAILURE)) return expect.fail(String(refused));
    const why = `Transfer: insufficient lamports ${SOL - COST}, need ${2n * SOL}`;
    expect(refused.context.logs).toContain(why);
    const message = { instructions: { 0: { programAddress: SYSTEM_PROGRAM_ADDRESS } } };
    expect(isSystemError(refused.cause, message, SYSTEM_ERROR__RESULT_WITH_NEGATIVE_LAMPORTS)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL);
    const blind = await client.build(alice, tooMuch);
    const failed = await client.confirmed(blind, { skipPreflight: true }).catch((error: unknown) => error);
    expect(kit.isSolanaError(failed, kit.SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL - COST);
    // Its blockhash is not of this chain, so it is dropped silently, and its last valid block height has passed.
    const height = (await client.rpc.getBlockHeight().send()) - 1n;
    const lifetime = { blockhash: kit.blockhash(await kitAddress()), lastValidBlockHeight: height };
    const lost = await client.build(alice, [kitTransfer(alice, bob, 1n)], { lifetime });
    const late = await client.confirmed(lost, { skipPreflight: true }).catch((error: unknown) => error);
    expect(kit.isSolanaError(late, kit.SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED)).toBe(true);
    expect(await client.balance(alice.address)).toBe(SOL - COST);
  });
});
