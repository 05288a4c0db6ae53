import { createHash } from 'node:crypto';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { PHASES_OF } from '../../src/runtime/faults/faults.js';
import type { FaultInput } from '../../src/runtime/faults-api.js';
import { RefusedError } from '../../src/runtime/refusals.js';
import type { Simulator } from '../../src/simulator/simulator.js';

/** A seeded random source: equal seeds make equal choices. */
export class SeededRandom {
  #rolled = 0;

  constructor(readonly seed: string) {}

  /** A number from 0 up to, but not including, 1. */
  roll(): number {
    this.#rolled += 1;
    return createHash('sha256').update(`${this.seed}/${this.#rolled}`).digest().readUInt32LE(0) / 2 ** 32;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.roll() * choices.length)] as T;
  }
}

/** How often each outcome of each kind of step occurred. */
export type Outcomes = Map<string, number>;

const TOKENS = ['USDC', 'SOL'] as const;
const AMOUNTS = [
  0.000001,
  0.01,
  1,
  7.5,
  50,
  100,
  333.333333,
  700,
  1000,
  1000.000001,
  25_000,
  1e12,
  0,
  -1,
  1e-9,
  Number.NaN,
];

interface Player {
  readonly wallet: AgentWallet;
  token: string;
}

/** Random calls of every endpoint by several agents, on-chain sends, time jumps, reviews, oracle moves and reverts. */
export class Campaign {
  readonly outcomes: Outcomes = new Map();
  readonly #sim: Simulator;
  readonly #random: SeededRandom;
  readonly #players: Player[] = [];
  readonly #signatures: string[] = [];
  readonly #loans: string[] = ['loan_nobody'];
  readonly #requests: string[] = [];
  readonly #snapshots: string[] = [];
  readonly #hasFaults: boolean;
  readonly #hasOverlaps: boolean;

  /**
   * `hasFaults` injects faults into calls that move money. Without `hasOverlaps` no calls run concurrently, since their order is not
   * deterministic: tokens are verified on other threads.
   */
  constructor(sim: Simulator, seed: string, options: { hasFaults?: boolean; hasOverlaps?: boolean } = {}) {
    this.#sim = sim;
    this.#random = new SeededRandom(seed);
    this.#hasFaults = options.hasFaults ?? false;
    this.#hasOverlaps = options.hasOverlaps ?? true;
  }

  async start(players: number): Promise<void> {
    for (let at = 0; at < players; at += 1) {
      const { secretKey } = this.#sim.wallets[at] as { secretKey: string };
      const player = { wallet: AgentWallet.fromSecretKey(secretKey), token: '' };
      this.#players.push(player);
      await this.#signIn(player);
      const agent = this.#sim.agent(at);
      await agent.fund(5_000, 'USDC');
      await agent.fund(20, 'SOL');
    }
  }

