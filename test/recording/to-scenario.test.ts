import { Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { accountJson } from '../../src/runtime/accounts/account-json.js';
import { readRecording } from '../../src/recording/replay/read-recording.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import { httpServer } from '../../src/testing/drivers/http-server.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import type { AgentClient, Simulator, SimulatorOptions } from '../../src/index.js';
import { played, troubles } from '../testing/scenario/played.js';
import { tableAccount } from '../support/lookup-table.js';
import { world } from '../support/world.js';
import { type Known, begin, laterRecorded, recordingOf as textOf } from './support.js';
import { type Session, busySession, devKeys, refused } from './session.js';

async function recordingOf(work: (session: Session) => Promise<void>, options: SimulatorOptions = {}) {
  return readRecording(await textOf({ seed: 'to-scenario', time: 'frozen', ...options }, work), 'memory');
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
      const recording = await recordingOf(busySession, { time });
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
      made.leftOut.map(({ why }) => why).filter((why) => !/sign in|renew refused tokens/.test(why)),
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
    const beside = await toScenario(recording, { name: 'Later', all: false, stateFile: 'a: $& "b".sim' });
    expect(parse(beside.scenario)).toMatchObject({ world: { state: 'a: $& "b".sim' } });
    for (const engine of ['litesvm', 'bankrun'] as const) {
      const result = await played(made.scenario, { engine });
      expect(troubles(result)).toEqual([]);
      expect(result.seed).toBe('used');
    }
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
async function scenarioOf(
  work: (session: Session, known: Known) => Promise<void>,
  options: SimulatorOptions = {},
) {
  const recording = await recordingOf(async (session) => work(session, await begin(session)), options);
  const made = await toScenario(recording, { name: 'x', all: false });
  expect(troubles(await played(made.scenario)), made.scenario).toEqual([]);
  const reasons = made.leftOut.map(({ why }) => why);
  return { ...made, file: parse(made.scenario) as File, reasons };
}

/** Sends USDC to the treasury; the accounts stand in a lookup table, which is made before. */
async function sendByTable(session: Session, dev: Keypair, amountBase: number): Promise<string> {
  const { connection, control, sim } = session;
  const { treasury, usdcMint } = sim.facts;
  const { publicKey } = Keypair.generate();
  const table = tableAccount([treasury, associatedTokenAddress(treasury, usdcMint), usdcMint]);
  await control.do('setAccounts', { body: { accounts: [accountJson(publicKey.toBase58(), table)] } });
  const { value } = await connection.getAddressLookupTable(publicKey);
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

it('a recording without inputs becomes no scenario', async () => {
  const made = toScenario(await recordingOf(async () => undefined), { name: 'x', all: false });
  await expect(made).rejects.toThrow('the recording has no input that a scenario can contain');
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

it('a signature that is an Idempotency-Key or deposited twice is saved by a step of its own', async () => {
  const { file } = await scenarioOf(async (session, { dev, alice }) => {
    const tx_signature = await session.send(dev, session.usdc(dev, session.sim.facts.treasury, 3e6));
    const deposit = (more: object) => alice.deposit({ amount: 3, token: 'USDC', tx_signature }, more);
    const first = await deposit({ idempotencyKey: tx_signature });
    expect(await deposit({ idempotencyKey: tx_signature })).toEqual(first);
    expect(await refused(deposit({}))).toMatchObject({ code: 'transaction_already_recorded' });
  });
  const signature = expect.stringMatching(/^\$\{signature\d\}$/) as string;
  const deposit = { amount: 3, token: 'USDC', tx_signature: signature };
  expect(file.steps.slice(1)).toMatchObject([
    { 'alice.send': { to: '${treasury}' } },
    { 'alice.deposit': deposit, key: signature },
    { 'alice.deposit': deposit, key: signature },
    { 'alice.deposit': deposit, expect: { code: 'transaction_already_recorded' } },
  ]);
});

it('a scenario has the limits of the bank, and the rates and prices of a series file', async () => {
  const csv = 'time,usdc_apy,sol_usd\n2026-01-01T00:00:00Z,0.05,10.5\n2026-01-02T00:00:00Z,0.06,\n';
  const limits = { dailyWithdrawalUsd: 50, maxLtv: 0.9 };
  const { file } = await scenarioOf(
    async ({ control }, { alice }) => {
      await alice.depositSavings({ amount: 100, token: 'USDC' });
      await refused(alice.withdraw({ amount: 60, token: 'USDC' }));
      await alice.borrow({ amount: 80 });
      await control.do('advance', { body: { by: '30d' } });
      await alice.withdrawSavings({ amount: 1, token: 'USDC' });
    },
    { limits, oracle: { csv, solApy: 0.01 } },
  );
  expect(file).toMatchObject({ world: { limits, oracle: { sol: 0.01, usdcUsd: 1 } } });
  expect(file).toMatchObject({
    world: { oracle: { solUsd: { series: [{ at: '2026-01-01T00:00:00.000Z', value: 10.5 }] } } },
  });
});

it('a text that begins like an alias is sent and expected unchanged', async () => {
  const { file } = await scenarioOf(async ({ sim, control }, { alice }) => {
    const recipient = sim.wallets[1]?.address ?? '';
    await control.do('snapshot');
    for (const memo of ['<b>thanks</b>', '<<', '<id-1>'])
      await alice.pay({ recipient, amount: 1, token: 'USDC', memo });
  });
  expect(file.steps[2]).toMatchObject({ 'alice.x402.pay': { memo: '<b>thanks</b>' } });
});

/** A recording that begins with a customer and a fault, as a scenario that holds. */
async function laterScenarioOf(
  before: (session: Session, known: Known) => Promise<unknown>,
  work: (session: Session, known: Known) => Promise<unknown>,
) {
  const text = await laterRecorded(before, work, { time: 'frozen' });
  const made = await toScenario(readRecording(text, 'memory'), { name: 'x', all: false });
  expect(troubles(await played(made.scenario)), made.scenario).toEqual([]);
  return parse(made.scenario) as File;
}

describe('while faults count calls, a scenario keeps', () => {
  const third = { endpoint: '*', effect: 'lose-response', when: { nth: 3 } } as const;

  it('reads and sign-ins, also for faults from before the recording', async () => {
    const file = await laterScenarioOf(
      ({ control }) => control.do('addFault', { body: third }),
      async (session, { dev }) => {
        const alice = await session.customer(dev.secretKey);
        await refused(alice.account());
        await alice.withdraw({ amount: 1, token: 'USDC' });
      },
    );
    expect(titles(file)).toEqual(['alice.signIn', 'alice.account', 'alice.withdraw']);
    expect(file.steps[1]).toMatchObject({ expect: { lost: true } });
  });

  it('sign-ins that a fault has refused or lost', async () => {
    const { file } = await scenarioOf(async (session, { dev, alice }) => {
      const { control } = session;
      await control.do('addFault', { body: { ...third, effect: 'replace-response', when: { nth: 1 } } });
      await control.do('addFault', { body: third });
      for (let round = 0; round < 2; round += 1) await refused(session.customer(dev.secretKey));
      await alice.account();
    });
    expect(file.steps.slice(-3)).toMatchObject([
      { 'alice.signIn': null, expect: { status: 500, code: 'injected_fault' } },
      { 'alice.signIn': null, expect: { lost: true } },
      { 'alice.account': null },
    ]);
  });

  it('calls whose token was refused', async () => {
    const { file } = await scenarioOf(async ({ control }, { alice }) => {
      await control.do('addFault', {
        body: { endpoint: 'withdraw', effect: 'lose-response', when: { nth: 3 } },
      });
      await alice.withdraw({ amount: 1, token: 'USDC' });
      await control.do('advance', { body: { by: '25h' } });
      await refused(alice.withdraw({ amount: 2, token: 'USDC' }));
    });
    expect(file.steps.slice(-3)).toMatchObject([
      { call: { body: { amount: 2 } }, expect: { status: 401, code: 'invalid_token' } },
      { 'alice.signIn': null },
      { 'alice.withdraw': { amount: 2 }, expect: { lost: true } },
    ]);
  });
});

describe('time in a scenario passes as it did', () => {
  it('in a world that was frozen and ran later', async () => {
    await scenarioOf(async ({ control, sim }, { alice }) => {
      await alice.depositSavings({ amount: 400, token: 'USDC' });
      await alice.borrow({ amount: 100 });
      await control.do('scale', { body: { factor: 1e9 } });
      await vi.waitUntil(() => sim.now().getTime() > Date.UTC(2026, 0, 20));
      await control.do('freeze');
      await alice.repay({ amount: 50 });
    });
  });

  it('where overlapping calls took effect in another order than they arrived', async () => {
    const recording = await recordingOf(async (session) => {
      const { alice } = await begin(session);
      for (const amount of [1, 2, 3, 4]) await alice.depositSavings({ amount, token: 'USDC' });
    });
    const lines = recording.lines.map(({ number, line }) => ({
      number,
      line: 'at' in line ? { ...line, at: line.at + (number % 2 === 0 ? 2_000 : 1_000) } : line,
    }));
    const { scenario: text } = await toScenario({ ...recording, lines }, { name: 'x', all: false });
    expect(troubles(await played(text)), text).toEqual([]);
    expect(titles(parse(text) as File)).toContain('time.advance');
  });
});

it('a raw call is made with a token that was renewed when the recorded one was', async () => {
  const { file } = await scenarioOf(async (session, { dev }) => {
    const post = () => session.post('/agent/account/withdraw', '{"amount":');
    await post();
    await session.control.do('advance', { body: { by: '25h' } });
    await session.customer(dev.secretKey);
    await post();
  });
  expect(titles(file).slice(-3)).toEqual(['time.advance', 'alice.signIn', 'alice.call']);
});

it('an agent whose account a revert has undone signs in again', async () => {
  const { reasons } = await scenarioOf(async (session, { alice }) => {
    const { control, sim } = session;
    const { id } = await control.do('snapshot');
    const bob = await session.customer(devKeys(sim, 1).secretKey);
    await session.deposit(bob, devKeys(sim, 1), 5);
    await control.do('revert', { id });
    await alice.withdraw({ amount: 1, token: 'USDC' });
    await refused(bob.withdraw({ amount: 1, token: 'USDC' }));
  });
  expect(reasons).toContain('agents renew refused tokens automatically');
});
