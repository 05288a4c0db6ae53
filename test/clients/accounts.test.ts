// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair, type PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { createSolanaRpc, address as kitAddress } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { connected, funded } from './clients.js';
import { run, serving } from '../cli/process.js';
import { failingProgram } from '../support/programs.js';
import { ENGINES } from '../support/world.js';
import { Collector, closed, subscribed } from '../support/waiting.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function started(...args: string[]) {
  const server = await serving('--quiet', ...args);
  return { ...server, connection: connected(server.ready.rpcUrl) };
}

type World = Awaited<ReturnType<typeof started>>;

/** Calls a program with web3.js; resolves to the error of the transaction. */
async function call({ connection }: World, program: PublicKey): Promise<unknown> {
  const payer = await funded(connection);
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
  transaction.add(new TransactionInstruction({ programId: program, keys: [], data: Buffer.from('hello') }));
  transaction.sign(payer);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  // The error of a transaction is the result when web3.js is notified of it, and is thrown when its first look at the status finds it.
  return connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight }).then(
    ({ value }) => value.err,
    (error: unknown) => error,
  );
}

async function sim(world: World, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args, '--url', world.ready.baseUrl);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe.each(ENGINES)('accounts and programs from files on %s', (engine) => {
  it('are read and called by web3.js and kit, are dumped, cloned and replaced, and survive SIGKILL', async () => {
    const dir = temporaryFolder();
    const [program, place, plain] = [
      Keypair.generate(),
      Keypair.generate().publicKey,
      Keypair.generate().publicKey,
    ];
    const file = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    };
    const account = (pubkey: PublicKey, owner: PublicKey, text: string) =>
      `{"pubkey":"${pubkey.toBase58()}","account":{"lamports":5000000,"data":["${text}","base64"],"owner":"${owner.toBase58()}","executable":false,"rentEpoch":18446744073709551615,"space":3}}`;
    const keypair = file('program-keypair.json', JSON.stringify([...program.secretKey]));
    const so = file('program.so', failingProgram(7));
    const other = file('other.so', memoProgram());
    const one = file('one.json', account(place, program.publicKey, 'AQID'));
    const two = file('two.json', account(program.publicKey, program.publicKey, 'BBBB'));
    const args = ['--engine', engine, '--bpf-program', keypair, so];
    const data = join(dir, 'data');
    const first = await started(
      ...args,
      '--data-dir',
      data,
      '--account',
      '-',
      one,
      '--account',
      plain.toBase58(),
      two,
    );

    const { connection } = first;
    const found = await connection.getAccountInfo(place);
    expect(found).toMatchObject({ lamports: 5_000_000, owner: program.publicKey, executable: false });
    expect(found?.data.toString('base64')).toBe('AQID');
    const owned = await connection.getProgramAccounts(program.publicKey);
    expect(owned.map(({ pubkey }) => pubkey.toBase58()).toSorted()).toEqual(
      [place, plain].map((key) => key.toBase58()).toSorted(),
    );
    const rpc = createSolanaRpc(first.ready.rpcUrl);
    const asked = rpc.getAccountInfo(kitAddress(program.publicKey.toBase58()), { encoding: 'jsonParsed' });
    expect((await asked.send()).value).toMatchObject({
      executable: true,
      data: [expect.any(String), 'base64'],
    });
    expect(await call(first, program.publicKey)).toEqual({ InstructionError: [0, { Custom: 7 }] });

    const changes = new Collector<string>();
    const listener = connection.onAccountChange(place, ({ data: after }) =>
      changes.add(after.toString('base64')),
    );
    await subscribed(connection);
    await sim(first, 'account', 'dump', place.toBase58(), join(dir, 'dump.json'));
    expect(JSON.parse(readFileSync(join(dir, 'dump.json'), 'utf8'))).toEqual(
      JSON.parse(readFileSync(one, 'utf8')),
    );
    await sim(first, 'account', 'set', place.toBase58(), two);
    await changes.first((text) => text === 'BBBB');
    await connection.removeAccountChangeListener(listener);
    await sim(first, 'account', 'deploy', keypair, other);
    expect(await call(first, program.publicKey)).toBeNull();
    expect(await sim(first, 'account', 'show', program.publicKey.toBase58())).toContain('executable');

    const clone = ['--clone', place.toBase58(), '--clone-upgradeable-program', program.publicKey.toBase58()];
    const cloned = await started('--engine', engine, '--clone-url', first.ready.rpcUrl, ...clone);
    expect((await cloned.connection.getAccountInfo(place))?.data.toString('base64')).toBe('BBBB');
    expect(await call(cloned, program.publicKey)).toBeNull();

    await closed(connection);
    await first.command.endedBy('SIGKILL');
    const again = await started(...args, '--data-dir', data, '--account', '-', one);
    expect((await again.connection.getAccountInfo(place))?.data.toString('base64')).toBe('BBBB');
    expect(await call(again, program.publicKey)).toBeNull();
    const invariants = await fetch(new URL('/_sim/v1/invariants', again.ready.baseUrl));
    expect(await invariants.json()).toEqual({ violations: [] });
  }, 60_000);
});