  /** One random step. Throws on a status 500 that no outage explains. */
  async step(): Promise<void> {
    const random = this.#random;
    const player = random.pick(this.#players);
    if (this.#hasFaults && random.roll() < 0.15) this.#fault();
    const steps = Object.entries<(player: Player) => unknown>(this.#steps)
      .filter(([name]) => this.#hasOverlaps || name !== 'overlap')
      .map(([, play]) => play);
    await random.pick(steps)(player);
  }

  readonly #steps = {
    account: (p: Player) => this.#call(p, 'GET', '/agent/account'),
    profile: (p: Player) => this.#call(p, 'GET', '/agent/profile'),
    eligibility: (p: Player) => this.#call(p, 'GET', `/agent/eligibility?amount=${this.#amount()}`),
    transactions: (p: Player) =>
      this.#call(p, 'GET', `/agent/account/transactions?limit=${this.#random.pick([0, 1, 20, 101])}`),
    yieldRates: (p: Player) => this.#call(p, 'GET', '/agent/account/savings/yield'),
    onboard: (p: Player) => this.#call(p, 'GET', '/agent/onboard'),
    loans: (p: Player) => this.#call(p, 'GET', '/agent/loans'),
    loan: (p: Player) => this.#call(p, 'GET', `/agent/loans/${this.#random.pick(this.#loans)}`),
    signIn: (p: Player) => this.#signIn(p),
    fund: (p: Player) => this.#fund(p),
    replayDeposit: (p: Player) => this.#record(p, this.#signature(), this.#amount()),
    withdraw: (p: Player) => this.#call(p, 'POST', '/agent/account/withdraw', this.#transfer('destination')),
    pay: (p: Player) => this.#pay(p),
    receive: (p: Player) =>
      this.#call(p, 'POST', '/agent/account/x402/receive', {
        tx_signature: this.#signature(),
        ...(this.#random.roll() < 0.3 ? { expected_token: this.#token() } : {}),
      }),
    request: (p: Player) => this.#request(p),
    depositSavings: (p: Player) =>
      this.#call(p, 'POST', '/agent/account/savings/deposit', this.#tokenAmount()),
    withdrawSavings: (p: Player) =>
      this.#call(p, 'POST', '/agent/account/savings/withdraw', this.#tokenAmount()),
    borrow: (p: Player) =>
      this.#call(p, 'POST', '/agent/account/collateral/borrow', { amount: this.#amount() }),
    repay: (p: Player) =>
      this.#call(p, 'POST', '/agent/account/collateral/repay', { amount: this.#amount() }),
    squeeze: (p: Player) => this.#squeeze(p),
    apply: (p: Player) => this.#apply(p),
    repayLoan: (p: Player) =>
      this.#call(p, 'POST', `/agent/loans/${this.#random.pick(this.#loans)}/repay`, {
        amount: this.#amount(),
        ...(this.#random.roll() < 0.3 ? { txSignature: this.#signature() } : {}),
      }),
    review: async () => this.#review(),
    link: async (p: Player) =>
      this.#sim.linkIdentity(p.wallet.address, {
        x: this.#random.roll() < 0.7,
        github: this.#random.roll() < 0.7,
      }),
    advance: async () => {
      await this.#sim.advance(this.#random.pick(['1s', '59s', '1h', '12h', '1d', '31d']));
    },
    policy: async () => {
      this.#sim.reviews.setPolicy(
        this.#random.pick([
          'manual',
          'auto',
          'delay:2h',
          'script:approve,deny:no,approve,delay:1h,after:manual',
        ]),
      );
    },
    ageLoan: async () => this.#ageLoan(),
    oracle: async () => {
      const { oracle } = this.#sim;
      const moves = [
        () => oracle.setOutage(this.#random.roll() < 0.3),
        () => oracle.setStale(this.#random.roll() < 0.3),
        () => oracle.setPrice('SOL', this.#random.pick([20, 150, 400])),
        () => oracle.setApy(this.#token(), this.#random.pick([0, 0.017, 0.052, 0.4])),
        () => {
          const from = new Date(this.#sim.now().getTime() + this.#random.pick([0, 1_500, 86_400_000]));
          oracle.setApy(this.#token(), this.#random.pick([0.01, 0.09]), { from });
        },
      ];
      this.#random.pick(moves)();
    },
    outsiderPays: async (p: Player) => this.#outsiderPays(p),
    overlap: async (p: Player) => {
      const paths = ['/agent/account/withdraw', '/agent/account/savings/deposit'];
      await Promise.all(
        [0, 1, 2].map(() => this.#call(p, 'POST', this.#random.pick(paths), this.#transfer('destination'))),
      );
    },
    snapshot: async () => {
      if (this.#random.roll() < 0.2) this.#snapshots.push(await this.#sim.snapshot());
    },
    revert: async () => {
      if (this.#random.roll() < 0.1 && this.#snapshots.length > 0) {
        await this.#sim.revert(this.#random.pick(this.#snapshots));
      }
    },
  };

  #fault(): void {
    const { faults } = this.#sim;
    if (faults.list().length > 3) return faults.clear();
    const [effect, phases] = this.#random.pick(Object.entries(PHASES_OF));
    const endpoint = this.#random.pick([
      'withdraw',
      'x402Pay',
      'deposit',
      'x402Receive',
      'x402Request',
      'loanRepay',
    ]);
    const phase = this.#random.pick(phases);
    const delay = effect.startsWith('delay') ? { delay: this.#random.pick(['5s', '45s', '3m']) } : {};
    faults.add({ endpoint, effect, phase, when: { times: 1 }, ...delay } as FaultInput);
  }

  #amount(): number {
    return this.#random.pick(AMOUNTS);
  }

  #token(): 'USDC' | 'SOL' {
    return this.#random.pick(TOKENS);
  }

  #signature(): string {
    return this.#random.pick([...this.#signatures.slice(-6), '5'.repeat(87)]);
  }

  #address(): string {
    const players = this.#players.map(({ wallet }) => wallet.address);
    const outsider = (this.#sim.wallets.at(-1) as { address: string }).address;
    const { bank } = this.#sim;
    const ours = [bank.addresses.protocol.address, bank.addresses.collection(players[0] as string).address];
    return this.#random.pick([
      ...players,
      ...players,
      outsider,
      ...ours,
      this.#sim.facts.treasury,
      'not-an-address',
    ]);
  }

  #tokenAmount() {
    return { amount: this.#amount(), token: this.#token() };
  }

  #transfer(member: 'destination' | 'recipient') {
    return { ...this.#tokenAmount(), ...(this.#random.roll() < 0.7 ? { [member]: this.#address() } : {}) };
  }

  async #signIn(player: Player): Promise<void> {
    const { address } = player.wallet;
    const asked = await this.#call(player, 'POST', '/agent/auth/challenge', { wallet: address });
    const message = asked['challenge'] as string;
    const signature = player.wallet.signText(message);
    const verified = await this.#call(player, 'POST', '/agent/auth/verify', {
      wallet: address,
      signature,
      message,
    });
    player.token = verified['token'] as string;
  }

  async #fund(player: Player): Promise<void> {
    const { facts } = this.#sim;
    const [token, amount] = this.#random.pick([
      ['USDC', 250],
      ['SOL', 1.5],
    ] as const);
    const to = this.#random.pick([facts.treasury, facts.treasury, player.wallet.address]);
    const signature = await player.wallet
      .send(this.#sim.chain, { token, amount, to, usdcMint: facts.usdcMint })
      .catch(() => null);
    if (signature === null) return;
    this.#signatures.push(signature);
    await this.#record(player, signature, this.#random.pick([amount, amount, amount, 1]), token);
  }

  async #record(player: Player, signature: string, amount: number, token = this.#token()): Promise<void> {
    await this.#call(player, 'POST', '/agent/account/deposit', { amount, token, tx_signature: signature });
  }

  async #pay(player: Player): Promise<void> {
    const request =
      this.#requests.length > 0 && this.#random.roll() < 0.3 ? this.#random.pick(this.#requests) : undefined;
    const body = { recipient: this.#address(), ...this.#transfer('recipient'), payment_request: request };
    const key = this.#random.roll() < 0.3 ? { 'idempotency-key': this.#random.pick(['a', 'b', 'c']) } : {};
    const paid = await this.#call(player, 'POST', '/agent/account/x402/pay', body, key);
    if (typeof paid['tx_signature'] === 'string') this.#signatures.push(paid['tx_signature']);
  }

  async #request(player: Player): Promise<void> {
    const query = `amount=${this.#amount()}&token=${this.#token()}&expires_in=${this.#random.pick([1, 3600])}`;
    const made = await this.#call(player, 'GET', `/agent/account/x402/request?${query}`);
    const headers = made['headers'] as Record<string, string> | undefined;
    if (headers !== undefined) this.#requests.push(headers['X-Payment-Request'] as string);
  }

  // Borrows the maximum that the savings allow, to the base unit, then tries to withdraw the savings.
  async #squeeze(player: Player): Promise<void> {
    await this.#call(player, 'POST', '/agent/account/savings/deposit', { amount: 50, token: 'USDC' });
    const account = await this.#call(player, 'GET', '/agent/account');
    const collateral = account['collateral'] as { available: number; total_savings_usdc: number } | undefined;
    if (collateral === undefined) return;
    await this.#call(player, 'POST', '/agent/account/collateral/borrow', { amount: collateral.available });
    const amount = collateral.total_savings_usdc;
    await this.#call(player, 'POST', '/agent/account/savings/withdraw', { amount, token: 'USDC' });
  }

  async #apply(player: Player): Promise<void> {
    const amount = this.#random.pick([99.999999, 100, 250, 10_000, 10_000.000001]);
    const made = await this.#call(player, 'POST', '/agent/loans', { amount, purpose: 'task', duration: 7 });
    const application = made['application'] as { id: string } | undefined;
    if (application !== undefined) this.#loans.push(application.id);
  }

  #review(): void {
    const { reviews } = this.#sim;
    const waiting = reviews.list();
    if (waiting.length === 0) return;
    const { loanId } = this.#random.pick(waiting);
    if (this.#random.roll() < 0.8) reviews.approve(loanId);
    else reviews.deny(loanId, 'no');
  }

  /** What an operator does to a loan; a refusal counts as an outcome. */
  async #ageLoan(): Promise<void> {
    const { reviews } = this.#sim;
    const open = reviews
      .loans()
      .loans.filter(({ dueDate, outstanding }) => dueDate !== null && outstanding > 0);
    if (open.length === 0) return;
    const { loanId } = this.#random.pick(open);
    const what = this.#random.pick(['overdue', 'default', 'cure', 'forgive', 'pay'] as const);
    let outcome = 'ok';
    try {
      if (what === 'overdue') reviews.setOverdue(loanId);
      else if (what === 'default') reviews.default(loanId);
      else if (what === 'pay') await reviews.pay(loanId, this.#random.pick([0.000001, 33.333333, 300]));
      else reviews.cure(loanId, { dueIn: '9d', forgive: what === 'forgive' });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      outcome = error.refusal.code;
    }
    const name = `operator ${what}: ${outcome}`;
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
  }

  async #outsiderPays(player: Player): Promise<void> {
    const collection = this.#sim.bank.addresses.collection(player.wallet.address).address;
    const [token, amount] = this.#random.pick([
      ['USDC', 12.5],
      ['SOL', 0.25],
    ] as const);
    const { signature } = await this.#sim.faucet(collection, amount, token);
    this.#signatures.push(signature);
  }

  async #call(
    player: Player,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown>> {
    const call = {
      method,
      headers: { authorization: `Bearer ${player.token}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await this.#sim.fetch(`/api/v1${path}`, call).catch((error: unknown) => {
      if (this.#hasFaults && error instanceof TypeError && error.message === 'fetch failed') return null;
      throw error;
    });
    if (response === null) return {};
    const answer = (await response.json()) as Record<string, unknown>;
    const operation = `${method} ${path.replace(/\?.*/, '').replace(/loan_\w+/, '{id}')}`;
    const code = (answer['code'] as string | undefined) ?? 'ok';
    const outcome = `${operation}: ${code}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    const explained = ['oracle_unavailable', 'chain_unavailable', 'injected_fault'].includes(code);
    if (response.status === 500 && !explained) throw new Error(`${outcome}: ${JSON.stringify(answer)}`);
    if (code === 'token_expired' || code === 'invalid_token') await this.#signIn(player);
    return answer;
  }
}

/** Runs a campaign and checks every invariant after each `checkEvery` steps. Throws with the seed that replays it. */
export async function runCampaign(
  make: () => Promise<Simulator>,
  options: { seed: string; steps: number; checkEvery: number; hasFaults?: boolean },
): Promise<Outcomes> {
  const sim = await make();
  const campaign = new Campaign(sim, options.seed, options);
  let at = 0;
  try {
    await campaign.start(3);
    for (at = 1; at <= options.steps; at += 1) {
      await campaign.step();
      if (at % options.checkEvery !== 0 && at !== options.steps) continue;
      const violations = await sim.invariants();
      if (violations.length > 0)
        throw new Error(violations.map(({ rule, text }) => `${rule}: ${text}`).join('; '));
    }
    return campaign.outcomes;
  } catch (error) {
    throw new Error(
      `campaign ${options.seed} on ${sim.config.engine}, step ${at}: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  } finally {
    await sim.close();
  }
}
