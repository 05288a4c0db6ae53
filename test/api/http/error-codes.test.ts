import { describe, expect, it, onTestFinished, vi } from 'vitest';
import bs58 from 'bs58';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../../src/chain/solana/wire.js';
import type { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { ERRORS, type ErrorCode } from '../../../src/core/domain/errors.js';
import { MemoryJournal } from '../../../src/core/journal/memory.js';
import { StorageUnavailable } from '../../../src/core/journal/storage-unavailable.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { bankOn } from '../../support/cluster.js';
import { leaveInTreasury } from '../../support/thief.js';
import { type Answer, RawCaller, agentWith, world, worldWithAgent } from '../../support/world.js';

const ANON = (sim: Simulator) => new RawCaller(sim, null);
const DEPOSIT = '/agent/account/deposit';
const WITHDRAW = '/agent/account/withdraw';
const PAY = '/agent/account/x402/pay';

interface Funded {
  readonly sim: Simulator;
  readonly caller: RawCaller;
}

async function funded(usdc = 2_000, options = {}): Promise<Funded> {
  const { sim, agent } = await worldWithAgent({ usdc, ...options });
  await agent.depositSavings({ amount: usdc / 2, token: 'USDC' });
  return { sim, caller: await RawCaller.signedIn(sim, 0) };
}

/** Sends 5 USDC from a dev wallet, to the bank unless another address is given, and deposits it with the members given. */
async function deposit({ sim, caller }: Funded, more: object = {}, { at = 0, to = sim.facts.treasury } = {}) {
  const transfer = { to, amount: 5, token: 'USDC', usdcMint: sim.facts.usdcMint } as const;
  const tx_signature = await sim.agent(at).wallet.send(sim.chain, transfer);
  return caller.post(DEPOSIT, { amount: 5, token: 'USDC', tx_signature, ...more });
}

/** Pays a request of another dev wallet for 5 USDC, after `before`, which may pay it as well. */
async function payRequest(
  { sim, caller }: Funded,
  query: string,
  before: (pay: () => Promise<Answer>) => Promise<unknown>,
) {
  const bob = await RawCaller.signedIn(sim, 1);
  const { body } = await bob.get(`/agent/account/x402/request?amount=5${query}`);
  const { 'X-Payment-Request': header } = body['headers'] as Record<string, string>;
  const recipient = sim.wallets[1]?.address;
  const payment = { recipient, amount: 5, token: 'USDC', payment_request: header };
  const pay = () => caller.post(PAY, payment);
  await before(pay);
  return pay();
}

const WITHDRAWAL = { amount: 1, token: 'USDC' };
const APPLICATION = { amount: 100, purpose: 'task' };

/** The second of two applications for a loan, which leaves no entry. */
async function applyTwice(limits: object): Promise<Answer> {
  const { sim, caller } = await funded(2_000, { limits });
  await caller.post('/agent/loans', APPLICATION);
  const before = sim.books.entries();
  const answer = await caller.post('/agent/loans', APPLICATION);
  expect(sim.books.entries()).toBe(before);
  return answer;
}

/** The second of two withdrawals. */
async function withdrawTwice({ caller }: Funded, first: object, keys: readonly string[]): Promise<Answer> {
  const send = (body: object, key = '') =>
    caller.post(WITHDRAW, body, key === '' ? {} : { 'idempotency-key': key });
  await send({ ...WITHDRAWAL, ...first }, keys[0]);
  return send(WITHDRAWAL, keys[1]);
}

/** A call with money in checking and as much in savings. */
const posts = (path: string, body: unknown) => async () => (await funded()).caller.post(path, body);

async function challenge(sim: Simulator, at = 0): Promise<{ wallet: AgentWallet; message: string }> {
  const { wallet } = sim.agent(at);
  const { body } = await ANON(sim).post('/agent/auth/challenge', { wallet: wallet.address });
  return { wallet, message: body['challenge'] as string };
}

function verify(
  sim: Simulator,
  wallet: AgentWallet,
  message: string,
  signature = wallet.signText(message),
): Promise<Answer> {
  return ANON(sim).post('/agent/auth/verify', { wallet: wallet.address, message, signature });
}

async function loanOf(caller: RawCaller): Promise<string> {
  const { body } = await caller.post('/agent/loans', APPLICATION);
  return (body['application'] as { id: string }).id;
}

/** For every code, a call over HTTP that is refused with it. */
const SITUATIONS: Record<ErrorCode, () => Promise<Answer>> = {
  invalid_json: posts(WITHDRAW, '{"amount": 1,'),
  invalid_request: posts(WITHDRAW, { amount: 1 }),
  payload_too_large: posts(WITHDRAW, { memo: 'x'.repeat(70_000) }),
  invalid_amount: posts(WITHDRAW, { amount: '1', token: 'USDC' }),
  unsupported_token: posts(WITHDRAW, { amount: 1, token: 'DOGE' }),
  invalid_wallet: posts(WITHDRAW, { amount: 1, token: 'USDC', destination: 'me' }),
  insufficient_balance: posts(WITHDRAW, { amount: 1_000.000001, token: 'USDC' }),
  insufficient_savings: posts('/agent/account/savings/withdraw', { amount: 1_000.000001, token: 'USDC' }),
  collateral_locked: async () => {
    const { caller } = await funded();
    await caller.post('/agent/account/collateral/borrow', { amount: 350 });
    return caller.post('/agent/account/savings/withdraw', { amount: 500.000001, token: 'USDC' });
  },
  collateral_limit_exceeded: posts('/agent/account/collateral/borrow', { amount: 700.000001 }),
  no_outstanding_loan: posts('/agent/account/collateral/repay', { amount: 1 }),
  transaction_not_found: posts(DEPOSIT, { amount: 1, token: 'USDC', tx_signature: '5'.repeat(87) }),
  transaction_not_confirmed: async () => {
    const sim = await world({ confirmationSlots: 5 });
    return deposit({ sim, caller: await RawCaller.signedIn(sim, 0) });
  },
  transaction_failed: async () => {
    const { sim, caller } = await funded();
    const { wallet } = sim.agent(0);
    const tooMuch = transferLamports(wallet.address, sim.facts.treasury, 10n ** 15n);
    const bytes = buildTransaction([tooMuch], [wallet], sim.chain.latestBlockhash().blockhash);
    const submission = await sim.chain.submit(bytes, { skipPreflight: true });
    if (submission.kind === 'refused') throw new Error('the transaction should run and fail');
    const { signature } = submission.record;
    return caller.post(DEPOSIT, { amount: 1_000_000, token: 'SOL', tx_signature: signature });
  },
  transaction_not_to_bank: async () => {
    const given = await funded();
    return deposit(given, {}, { to: given.sim.wallets[1]?.address ?? '' });
  },
  amount_mismatch: async () => deposit(await funded(), { amount: 5.000001 }),
  token_mismatch: async () => deposit(await funded(), { token: 'SOL' }),
  transaction_already_recorded: async () => {
    const given = await funded();
    const { body } = await deposit(given);
    return deposit(given, { tx_signature: (body['deposit'] as { tx_signature: string }).tx_signature });
  },
  transaction_too_old: async () => {
    const node = await world({ engine: 'litesvm' });
    const { url: rpcUrl } = await node.listenRpc();
    const tx_signature = await node.agent(1).wallet.send(node.chain, {
      to: node.wallets[0]?.address ?? '',
      amount: 5,
      token: 'USDC',
      usdcMint: node.facts.usdcMint,
    });
    const sim = await bankOn({ rpcUrl, wallets: node.wallets }, 0);
    const { token } = await sim.agent(node.agent(1).wallet).signIn();
    return new RawCaller(sim, token).post(DEPOSIT, { amount: 5, token: 'USDC', tx_signature });
  },
  payment_request_already_paid: async () => payRequest(await funded(), '', (pay) => pay()),
  payment_request_expired: async () => {
    const given = await funded();
    return payRequest(given, '&expires_in=60', () => given.sim.advance('60s'));
  },
  loan_amount_out_of_range: posts('/agent/loans', { amount: 99.999999, purpose: 'task' }),
  loan_applications_full: () => applyTwice({ loanApplications: 1 }),
  too_many_applications: () => applyTwice({ openApplications: 1 }),
  loan_not_active: async () => {
    const { caller } = await funded();
    return caller.post(`/agent/loans/${await loanOf(caller)}/repay`, { amount: 1 });
  },
  idempotency_key_reused: async () => withdrawTwice(await funded(), { amount: 2 }, ['k', 'k']),
  idempotency_keys_full: async () =>
    withdrawTwice(await funded(2_000, { limits: { idempotencyKeys: 1 } }), {}, ['k', 'l']),
  missing_token: async () => ANON(await world()).get('/agent/account'),
  invalid_token: async () => new RawCaller(await world(), 'nonsense').get('/agent/account'),
  token_expired: async () => {
    const { sim, caller } = await funded();
    await sim.advance('24h');
    return caller.get('/agent/account');
  },
  challenge_unknown: async () => {
    const sim = await world();
    const { message } = await challenge(sim, 0);
    const { wallet } = await challenge(sim, 1);
    return verify(sim, wallet, message);
  },
  challenge_expired: async () => {
    const sim = await world();
    const { wallet, message } = await challenge(sim);
    await sim.advance('300s');
    return verify(sim, wallet, message);
  },
  challenge_used: async () => {
    const sim = await world();
    const { wallet, message } = await challenge(sim);
    await verify(sim, wallet, message);
    return verify(sim, wallet, message);
  },
  invalid_signature: async () => {
    const sim = await world();
    const { wallet, message } = await challenge(sim);
    return verify(sim, wallet, message, bs58.encode(Buffer.alloc(64, 7)));
  },
  daily_limit_exceeded: async () => withdrawTwice(await funded(4_000), { amount: 1_000 }, []),
  sender_mismatch: async () => deposit(await funded(), {}, { at: 1 }),
  not_found: async () => (await funded()).caller.get('/agent/nowhere'),
  loan_not_found: async () => {
    const { sim, caller } = await funded();
    const id = await loanOf(caller);
    await sim.reviews.approve(id);
    await agentWith(sim, 1, { usdc: 500 });
    return (await RawCaller.signedIn(sim, 1)).get(`/agent/loans/${id}`);
  },
  chain_unavailable: async () => {
    const { sim, caller } = await funded();
    await leaveInTreasury(sim, 'SOL', 0n);
    await sim.agent(0).fund(0.5, 'SOL');
    return caller.post(WITHDRAW, { amount: 0.5, token: 'SOL' });
  },
  oracle_unavailable: async () => {
    const { sim, caller } = await funded();
    sim.oracle.setOutage(true);
    return caller.post(WITHDRAW, WITHDRAWAL);
  },
  storage_unavailable: async () => {
    const { caller } = await funded();
    const broken = vi.spyOn(MemoryJournal.prototype, 'append').mockImplementation(() => {
      throw new StorageUnavailable('no space left');
    });
    onTestFinished(() => broken.mockRestore());
    return caller.post('/agent/account/savings/deposit', { amount: 1, token: 'USDC' });
  },
  internal_error: async () => {
    const bugs: unknown[] = [];
    const sim = await world({}, { onBug: (error) => bugs.push((error as Error).message) });
    const caller = await RawCaller.signedIn(sim, 0);
    vi.spyOn(sim.bank, 'account').mockImplementation(() => {
      throw new Error('a bug');
    });
    const answer = await caller.get('/agent/account');
    expect(bugs).toEqual(['a bug']);
    return answer;
  },
};

describe('every error code can be provoked over HTTP', () => {
  for (const [code, provoke] of Object.entries(SITUATIONS) as [ErrorCode, () => Promise<Answer>][]) {
    it(`responds ${ERRORS[code][0]} ${code}`, async () => {
      const { status, body, headers } = await provoke();
      expect(body).toMatchObject({ code });
      expect(status).toBe(ERRORS[code][0]);
      expect(body.error).toMatch(/^[A-Z].+\.$/s);
      expect(body.details).toBeTypeOf('object');
      expect(body.requestId).toBe(headers.get('x-request-id'));
      expect(Object.keys(body).toSorted()).toEqual(['code', 'details', 'error', 'requestId']);
    });
  }
});

it('a token of another scheme is refused with the name of the right one', async () => {
  const sim = await world();
  const answer = await sim.fetch('/api/v1/agent/account', { headers: { authorization: 'Basic YTpi' } });
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { code: 'invalid_token', error: expect.stringContaining('Bearer <token>') },
  ]);
});

it.each([
  ['without a fault rule', null, 1, 200],
  ['with a rule for another operation', { endpoint: 'withdraw', delay: '1h' }, 1, 200],
  ['with a delay', { endpoint: 'account', delay: '1h' }, 2, 200],
  ['with a delay during which the token expires', { endpoint: 'account', delay: '25h' }, 2, 401],
] as const)(
  'a request is authenticated again only when time has passed: %s',
  async (_when, rule, times, status) => {
    const sim = await world();
    const caller = await RawCaller.signedIn(sim, 0);
    if (rule !== null) sim.faults.add({ ...rule, effect: 'delay', when: { times: 1 } });
    const authenticated = vi.spyOn(sim.bank, 'authenticate');
    expect((await caller.get('/agent/account')).status).toBe(status);
    expect(authenticated).toHaveBeenCalledTimes(times);
  },
);
