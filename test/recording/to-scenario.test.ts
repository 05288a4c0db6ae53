import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readRecording } from '../../src/recording/replay/read-recording.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import { httpServer } from '../../src/testing/drivers/http-server.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import type { AgentClient, Simulator } from '../../src/index.js';
import { played, troubles } from '../testing/scenario/played.js';
import { world } from '../support/world.js';
import { type Known, begin, recordingOf as textOf } from './support.js';
import { type Session, busySession, devKeys, refused } from './session.js';

async function recordingOf(work: (session: Session) => Promise<void>, time = 'frozen') {
  return readRecording(await textOf({ seed: 'to-scenario', time }, work), 'memory');
}

interface File {
  readonly agents: Readonly<Record<string, unknown>>;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

const titles = ({ steps }: File) => steps.map((step) => Object.keys(step)[0]);

it('a recording becomes a scenario with named agents and expectations that hold', async () => {
  const recording = await recordingOf(async (session) => {
    const { sim, control } = session;
    const keys = devKeys(sim, 3);
    const alice = await session.customer(keys.secretKey);
    const { agent: bob, keys: bobKeys } = await session.outsider(40);
    await session.deposit(alice, keys, 250);
    await alice.account();
    await alice.depositSavings({ amount: 100, token: 'USDC' });
    await control.do('advance', { body: { by: '30d' } });
    const again = await session.customer(keys.secretKey);
    await again.account();
    await again.withdraw({ amount: 1_000, token: 'USDC' }).catch(() => undefined);
    const { receipt } = await again.pay({ amount: 2.5, token: 'USDC', recipient: bob.wallet.address });
    const bobAgain = await session.customer(bobKeys.secretKey);
    await bobAgain.receive({ tx_signature: receipt.tx_signature });
    await again.withdrawSavings({ amount: 100, token: 'USDC' });
  });
  const { scenario: text } = await toScenario(recording, { name: 'A session', all: false });
  const file = parse(text) as File;
  expect(Object.keys(file.agents)).toEqual(['alice', 'bob']);
  expect(titles(file).join(' ')).toBe(
    'faucet.give faucet.give bob.signIn alice.deposit alice.savings.deposit time.advance alice.withdraw ' +
      'alice.x402.pay bob.x402.receive alice.savings.withdraw',
  );
  expect(file.steps[3]).toMatchObject({ expect: { 'balance.current': 250 } });
  expect(file.steps[6]).toMatchObject({ expect: { status: 400, code: 'insufficient_balance' } });
  expect(file.steps[8]).toMatchObject({
    'bob.x402.receive': { tx_signature: expect.stringMatching(/^\$\{/) as string },
  });
  for (const engine of ['litesvm', 'bankrun'] as const)
    expect(troubles(await played(text, { engine }))).toEqual([]);
  const all = await toScenario(recording, { name: 'All of it', all: true });
  expect(titles(parse(all.scenario) as File).filter((title) => title === 'alice.account')).toHaveLength(2);
  expect(troubles(await played(all.scenario))).toEqual([]);
});

it('a scenario expects every telling member of a recorded response, and the events of an advance', async () => {
  const { file } = await scenarioOf(async ({ control }, { alice }) => {
    await alice.depositSavings({ amount: 3, token: 'USDC' });
    await alice.borrow({ amount: 1 });
    await control.do('advance', { body: { by: '30d' } });
  });
  const [borrowed, advanced] = file.steps.slice(-2).map(({ expect: wanted }) => wanted as object);
  expect(Object.keys(borrowed ?? {})).toContain('loan.apr');
  expect(Object.keys(borrowed ?? {})).toHaveLength(9);
  expect(advanced).toEqual({ reached: true, 'fired.0.kind': 'savings.settled' });
});

it(
  'a busy recording becomes a scenario that passes, from frozen and running time',
  { tags: ['slow'] },
  async () => {
    for (const time of ['frozen', '60x']) {
      const recording = await recordingOf(busySession, time);
      const { scenario: text, leftOut, steps } = await toScenario(recording, { name: 'Busy', all: false });
      expect(troubles(await played(text)), text).toEqual([]);
      expect(steps).toBeGreaterThan(20);
      expect(leftOut.map(({ why }) => why)).toContain('it lacked valid signatures');
    }
  },
);

/** A recording that begins after a dev wallet, a created wallet and a wallet with a key of its own have used the world. */
async function laterRecording(act: (agents: AgentClient[], sim: Simulator) => Promise<void>) {
  const sim = await world({ seed: 'used', time: 'frozen' });
  const { secretKey: made } = await sim.createFundedWallet({ SOL: 1, USDC: 500 });
  const own = AgentWallet.generate();
  await sim.faucet(own.address, 1, 'SOL');
  await sim.faucet(own.address, 900, 'USDC');
  const agents = [sim.agent(0), sim.agent(AgentWallet.fromSecretKey(made)), sim.agent(own)];
  for (const agent of agents) await agent.fund(300, 'USDC');
  await sim.advance('10d');
  await sim.recording.start();
  await act(agents, sim);
  return { sim, recording: readRecording((await sim.recording.stop()) ?? '', 'memory') };
}

describe('a recording of a world that was used before', () => {
  it('becomes a scenario that begins with the state of that world and its wallets', async () => {
    const { recording, sim } = await laterRecording(async ([dev, made, own]) => {
      await dev?.depositSavings({ amount: 250, token: 'USDC' });
      await made?.pay({ amount: 2, token: 'USDC', recipient: own?.wallet.address ?? '' });
      await own?.withdraw({ amount: 300, token: 'USDC' });
      await own?.withdraw({ amount: 1, token: 'USDC' }).catch(() => undefined);
    });
    const made = await toScenario(recording, { name: 'Later', all: false });
    expect(
      made.leftOut.map(({ why }) => why).filter((why) => !/sign in|renew expired tokens/.test(why)),
    ).toEqual([]);
    const file = parse(made.scenario) as File & { world: Record<string, string> };
    expect(Object.keys(file.world)).toEqual(['state']);
    expect(file.agents).toEqual({
      alice: { wallet: 0 },
      bob: { wallet: sim.funding.made()[0]?.address },
      carol: { wallet: expect.any(String) as string },
    });
    expect(titles(file).join(' ')).toBe('alice.savings.deposit bob.x402.pay carol.withdraw carol.withdraw');
    expect(file.steps[2]).toMatchObject({ expect: { 'balance.current': 0 } });
    expect(file.steps[3]).toMatchObject({ expect: { code: 'insufficient_balance' } });
    for (const engine of ['litesvm', 'bankrun'] as const) {
      const result = await played(made.scenario, { engine });
      expect(troubles(result)).toEqual([]);
      expect(result.seed).toBe('used');
    }
  });

  it('names a file of its own for the state where there is one', async () => {
    const { recording } = await laterRecording(async ([dev]) => {
      await dev?.depositSavings({ amount: 250, token: 'USDC' });
    });
    const made = await toScenario(recording, { name: 'Later', all: false, stateFile: 'a: $& "b".sim' });
    expect(parse(made.scenario)).toMatchObject({ world: { state: 'a: $& "b".sim' } });
  });

  it('is played over a socket as far as the world has the keys', async () => {
    const acts = async ([dev, , own]: AgentClient[]) => {
      await dev?.depositSavings({ amount: 250, token: 'USDC' });
      await own?.depositSavings({ amount: 250, token: 'USDC' });
    };
    const both = await toScenario((await laterRecording(acts)).recording, { name: 'Both', all: false });
    expect(await played(both.scenario, { target: httpServer })).toMatchObject({
      verdict: 'skipped',
      reason: expect.stringContaining('no key is available for the wallet') as string,
    });
    const own = await laterRecording((agents) => acts(agents.slice(0, 1)));
    const one = await toScenario(own.recording, { name: 'One', all: false });
    expect(troubles(await played(one.scenario, { target: httpServer }))).toEqual([]);
  });
});

/** A session, after `begin`, as a scenario that holds. */
async function scenarioOf(work: (session: Session, known: Known) => Promise<void>) {
  const recording = await recordingOf(async (session) => work(session, await begin(session)));
  const made = await toScenario(recording, { name: 'x', all: false });
  expect(troubles(await played(made.scenario)), made.scenario).toEqual([]);
  const reasons = made.leftOut.map(({ why }) => why);
  return { ...made, file: parse(made.scenario) as File, reasons };
}

/** Sends USDC to the treasury; the accounts stand in a lookup table, which is made before. */
async function sendByTable(session: Session, dev: Keypair, amountBase: number): Promise<string> {
  const { connection, sim } = session;
  const recentSlot = await connection.getSlot('processed');
  const own = { authority: dev.publicKey, payer: dev.publicKey };
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({ ...own, recentSlot });
  await session.send(dev, [create]);
  const [mint, treasury] = [new PublicKey(sim.facts.usdcMint), new PublicKey(sim.facts.treasury)];
  const addresses = [treasury, getAssociatedTokenAddressSync(mint, treasury, true), mint];
  await session.send(dev, [AddressLookupTableProgram.extendLookupTable({ ...own, lookupTable, addresses })]);
  // It can be used a slot later.
  await session.send(dev, session.lamports(dev, Keypair.generate().publicKey.toBase58(), 5_000_000));
  const { value } = await connection.getAddressLookupTable(lookupTable);
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash();
  const instructions = session.usdc(dev, sim.facts.treasury, amountBase);
  const message = new TransactionMessage({ payerKey: dev.publicKey, recentBlockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message(value === null ? [] : [value]));
  transaction.sign([dev]);
  return connection.sendRawTransaction(transaction.serialize());
}

describe('a scenario omits, with the reason,', () => {
  it('a transaction whose accounts stand in a lookup table, and what refers to it', async () => {
    const { reasons, file } = await scenarioOf(async (session, { dev, alice }) => {
      await alice.deposit({ amount: 3, token: 'USDC', tx_signature: await sendByTable(session, dev, 3e6) });
    });
    expect(reasons).toContain('its accounts are in a lookup table');
    expect(reasons).toContain('it refers to a value that no step creates');
    expect(titles(file).filter((title) => title === 'alice.deposit')).toHaveLength(1);
  });

  it('a transaction without preflight, of which the response does not say what came of it', async () => {
    const { reasons, file } = await scenarioOf(async (session, { alice }) => {
      const { secretKey } = await session.control.do('createWallet', { body: {} });
      const keys = Keypair.fromSecretKey(bs58.decode(secretKey));
      const options = { skipPreflight: true };
      const transfer = session.lamports(keys, keys.publicKey.toBase58(), 5);
      await session.send(keys, transfer, options).catch(() => undefined);
      await alice.withdraw({ amount: 1, token: 'USDC' });
    });
    expect(reasons).toContainEqual(expect.stringMatching(/^it was sent without preflight/));
    expect(titles(file)).toEqual(['alice.deposit', 'alice.withdraw']);
  });
});

it('a malformed command becomes a step that expects the same refusal', async () => {
  const { file } = await scenarioOf(async ({ baseUrl, control }) => {
    const { origin } = new URL(baseUrl);
    await fetch(`${origin}/_sim/v1/time/advance`, { method: 'POST', body: 'null' });
    await control.do('advance', { body: { by: 'soon' } }).catch(() => undefined);
    await control.do('faucet', { body: { address: 'x', amount: -1, token: 'SOL' } }).catch(() => undefined);
  });
  expect(file.steps.slice(1)).toEqual(
    ['advance', 'advance', 'faucet'].map((command) => ({
      control: expect.objectContaining({ do: command }) as unknown,
      expect: { status: 400, code: expect.any(String) as string },
    })),
  );
});

it('an agent’s text in the form of a reference is sent unchanged', async () => {
  const purposes = ['${alice}', 'for ${nobody}', '$${treasury}'];
  const { file, scenario: text } = await scenarioOf(async (session) => {
    for (const purpose of purposes) {
      const body = JSON.stringify({ amount: 10, purpose, duration: 30, '${alice}': 1 });
      await session.post('/agent/loans', body, undefined, { 'idempotency-key': purpose });
    }
  });
  const { steps } = await played(text);
  const sent = steps.flatMap(({ args }) => (args as { purpose?: string } | undefined)?.purpose ?? []);
  expect(sent).toEqual(purposes);
  expect(file.steps.slice(1).map(({ key }) => key)).toEqual([
    '$${alice}',
    'for $${nobody}',
    '$$$${treasury}',
  ]);
  expect(text).toContain('$${alice}: 1');
});

it('a call that no verb can express becomes a raw request', async () => {
  const { file, reasons } = await scenarioOf(async (session, { alice }) => {
    const post = (path: string, body?: object) => session.post(`/agent${path}`, body && JSON.stringify(body));
    // The verb would send the money first, and look for an expectation in its arguments.
    await post('/account/deposit', { amount: 5, token: 'USDC' });
    await post('/account/withdraw', { amount: 1, token: 'USDC', note: 'mine', expect: 1 });
    await post('/account/withdraw');
    const { application } = await alice.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
    await post(`/loans/${application.id}/repay`, { amount: 1, save: 'it' });
  });
  expect(titles(file).slice(1)).toEqual([
    'alice.call',
    'alice.call',
    'alice.call',
    'alice.loans.apply',
    'alice.call',
  ]);
  expect(file.steps[1]).toMatchObject({ expect: { status: 400, code: 'invalid_request' } });
  expect(file.steps[2]).toMatchObject({ expect: { 'withdrawal.amount': 1 } });
  expect(file.steps[3]).toMatchObject({ expect: { status: 400, code: 'invalid_json' } });
  const saved = Object.keys(file.steps[4]?.['save'] as object);
  expect(file.steps[5]).toMatchObject({
    'alice.call': { path: `/agent/loans/\${${saved[0]}}/repay` },
    expect: { status: 400, code: 'loan_not_active' },
  });
  expect(reasons).not.toContain('it refers to a value that no step creates');
});

it.each(['lose-response', 'drop-connection'] as const)(
  'a call under %s becomes a step that expects no response',
  async (effect) => {
    const { file } = await scenarioOf(async ({ control }, { alice }) => {
      await control.do('addFault', { body: { endpoint: 'withdraw', effect, when: { nth: 1 } } });
      await refused(alice.withdraw({ amount: 5, token: 'USDC' }, { idempotencyKey: 'k' }));
      await alice.withdraw({ amount: 5, token: 'USDC' }, { idempotencyKey: 'k' });
    });
    expect(file.steps.slice(-2)).toMatchObject([
      { expect: { lost: true } },
      { expect: { 'withdrawal.status': 'completed' } },
    ]);
  },
);
