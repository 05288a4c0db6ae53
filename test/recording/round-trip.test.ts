import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { COMMANDS, CONTROL_PATH } from '../../src/api/control/commands.js';
import { readRecording } from '../../src/recording/replay/read-recording.js';
import { replayRecording } from '../../src/recording/replay/replay.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { world } from '../support/world.js';
import { NoncePayer } from '../support/nonce-payer.js';
import { Session, busySession } from './session.js';
import { differencesOf, recordingOf } from './support.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const busy = (options: SimulatorOptions) => recordingOf(options, busySession);

describe('recording', () => {
  it('replays to the same responses on both engines', { tags: ['slow'] }, async () => {
    const text = await busy({ seed: 'busy' });
    const { isCut, lines } = readRecording(text, 'session.ndjson');
    expect([isCut, lines.length > 60]).toEqual([false, true]);
    for (const engine of ['litesvm', 'bankrun'] as const)
      expect(await differencesOf(text, engine), engine).toEqual([]);
  });

  it('of everything that the control interface shows replays to the same responses', async () => {
    const sim = await world();
    await sim.recording.start({ isNew: true });
    const shows = Object.values(COMMANDS).filter(
      ({ method, path: at }) => method === 'GET' && !at.includes('{'),
    );
    expect(shows.length).toBeGreaterThan(20);
    for (const { path } of shows) await sim.fetch(`${CONTROL_PATH}${path}?format=csv`);
    for (const { path } of shows) await sim.fetch(CONTROL_PATH + path);
    expect(await differencesOf((await sim.recording.stop()) ?? '')).toEqual([]);
  });

  it('of an earlier build replays', async () => {
    const text = readFileSync(join('fixtures', 'recordings', 'version-2.ndjson'), 'utf8');
    const { inputs, different } = await replayRecording(readRecording(text, 'version-2.ndjson'));
    expect([inputs > 50, different]).toEqual([true, []]);
  });

  it('replays transactions with a durable nonce', async () => {
    const text = await recordingOf({ time: 'real' }, async (_session, sim) => {
      const payer = await NoncePayer.of(sim);
      for (const lamports of [1, 2]) await sim.chain.sendTransaction(await payer.signed(payer.pay(lamports)));
    });
    expect(text.match(/"blockhash":"nonce"/g)).toHaveLength(2);
    expect(await differencesOf(text)).toEqual([]);
  });

  it('of a fast clock replays at the recorded instants', async () => {
    const wall = { ms: 0 };
    const sim = await world({ time: '60000x' }, { wall: () => wall.ms });
    await sim.recording.start({ isNew: true });
    const atEachCall = ({ events }: Simulator) =>
      events.page({ after: 0, limit: 100, kind: 'request' }).events.map(({ atMs }) => atMs);
    for (let call = 0; call < 20; call += 1) {
      wall.ms += 0.7;
      await sim.agent(0).yieldRates();
    }
    const recording = readRecording((await sim.recording.stop()) ?? '', 'fast.ndjson');
    const seen = atEachCall(sim);
    await replayRecording(recording, {
      atEnd: (again) => Promise.resolve(expect(atEachCall(again)).toEqual(seen)),
    });
  });

  it('of a world whose clock was moved contains its state, even when declared new', async () => {
    const sim = await world({ seed: 'moved', time: 'frozen' });
    await sim.advance('1d');
    await sim.recording.start({ isNew: true });
    await sim.agent(0).signIn();
    const text = (await sim.recording.stop()) ?? '';
    expect(readRecording(text, 'memory').header.state).not.toBeNull();
    expect(await differencesOf(text)).toEqual([]);
  });

  it('records that a transaction was sent before, whoever sent it first', async () => {
    let signature = '';
    const text = await recordingOf({ seed: 'again' }, async (session, sim) => {
      const { keys } = await session.outsider(10);
      const transfer = session.lamports(keys, Keypair.generate().publicKey.toBase58(), 5_000_000);
      const transaction = await session.signed(keys, transfer);
      signature = bs58.encode(transaction.signature as Uint8Array);
      const bytes = transaction.serialize();
      await sim.chain.submit(bytes);
      await session.connection.sendRawTransaction(bytes, { skipPreflight: true }).catch(() => undefined);
    });
    expect(text).toContain(`"repeats":"${signature}"`);
    expect(await differencesOf(text)).toEqual([]);
  });

  it('contains no token, secret key, sign-in message or its signature', async () => {
    const secrets: string[] = [];
    const text = await recordingOf({ seed: 'secret' }, async (session, sim) => {
      await busySession(session);
      expect(session.tokens.length).toBeGreaterThan(2);
      secrets.push(...session.tokens, ...session.secrets, ...sim.wallets.map(({ secretKey }) => secretKey));
    });
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
    expect(text).not.toContain('wants you to sign in');
    expect(text).not.toContain('Nonce');
  });

  it('reports a differing response with line, path and both values', async () => {
    const text = await busy({ seed: 'changed' });
    const rows = text.split('\n');
    const at = rows.findIndex(
      (row) => row.includes('"operation":"savingsDeposit"') && row.includes('"status":200'),
    );
    rows[at] = (rows[at] as string).replace('"previous":2000', '"previous":2001');
    const changed = rows.join('\n');
    expect(await differencesOf(changed)).toEqual([
      `line ${at + 1}: savingsDeposit: checking.previous expected 2001, got 2000`,
    ]);
    const { byWhat } = await replayRecording(readRecording(changed, 'session.ndjson'));
    expect(byWhat['savingsDeposit']).toEqual({ inputs: 1, different: 1 });
  });

  it.skipIf(!existsSync('/dev/full'))(
    'ends with one message when its file cannot be written, and the world continues',
    async () => {
      const said = vi.spyOn(console, 'error').mockReturnValue();
      onTestFinished(() => said.mockRestore());
      const sim = await world({ seed: 'full' });
      await sim.recording.start({ path: '/dev/full', isNew: true });
      const session = await Session.of(sim);
      await busySession(session);
      await vi.waitFor(() => expect(said).toHaveBeenCalledOnce());
      expect(said.mock.calls[0]?.[0]).toContain('the recording /dev/full can no longer be written');
      expect(sim.recording.state()).toEqual({
        recording: false,
        path: null,
        inputs: 0,
        ended: 'it could no longer be written',
      });
      await busySession(session);
      expect(said).toHaveBeenCalledOnce();
    },
  );

  it('gives byte-identical event logs in two replays', async () => {
    const text = await busy({ seed: 'twins', time: 'real' });
    const recording = readRecording(text, 'session.ndjson');
    const logs: string[] = [];
    for (const log of ['a', 'b'].map((name) => join(temporaryFolder(), name))) {
      await replayRecording(recording, { log });
      logs.push(readFileSync(log, 'utf8'));
    }
    expect(logs[0]?.split('\n').length).toBeGreaterThan(90);
    expect(logs[1]).toBe(logs[0]);
  });
});
