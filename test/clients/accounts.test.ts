// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { createSolanaRpc, address as kitAddress } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { connected } from './clients.js';
import { run, serving } from '../cli/process.js';
import { ENGINES } from '../support/world.js';
import { Collector, closed, subscribed } from '../support/waiting.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function started(...args: string[]) {
  const server = await serving('--quiet', ...args);
  return { ...server, connection: connected(server.ready.rpcUrl) };
}

type World = Awaited<ReturnType<typeof started>>;

async function sim(world: World, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args, '--url', world.ready.baseUrl);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe.each(ENGINES)('accounts from files on %s', (engine) => {
  it('are read by web3.js and kit, are dumped and replaced, and survive SIGKILL', async () => {
    const dir = temporaryFolder();
    const [owner, place] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
    const file = (name: string, content: string) => {
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    };
    const account = (pubkey: PublicKey, text: string) =>
      `{"pubkey":"${pubkey.toBase58()}","account":{"lamports":5000000,"data":["${text}","base64"],"owner":"${owner.toBase58()}","executable":false,"rentEpoch":18446744073709551615,"space":3}}`;
    const one = file('one.json', account(place, 'AQID'));
    const two = file('two.json', account(owner, 'BBBB'));
    const args = ['--engine', engine, '--data-dir', join(dir, 'data')];
    const first = await started(...args);
    await sim(first, 'account', 'set', '-', one);

    const { connection } = first;
    const found = await connection.getAccountInfo(place);
    expect(found).toMatchObject({ lamports: 5_000_000, owner, executable: false });
    expect(found?.data.toString('base64')).toBe('AQID');
    const owned = await connection.getProgramAccounts(owner);
    expect(owned.map(({ pubkey }) => pubkey.toBase58())).toEqual([place.toBase58()]);
    const rpc = createSolanaRpc(first.ready.rpcUrl);
    const asked = rpc.getAccountInfo(kitAddress(place.toBase58()), { encoding: 'jsonParsed' });
    expect((await asked.send()).value).toMatchObject({ data: ['AQID', 'base64'] });

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

    await closed(connection);
    await first.command.endedBy('SIGKILL');
    const again = await started(...args);
    expect((await again.connection.getAccountInfo(place))?.data.toString('base64')).toBe('BBBB');
    const invariants = await fetch(new URL('/_sim/v1/invariants', again.ready.baseUrl));
    expect(await invariants.json()).toEqual({ violations: [] });
  }, 60_000);
});
