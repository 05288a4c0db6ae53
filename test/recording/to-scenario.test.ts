import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readRecording } from '../../src/recording/read-recording.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import { UnreadableRecording } from '../../src/recording/recording-error.js';
import { played, troubles } from '../scenario/played.js';
import { world } from '../support/world.js';
import { Session, busySession } from './session.js';

async function recordingOf(work: (session: Session) => Promise<void>, time = 'frozen') {
  const sim = await world({ seed: 'to-scenario', time });
  await sim.recording.start({ isNew: true });
  const session = await Session.of(sim);
  await work(session);
  return readRecording((await sim.recording.stop()) ?? '', 'memory');
}

interface File {
  readonly agents: Readonly<Record<string, unknown>>;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

const titles = ({ steps }: File) => steps.map((step) => Object.keys(step)[0]);

it('a recording becomes a scenario with names for wallets and expectations that hold', async () => {
  const recording = await recordingOf(async (session) => {
    const { sim, control } = session;
    const keys = Keypair.fromSecretKey(bs58.decode(sim.wallets[3]?.secretKey ?? ''));
    const alice = await session.customer(keys.secretKey);
    const { agent: bob } = await session.outsider(40);
    await session.deposit(alice, keys, 250);
    await alice.account();
    await alice.saveIn({ amount: 100, token: 'USDC' });
    await control.do('advance', { body: { by: '30d' } });
    const again = await session.customer(keys.secretKey);
    await again.account();
    await again.withdraw({ amount: 1_000, token: 'USDC' }).catch(() => undefined);
    const { receipt } = await again.pay({ amount: 2.5, token: 'USDC', recipient: bob.wallet.address });
    const bobAgain = await session.customer(
      bs58.decode(
        session.secrets.find(
          (secret) => bs58.encode(bs58.decode(secret).subarray(32)) === bob.wallet.address,
        ) ?? '',
      ),
    );
    await bobAgain.receive({ tx_signature: receipt.tx_signature });
    await again.saveOut({ amount: 100, token: 'USDC' });
  });
  const { text } = await toScenario(recording, { name: 'A session', all: false });
  const file = parse(text) as File;
  expect(Object.keys(file.agents)).toEqual(['alice', 'bob']);
  expect(titles(file)).toEqual([
    'faucet.give',
    'faucet.give',
    'alice.deposit',
    'alice.savings.deposit',
    'time.advance',
    'alice.withdraw',
    'alice.x402.pay',
    'bob.x402.receive',
    'alice.savings.withdraw',
  ]);
  expect(file.steps[2]).toMatchObject({ expect: { 'balance.current': 250 } });
  expect(file.steps[5]).toMatchObject({ expect: { status: 400, code: 'insufficient_balance' } });
  expect(file.steps[7]).toMatchObject({
    'bob.x402.receive': { tx_signature: expect.stringMatching(/^\$\{/) as string },
  });
  for (const engine of ['litesvm', 'bankrun'] as const)
    expect(troubles(await played(text, { engine }))).toEqual([]);
  const all = await toScenario(recording, { name: 'All of it', all: true });
  expect(titles(parse(all.text) as File).filter((title) => title === 'alice.account')).toHaveLength(2);
  expect(troubles(await played(all.text))).toEqual([]);
});

it('a busy recording becomes a scenario that is green, frozen or not', async () => {
  for (const time of ['frozen', '60x']) {
    const { text, leftOut, steps } = await toScenario(await recordingOf(busySession, time), {
      name: 'Busy',
      all: false,
    });
    expect(troubles(await played(text)), text).toEqual([]);
    expect(steps).toBeGreaterThan(20);
    expect(leftOut.map(({ why }) => why)).toContain('it was not signed as it must be');
  }
});

it('a recording that begins in the middle makes none, and says why', async () => {
  const sim = await world({ seed: 'middle' });
  await sim.recording.start();
  await sim.agent(0).signIn();
  const recording = readRecording((await sim.recording.stop()) ?? '', 'memory');
  await expect(toScenario(recording, { name: 'Middle', all: false })).rejects.toThrow(UnreadableRecording);
});
