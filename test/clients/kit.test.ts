import * as kit from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import * as token from '@solana-program/token';
import { describe, expect, it } from 'vitest';
import { Customer, ENGINES, secretOf, simulator } from './support.js';

const SOL = 1_000_000_000n;

describe.each(ENGINES)('@solana/kit against sim start on %s', (engine) => {
  const ready = simulator(engine);

  function chain() {
    const rpc = kit.createSolanaRpc(ready().rpcUrl);
    const rpcSubscriptions = kit.createSolanaRpcSubscriptions(ready().rpcUrl.replace('http', 'ws'));
    const airdrop = kit.airdropFactory({ rpc, rpcSubscriptions });
    const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
    const build = async (payer: kit.TransactionSigner, instructions: readonly kit.Instruction[]) => {
      const { value: blockhash } = await rpc.getLatestBlockhash().send();
      const message = kit.pipe(
        kit.createTransactionMessage({ version: 0 }),
        (empty) => kit.setTransactionMessageFeePayerSigner(payer, empty),
        (paid) => kit.setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
        (living) => kit.appendTransactionMessageInstructions(instructions, living),
      );
      const signed = await kit.signTransactionMessageWithSigners(message);
      kit.assertIsTransactionWithBlockhashLifetime(signed);
      return signed;
    };
    const send = async (payer: kit.TransactionSigner, instructions: readonly kit.Instruction[]) => {
      const transaction = await build(payer, instructions);
      await sendAndConfirm(transaction, { commitment: 'confirmed' });
      return kit.getSignatureFromTransaction(transaction);
    };
    const funded = async () => {
      const signer = await kit.generateKeyPairSigner();
      await airdrop({
        recipientAddress: signer.address,
        lamports: kit.lamports(5n * SOL),
        commitment: 'confirmed',
      });
      return signer;
    };
    return { rpc, rpcSubscriptions, build, send, funded };
  }

  it('airdrops, sends, confirms and reads the transaction back', async () => {
    const { rpc, send, funded } = chain();
    const alice = await funded();
    const bob = (await kit.generateKeyPairSigner()).address;
    const pay = getTransferSolInstruction({ source: alice, destination: bob, amount: SOL });
    const signature = await send(alice, [pay, getAddMemoInstruction({ memo: 'hello' })]);
    expect((await rpc.getBalance(bob).send()).value).toBe(SOL);
    expect((await rpc.getBalance(alice.address).send()).value).toBe(4n * SOL - 5_000n);
    const sent = await rpc
      .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
      .send();
    expect(sent?.meta).toMatchObject({ err: null, fee: 5_000n });
    expect(sent?.transaction.message.instructions).toMatchObject([
      { program: 'system', parsed: { type: 'transfer', info: { lamports: SOL } } },
      { program: 'spl-memo', parsed: 'hello' },
    ]);
    const [newest] = await rpc.getSignaturesForAddress(bob).send();
    expect(newest).toMatchObject({ signature, memo: '[5] hello', err: null });
    await send(alice, [pay]);
    expect((await rpc.getBalance(bob).send()).value).toBe(2n * SOL);
    const { value } = await rpc.getAccountInfo(alice.address, { encoding: 'base64' }).send();
    expect(value).toMatchObject({ rentEpoch: 18446744073709551615n, space: 0n });
  });

  it('receives account, log, slot and signature notifications', async () => {
    const { rpcSubscriptions, send, funded } = chain();
    const alice = await funded();
    const bob = (await kit.generateKeyPairSigner()).address;
    const abort = new AbortController();
    const options = { abortSignal: abort.signal };
    const accounts = await rpcSubscriptions
      .accountNotifications(bob, { encoding: 'base64', commitment: 'confirmed' })
      .subscribe(options);
    const logs = await rpcSubscriptions
      .logsNotifications({ mentions: [bob] }, { commitment: 'confirmed' })
      .subscribe(options);
    const slots = await rpcSubscriptions.slotNotifications().subscribe(options);
    const first = async <T>(notifications: AsyncIterable<T>): Promise<T> => {
      for await (const notification of notifications) return notification;
      throw new Error('nothing was told');
    };
    const heard = Promise.all([first(accounts), first(logs), first(slots)]);
    const signature = await send(alice, [
      getTransferSolInstruction({ source: alice, destination: bob, amount: SOL }),
    ]);
    const [account, log, slot] = await heard;
    expect(account.value).toMatchObject({ lamports: SOL });
    expect(log.value).toMatchObject({ signature, err: null });
    expect(slot.slot - slot.parent).toBe(1n);
    const late = await rpcSubscriptions
      .signatureNotifications(signature, { commitment: 'confirmed' })
      .subscribe(options);
    expect((await first(late)).value).toEqual({ err: null });
    abort.abort();
  });

  it('creates a mint and transfers tokens', async () => {
    const { rpc, send, funded } = chain();
    const [alice, mint] = [await funded(), await kit.generateKeyPairSigner()];
    const space = BigInt(token.getMintSize());
    const lamports = await rpc.getMinimumBalanceForRentExemption(space).send();
    const owners = [alice.address, (await kit.generateKeyPairSigner()).address] as const;
    const [from, to] = (await Promise.all(
      owners.map(async (owner) => {
        const [ata] = await token.findAssociatedTokenPda({
          mint: mint.address,
          owner,
          tokenProgram: token.TOKEN_PROGRAM_ADDRESS,
        });
        return ata;
      }),
    )) as [kit.Address, kit.Address];
    await send(alice, [
      getCreateAccountInstruction({
        payer: alice,
        newAccount: mint,
        lamports,
        space,
        programAddress: token.TOKEN_PROGRAM_ADDRESS,
      }),
      token.getInitializeMintInstruction({ mint: mint.address, decimals: 6, mintAuthority: alice.address }),
    ]);
    await send(alice, [
      await token.getCreateAssociatedTokenInstructionAsync({
        payer: alice,
        mint: mint.address,
        owner: owners[0],
      }),
      await token.getCreateAssociatedTokenInstructionAsync({
        payer: alice,
        mint: mint.address,
        owner: owners[1],
      }),
      token.getMintToInstruction({ mint: mint.address, token: from, mintAuthority: alice, amount: 1_000n }),
      token.getTransferCheckedInstruction({
        source: from,
        mint: mint.address,
        destination: to,
        authority: alice,
        amount: 400n,
        decimals: 6,
      }),
    ]);
    expect((await rpc.getTokenAccountBalance(to).send()).value.amount).toBe('400');
    expect((await token.fetchToken(rpc, from)).data.amount).toBe(600n);
    const parsed = await rpc
      .getTokenAccountsByOwner(owners[1], { mint: mint.address }, { encoding: 'jsonParsed' })
      .send();
    expect(parsed.value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe('0.0004');
  });

  it('deposits SOL and USDC into the bank from a dev wallet', async () => {
    const { send } = chain();
    const secret = secretOf(ready(), 1);
    const alice = await kit.createKeyPairSignerFromBytes(secret);
    const customer = await Customer.signedIn(ready(), secret);
    const treasury = kit.address(ready().treasury);
    const sol = await send(alice, [
      getTransferSolInstruction({ source: alice, destination: treasury, amount: 2n * SOL }),
    ]);
    const mint = kit.address(ready().usdcMint);
    const [source, destination] = (await Promise.all(
      [alice.address, treasury].map(async (owner) => {
        const [ata] = await token.findAssociatedTokenPda({
          mint,
          owner,
          tokenProgram: token.TOKEN_PROGRAM_ADDRESS,
        });
        return ata;
      }),
    )) as [kit.Address, kit.Address];
    const usdc = await send(alice, [
      token.getTransferCheckedInstruction({
        source,
        mint,
        destination,
        authority: alice,
        amount: 40_000_000n,
        decimals: 6,
      }),
    ]);
    await customer.record(2, 'SOL', sol);
    await customer.record(40, 'USDC', usdc);
    expect(await customer.checking()).toEqual({ usdc: 40, sol: 2 });
  });
});
