import { once } from 'node:events';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { AgentClient } from '../../src/client/client.js';
import type { SimulatorOptions } from '../../src/config.js';
import { readRecording } from '../../src/recording/read-recording.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import { createSimulator } from '../../src/simulator.js';
import { world } from '../support/world.js';
import { differencesOf, folder, recordingOf } from './support.js';
import { Session } from './session.js';

interface Known {
  readonly dev: Keypair;
  readonly alice: AgentClient;
  readonly token: string;
}

async function begin(session: Session): Promise<Known> {
  const dev = Keypair.fromSecretKey(bs58.decode(session.sim.wallets[0]?.secretKey ?? ''));
  const alice = await session.customer(dev.secretKey);
  await session.deposit(alice, dev, 1_000);
  return { dev, alice, token: session.tokens.at(-1) ?? '' };
}

const recorded = (
  act: (session: Session, known: Known) => Promise<unknown>,
  options: SimulatorOptions = {},
): Promise<string> =>
  recordingOf({ seed: 'attack', ...options }, async (session) => {
    await act(session, await begin(session));
  });

/** A recording that begins when `before` is done. */
async function laterRecorded<T>(
  before: (session: Session, known: Known) => Promise<T>,
  act: (session: Session, known: Known, had: T) => Promise<unknown>,
  options: SimulatorOptions = {},
): Promise<string> {
  const sim = await world({ seed: 'later', ...options });
  const session = await Session.of(sim);
  const known = await begin(session);
  const had = await before(session, known);
  await sim.recording.start();
  await act(session, known, had);
  return (await sim.recording.stop()) ?? '';
}

const post = (session: Session, path: string, token: string | null, body: string) =>
  session.raw('POST', path, {
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body,
  });
const refused = async (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a process that records', () => {
  it('outlives a sign-in whose body is nested deeply, and keeps its recording', async () => {
    const died: unknown[] = [];
    const hear = (error: unknown) => died.push(error);
    process.prependListener('uncaughtException', hear);
    try {
      const path = join(folder(), 'session.ndjson');
      const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', seed: 'deep' });
      await sim.recording.start({ path, isNew: true });
      const session = await Session.of(sim);
      await post(
        session,
        '/agent/auth/verify',
        null,
        `{"wallet":"w","message":"m","signature":"s","more":${deep(6_000)}}`,
      );
      await sim.close();
      expect(readFileSync(path, 'utf8')).toContain('"operation":"verify"');
    } finally {
      process.off('uncaughtException', hear);
    }
    expect(died).toEqual([]);
  });

  it('outlives a command and a call of the RPC that are nested deeply', async () => {
    for (const call of [
      (session: Session) =>
        fetch(`${new URL(session.baseUrl).origin}/_sim/v1/time/advance`, { method: 'POST', body: deep(6_000) }),
      (session: Session) =>
        fetch(session.connection.rpcEndpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":${deep(6_000)}}`,
        }),
    ]) {
      const text = await recordingOf({ seed: 'deep' }, async (session) => {
        await call(session);
      });
      expect(text).toContain('"kind":"end"');
    }
  });
});

