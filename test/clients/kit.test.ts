import * as kit from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getCreateAccountInstruction } from '@solana-program/system';
import * as token from '@solana-program/token';
import { describe, expect, it } from 'vitest';
import { KitClient, kitAddress, kitTransfer, tokenAccountOf } from './clients.js';
import { servingSuite } from '../cli/process.js';
import { ENGINES } from '../support/world.js';

const SOL = 1_000_000_000n;
const PAID = 100_000_000n;

describe.each(ENGINES)('@solana/kit against sim start on %s', (engine) => {
  const server = servingSuite('--engine', engine);

  const chain = () => new KitClient(server().ready.rpcUrl);

  it('airdrops, sends, confirms and reads the transaction back', async () => {
    const client = chain();
    const { rpc } = client;
    const alice = await client.funded();
    const bob = await kitAddress();
    const pay = kitTransfer(alice, bob, PAID);
    const signature = await client.send(alice, pay, getAddMemoInstruction({ memo: 'hello' }));
    expect(await client.balance(bob)).toBe(PAID);
    expect(await client.balance(alice.address)).toBe(SOL - PAID - 5_000n);
    const sent = await rpc
      .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
      .send();
    expect(sent?.meta).toMatchObject({ err: null, fee: 5_000n });
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

  it('creates a mint and transfers tokens', async () => {
    const client = chain();
    const { rpc } = client;
    const [alice, mint] = [await client.funded(), await kit.generateKeyPairSigner()];
    const space = BigInt(token.getMintSize());
    const lamports = await rpc.getMinimumBalanceForRentExemption(space).send();
    const owners = [alice.address, await kitAddress()] as const;
    const [from, to] = await Promise.all([
      tokenAccountOf(owners[0], mint.address),
      tokenAccountOf(owners[1], mint.address),
    ]);
    await client.send(
      alice,
      getCreateAccountInstruction({
        payer: alice,
        newAccount: mint,
        lamports,
        space,
        programAddress: token.TOKEN_PROGRAM_ADDRESS,
      }),
      token.getInitializeMintInstruction({ mint: mint.address, decimals: 6, mintAuthority: alice.address }),
    );
    await client.send(
      alice,
      ...(await Promise.all(
        owners.map((owner) =>
          token.getCreateAssociatedTokenInstructionAsync({ payer: alice, mint: mint.address, owner }),
        ),
      )),
      token.getMintToInstruction({ mint: mint.address, token: from, mintAuthority: alice, amount: 1_000n }),
      token.getTransferCheckedInstruction({
        source: from,
        mint: mint.address,
        destination: to,
        authority: alice,
        amount: 400n,
        decimals: 6,
      }),
    );
    expect((await rpc.getTokenAccountBalance(to).send()).value.amount).toBe('400');
    expect((await token.fetchToken(rpc, from)).data.amount).toBe(600n);
    const parsed = await rpc
      .getTokenAccountsByOwner(owners[1], { mint: mint.address }, { encoding: 'jsonParsed' })
      .send();
    expect(parsed.value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe('0.0004');
  });
});
