import { once } from 'node:events';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stopInto } from '../../src/cli/remote/record.js';
import { UsageError } from '../../src/cli/usage.js';
import { Redactor } from '../../src/recording/recorder/redactor.js';
import { readRecording, UnreadableRecording } from '../../src/recording/replay/read-recording.js';
import { RawCaller, world } from '../support/world.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import { rpcMessage } from '../api/rpc/support.js';
import { type Known, begin, differencesOf, recorded } from './support.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { Session, refused } from './session.js';

it('recording process loses at most the line that it fails to write, and replay reports the loss', async () => {
  const text = await recorded(async (session, { alice }) => {
    await session.control.do('time');
    await alice.account();
    // The earlier lines have been written.
    await vi.waitFor(() => expect(session.sim.recording.state().inputs).toBe(6));
    vi.spyOn(Redactor.prototype, 'authorization').mockImplementationOnce(() => {
      throw new RangeError('of the test');
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await alice.withdraw({ amount: 1, token: 'SOL' }).catch(() => undefined);
    await alice.account();
  });
  expect(text.match(/"operation":"account"/g)).toHaveLength(2);
  expect(await differencesOf(text)).toEqual([
    expect.stringMatching(/^line \d+: clock: line expected "this line could not be written \(RangeError\)"/),
  ]);
});

describe('recorded lines are not lost', () => {
  it('when the process exits while a call is still waiting', async () => {
    const path = join(temporaryFolder(), 'session.ndjson');
    const sim = await world({ seed: 'exit', time: 'real' });
    await sim.recording.start({ path, isNew: true });
    const exit = process.listeners('exit').at(-1) as () => void;
    const session = await Session.of(sim);
    const { alice } = await begin(session);
    await session.control.do('addFault', {
      body: { endpoint: 'withdraw', phase: 'after-commit', effect: 'delay', delay: '3s' },
    });
    const before = sim.events.last;
    const waiting = refused(alice.withdraw({ amount: 1, token: 'USDC' }));
    await vi.waitFor(() => expect(sim.events.last).toBeGreaterThan(before));
    for (let time = 0; time < 50; time += 1) await alice.account();
    exit();
    const text = readFileSync(path, 'utf8');
    await Promise.all([waiting, sim.close()]);
    expect(text.split('"operation":"account"').length - 1).toBe(50);
    const { leftOut } = await toScenario(readRecording(text, path), { name: 'Cut', all: true });
    expect(leftOut.map(({ why }) => why)).toContain('the recording ended before its response');
  });

  it('when sim record stop cannot write its file', async () => {
    const session = await Session.of(await world({ seed: 'stop' }));
    const taken = join(temporaryFolder(), 'taken.ndjson');
    await session.sim.recording.start({ path: taken });
    await expect(stopInto(session.control, `${taken}2`)).rejects.toThrow(
      `writes its recording to ${taken} until it ends; sim control stop-recording`,
    );
    const other = await world();
    await expect(other.recording.start({ path: taken })).rejects.toThrow(`${taken}: the file is not empty`);
    await session.sim.recording.stop();
    await session.control.do('startRecording', { body: {} });
    await session.control.do('time');
    for (const place of [join(temporaryFolder(), 'nowhere', 'session.ndjson'), taken])
      await expect(stopInto(session.control, place)).rejects.toThrow(UsageError);
    const { recording } = await session.control.do('stopRecording', { body: {} });
    expect(recording).toContain('"command":"time"');
  });
});

const WITHDRAW = '/agent/account/withdraw';
const NESTED = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;

type Odd = readonly [recorded: string, act: (session: Session, known: Known) => Promise<unknown>];

/** What is done in a session, after a text that its recording then contains, by what is odd about it. */
const ODD: Readonly<Record<string, Odd>> = {
  'with a body that is nested deeply': [
    '"reason":"nested more than',
    (session) => session.post(WITHDRAW, `{"amount":1,"token":"USDC","more":${NESTED}}`),
  ],
  'with infinite amounts, and the text for one': [
    '"token":"<<Infinity>"',
    async (session) => {
      for (const amount of ['1e400', '-1e400'])
        await session.post(WITHDRAW, `{"amount":${amount},"token":"USDC"}`);
      await session.post(WITHDRAW, '{"amount":1,"token":"<Infinity>"}');
    },
  ],
  'with a lone surrogate': [
    'half of a surrogate pair',
    (session) => session.post(WITHDRAW, '{"amount":1,"token":"USDC","memo":"\\ud800"}'),
  ],
  'with a body that is not JSON and contains a token': [
    '"unparsed":',
    (session, { token }) => session.post(WITHDRAW, `token: ${token}`),
  ],
  'with an incomplete body': [
    '"brokenOff":true',
    async ({ sim, baseUrl }, { token }) => {
      const { hostname, port } = new URL(baseUrl);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const before = sim.events.last;
      const head = `POST /api/v1${WITHDRAW} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}`;
      socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"amo`, () =>
        socket.destroy(),
      );
      await vi.waitFor(() => expect(sim.events.last).toBeGreaterThan(before));
    },
  ],
  'with a sign-in whose signature has the form of a redaction': [
    '"signature":"<<signed>"',
    async (session) => {
      const { sim } = session;
      const wallet = sim.wallets[0]?.address;
      const { body } = await new RawCaller(sim, null).post('/agent/auth/challenge', { wallet });
      const proof = { wallet, message: body['challenge'], signature: '<signed>' };
      await session.post('/agent/auth/verify', JSON.stringify(proof), null);
    },
  ],
  'with a transaction that was also sent before all signatures were present': [
    '"signed":["right","missing"]',
    async ({ connection, sim }, { dev }) => {
      const other = Keypair.generate();
      const { blockhash } = await connection.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: dev.publicKey, recentBlockhash: blockhash });
      const parts = { lamports: 5_000_000, space: 0, programId: SystemProgram.programId };
      const [fromPubkey, newAccountPubkey] = [dev.publicKey, other.publicKey];
      transaction.add(SystemProgram.createAccount({ fromPubkey, newAccountPubkey, ...parts }));
      // At once, so that the lines of both are made together.
      const bytes = [[dev], [dev, other]].map((signers) => {
        transaction.partialSign(...signers);
        return transaction.serialize({ requireAllSignatures: false }).toString('base64');
      });
      for (const each of bytes) await sim.rpc(rpcMessage('sendTransaction', each, { encoding: 'base64' }));
    },
  ],
  'with a simulated transaction of an outside wallet while faults are in force': [
    '"method":"simulateTransaction"',
    async (session) => {
      const { keys } = await session.outsider(1);
      const fault = { endpoint: 'account', effect: 'replace-response', status: 429 } as const;
      await session.control.do('addFault', { body: fault });
      const transfer = session.lamports(keys, Keypair.generate().publicKey.toBase58(), 5_000_000);
      const text = (await session.signed(keys, transfer)).serialize().toString('base64');
      await session.rpc('simulateTransaction', text, { encoding: 'base64', sigVerify: true });
    },
  ],
  'with an in-process jump of a frozen clock': [
    '"kind":"clock"',
    async ({ sim }, { alice }) => {
      await sim.advance('2h');
      await alice.account();
    },
  ],
};