describe('what was recorded is not lost', () => {
  it('when the process ends while one call still waits', async () => {
    const path = join(folder(), 'session.ndjson');
    const sim = await world({ seed: 'exit', time: 'real' });
    await sim.recording.start({ path, isNew: true });
    const exit = process.listeners('exit').at(-1) as () => void;
    const session = await Session.of(sim);
    const { alice } = await begin(session);
    await session.control.do('addFault', {
      body: { endpoint: 'withdraw', phase: 'after-commit', effect: 'delay', delay: '3s' },
    });
    const waiting = refused(alice.withdraw({ amount: 1, token: 'USDC' }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let time = 0; time < 50; time += 1) await alice.account();
    exit();
    const text = readFileSync(path, 'utf8');
    await Promise.all([waiting, sim.close()]);
    expect(text.split('"operation":"account"').length - 1).toBe(50);
  });

  it('when the file that sim record stop names cannot be written', async () => {
    const { stopInto } = await import('../../src/cli/recording/record.js');
    const session = await Session.of(await world({ seed: 'stop' }));
    await session.control.do('startRecording', { body: {} });
    await session.control.do('time');
    await refused(stopInto(session.control, join(folder(), 'nowhere', 'session.ndjson')));
    const { recording } = await session.control.do('stopRecording', { body: {} });
    expect(recording).toContain('"command":"time"');
  });
});

describe('a session replays to the same answers', () => {
  it('with a body that is nested deeply', async () => {
    const text = await recorded((session, { token }) =>
      post(session, '/agent/account/withdraw', token, `{"amount":1,"token":"USDC","more":${deep(6_000)}}`),
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with half of a surrogate pair', async () => {
    const text = await recorded((session, { token }) =>
      post(session, '/agent/account/withdraw', token, '{"amount":1,"token":"USDC","memo":"\\ud800"}'),
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with a body that broke off', async () => {
    const text = await recorded(async (session, { token }) => {
      const { hostname, port } = new URL(session.baseUrl);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /api/v1/agent/account/withdraw HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
          'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"amo',
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      socket.destroy();
      await new Promise((resolve) => setTimeout(resolve, 150));
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with a text that is no JSON and holds a token', async () => {
    const text = await recorded((session, { token }) =>
      post(session, '/agent/account/withdraw', token, `token: ${token}`),
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with a sign-in whose signature reads like a name of recordings', async () => {
    const text = await recorded(async (session) => {
      const wallet = session.sim.wallets[0]?.address;
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${session.baseUrl}/agent/auth/challenge`, {
        ...init,
        body: JSON.stringify({ wallet }),
      });
      const { challenge: message } = (await response.json()) as { challenge: string };
      await post(session, '/agent/auth/verify', null, JSON.stringify({ wallet, message, signature: '<signed>' }));
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with a transaction that was sent before all had signed it', async () => {
    const text = await recorded(async ({ connection, sim }, { dev }) => {
      const other = Keypair.generate();
      const { blockhash } = await connection.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: dev.publicKey, recentBlockhash: blockhash });
      transaction.add(
        SystemProgram.createAccount({
          fromPubkey: dev.publicKey,
          newAccountPubkey: other.publicKey,
          lamports: 5_000_000,
          space: 0,
          programId: SystemProgram.programId,
        }),
      );
      // At once, so that the lines of both are made together.
      const bytes = [[dev], [dev, other]].map((signers) => {
        transaction.partialSign(...signers);
        return transaction.serialize({ requireAllSignatures: false }).toString('base64');
      });
      for (const each of bytes) {
        const params = [each, { encoding: 'base64' }];
        await sim.rpc(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }));
      }
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with a transaction of somebody from outside that is only tried while faults are in force', async () => {
    const text = await recorded(async (session) => {
      const { keys } = await session.outsider(1);
      await session.control.do('addFault', { body: { endpoint: 'account', effect: 'answer', status: 429 } });
      const { blockhash } = await session.connection.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: keys.publicKey, recentBlockhash: blockhash });
      transaction.add(...session.lamports(keys, Keypair.generate().publicKey.toBase58(), 5_000_000));
      transaction.sign(keys);
      await fetch(session.connection.rpcEndpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'simulateTransaction',
          params: [transaction.serialize().toString('base64'), { encoding: 'base64', sigVerify: true }],
        }),
      });
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when a program of the same process moves the time of a world that stands', async () => {
    const text = await recorded(async ({ sim }, { alice }) => {
      await sim.advance('2h');
      await alice.account();
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when time is made to run fast on the way', async () => {
    const text = await recorded(async ({ control }, { alice }) => {
      for (let round = 0; round < 60; round += 1) {
        await control.do('scale', { body: { factor: 1e8 } });
        await control.do('time');
        await refused(alice.account());
        await control.do('faucet', {
          body: { address: Keypair.generate().publicKey.toBase58(), amount: 1, token: 'USDC' },
        });
        await control.do('time');
      }
    });
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when a command waits for a jump of time', async () => {
    const text = await recorded(async ({ sim }) => {
      const body = JSON.stringify({ by: '30d' });
      const jump = () => sim.fetch('/_sim/v1/time/advance', { method: 'POST', body });
      await Promise.all([jump(), jump(), jump()]);
    });
    expect((await differencesOf(text)).filter((line) => line.includes(': clock '))).toEqual([]);
  });

  it('when a transaction waits for a jump of time until its blockhash is too old', async () => {
    const text = await recorded(async ({ sim, connection, lamports }, { dev }) => {
      for (let turns = 0; turns < 40; turns += 1) {
        const { blockhash } = await connection.getLatestBlockhash();
        const transaction = new Transaction({ feePayer: dev.publicKey, recentBlockhash: blockhash });
        transaction.add(...lamports(dev, dev.publicKey.toBase58(), 5 + turns));
        transaction.sign(dev);
        const params = [transaction.serialize().toString('base64'), { encoding: 'base64' }];
        const body = JSON.stringify({ by: '3d' });
        const jump = sim.fetch('/_sim/v1/time/advance', { method: 'POST', body });
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        await sim.rpc(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }));
        await jump;
      }
    });
    expect((await differencesOf(text)).filter((line) => line.includes('sendTransaction'))).toEqual([]);
  });

  it('when a state is imported on the way, or the recording says that it ends there', async () => {
    const text = await recorded(async (session, { alice }) => {
      const origin = new URL(session.baseUrl).origin;
      const state = await (await fetch(`${origin}/_sim/v1/state`)).arrayBuffer();
      await alice.withdraw({ amount: 1, token: 'USDC' });
      expect((await fetch(`${origin}/_sim/v1/state`, { method: 'POST', body: state })).status).toBe(200);
      await refused(alice.account());
    });
    expect(await differencesOf(text)).toEqual([]);
  });
});

describe('a recording that begins in the middle replays to the same answers', () => {
  it('when a snapshot of before is gone back to', async () => {
    const text = await laterRecorded(
      ({ control }) => control.do('snapshot'),
      ({ control }, _known, { id }) => control.do('revert', { id }),
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when a fork of before is listed and dropped', async () => {
    const text = await laterRecorded(
      ({ control }) => control.do('fork', { body: {} }),
      async ({ control }, _known, { id }) => {
        await control.do('forks');
        await control.do('dropFork', { id });
      },
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when somebody signs in with a challenge of before', async () => {
    const text = await laterRecorded(
      async (session) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
        const body = JSON.stringify({ wallet: session.sim.wallets[1]?.address });
        const response = await fetch(`${session.baseUrl}/agent/auth/challenge`, { ...init, body });
        return (await response.json()) as { challenge: string };
      },
      async (session, _known, { challenge: message }) => {
        const { AgentWallet } = await import('../../src/client/wallet.js');
        const { address, secretKey } = session.sim.wallets[1] as { address: string; secretKey: string };
        const proof = AgentWallet.fromSecretKey(secretKey).sign(Buffer.from(message, 'utf8'));
        const body = { wallet: address, message, signature: bs58.encode(proof) };
        expect(await post(session, '/agent/auth/verify', null, JSON.stringify(body))).toBe(200);
      },
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('when a token of before expires', async () => {
    const text = await laterRecorded(
      async () => undefined,
      async ({ control, raw, baseUrl }, { token }) => {
        await control.do('advance', { body: { by: '25h' } });
        await raw.call({ baseUrl } as Session, 'GET', '/agent/account', { headers: { authorization: `Bearer ${token}` } });
      },
    );
    expect(await differencesOf(text)).toEqual([]);
  });

  it('in a data folder that holds a world already (as sim start --data-dir --record begins one)', async () => {
    const dataDir = join(folder(), 'bank');
    const first = await createSimulator({ dataDir, engine: 'litesvm', time: 'frozen', seed: 'kept' });
    await first.createWallet();
    await first.close();
    const { start } = await import('../../src/cli/start.js');
    const path = join(folder(), 'session.ndjson');
    const write = process.stdout.write.bind(process.stdout);
    const said: string[] = [];
    process.stdout.write = ((text: string) => said.push(String(text)) > 0) as typeof process.stdout.write;
    const running = start({
      ...({ host: '127.0.0.1', port: 0, rpc: false, quiet: true, json: true, dataDir, record: path, variant: [] } as object),
    } as Parameters<typeof start>[0]);
    try {
      for (let tries = 0; said.length === 0 && tries < 100; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      process.stdout.write = write;
    }
    const { baseUrl } = JSON.parse(said.join('')) as { baseUrl: string };
    await fetch(`${new URL(baseUrl).origin}/_sim/v1/wallets`, { method: 'POST', body: '{}' });
    process.emit('SIGTERM');
    await running;
    expect(await differencesOf(readFileSync(path, 'utf8'))).toEqual([]);
  });
});

describe('a recording becomes a scenario', () => {
  const made = async (text: string) => toScenario(readRecording(text, 'x'), { name: 'x', all: false });

  it('when a transaction used a lookup table', async () => {
    const text = await recorded(async (session, { dev, alice }) => {
      const { connection, sim } = session;
      const recentSlot = await connection.getSlot('processed');
      const own = { authority: dev.publicKey, payer: dev.publicKey };
      const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({ ...own, recentSlot });
      await session.send(dev, [create]);
      const [mint, treasury] = [new PublicKey(sim.facts.usdcMint), new PublicKey(sim.facts.treasury)];
      const addresses = [treasury, getAssociatedTokenAddressSync(mint, treasury, true), mint];
      await session.send(dev, [AddressLookupTableProgram.extendLookupTable({ ...own, lookupTable, addresses })]);
      await session.send(dev, session.lamports(dev, Keypair.generate().publicKey.toBase58(), 5_000_000));
      const { value } = await connection.getAddressLookupTable(lookupTable);
      const { blockhash: recentBlockhash } = await connection.getLatestBlockhash();
      const instructions = session.usdc(dev, sim.facts.treasury, 3e6);
      const message = new TransactionMessage({ payerKey: dev.publicKey, recentBlockhash, instructions });
      const transaction = new VersionedTransaction(message.compileToV0Message(value === null ? [] : [value]));
      transaction.sign([dev]);
      const signature = await connection.sendRawTransaction(transaction.serialize());
      await alice.deposit({ amount: 3, token: 'USDC', tx_signature: signature });
    });
    expect(await differencesOf(text)).toEqual([]);
    expect((await made(text)).steps).toBeGreaterThan(0);
  });

  it('when the body of a jump of time was null', async () => {
    const text = await recorded((session) =>
      fetch(`${new URL(session.baseUrl).origin}/_sim/v1/time/advance`, { method: 'POST', body: 'null' }),
    );
    expect((await made(text)).steps).toBeGreaterThan(0);
  });

  it.each(['${alice}', 'for ${nobody}'])('when an agent wrote %s', async (purpose) => {
    const text = await recorded(async (session, { token }) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const body = JSON.stringify({ amount: 10, purpose, duration: 30 });
      await session.raw('POST', '/agent/loans', { headers, body });
    });
    const { text: yaml } = await made(text);
    // An address would stand there if it were taken for a reference.
    expect(yaml).not.toMatch(/purpose: ['"]?(?:for )?\$\{\w+\}/);
  });

  it('when somebody without SOL sent a transaction untried', async () => {
    const text = await recorded(async (session) => {
      const { secretKey } = await session.control.do('createWallet', { body: {} });
      const keys = Keypair.fromSecretKey(bs58.decode(secretKey));
      const options = { skipPreflight: true };
      await refused(session.send(keys, session.lamports(keys, keys.publicKey.toBase58(), 5), options));
    });
    expect((await made(text)).steps).toBeGreaterThan(0);
  });
});