describe('a session replays to the same responses', () => {
  it.each(Object.entries(ODD))('%s', async (_what, [contained, act]) => {
    const text = await recorded(act);
    expect(text).toContain(contained);
    expect(await differencesOf(text)).toEqual([]);
  });

  it('with transactions whose blockhash expires while they wait for a jump', async () => {
    const text = await recorded(async (session, { dev }) => {
      const { sim } = session;
      for (let turns = 0; turns < 40; turns += 1) {
        const transfer = session.lamports(dev, dev.publicKey.toBase58(), 5 + turns);
        const transaction = await session.signed(dev, transfer);
        const sent = transaction.serialize().toString('base64');
        const body = JSON.stringify({ by: '3d' });
        const jump = sim.fetch('/_sim/v1/time/advance', { method: 'POST', body });
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        await sim.rpc(rpcMessage('sendTransaction', sent, { encoding: 'base64' }));
        await jump;
      }
    });
    expect((await differencesOf(text)).filter((line) => line.includes('sendTransaction'))).toEqual([]);
  });
});

it.each([
  { dataDir: 'bank' },
  { engine: 'cluster' },
  { clusterUrl: 'http://127.0.0.1:1', treasuryKey: [] },
  { state: 'bank.state' },
])('a header with an option that reaches beyond the world is not read: %o', async (asked) => {
  const [header = '', ...rest] = (await recorded(({ control }) => control.do('time'))).split('\n');
  const { options, ...others } = JSON.parse(header) as { options: object };
  const edited = [JSON.stringify({ ...others, options: { ...options, ...asked } }), ...rest].join('\n');
  expect(() => readRecording(edited, 'x')).toThrow(UnreadableRecording);
  expect(() => readRecording(edited, 'x')).toThrow(
    /options: Unrecognized keys?: "(?:dataDir|engine|clusterUrl|state)"/,
  );
});

it('importing a state ends a recording, with the reason', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => said.mockRestore());
  const reason = 'a state was imported, which a recording cannot represent';
  const text = await recorded(async (session, { alice }) => {
    const state = await session.sim.exportState();
    await alice.withdraw({ amount: 1, token: 'USDC' });
    await session.sim.importState(state);
    await refused(alice.account());
    expect(session.sim.recording.state()).toMatchObject({ recording: false, ended: reason });
  });
  expect(said.mock.calls[0]?.[0]).toContain(reason);
  expect(text.trimEnd().split('\n').at(-1)).toContain(`"reason":"${reason}"`);
  expect(text).not.toContain('"operation":"account"');
  expect(await differencesOf(text)).toEqual([]);
});
