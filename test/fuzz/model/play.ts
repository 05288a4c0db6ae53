import { AgentWallet } from '../../../src/index.js';
import type { EndpointId } from '../../../src/contract/endpoints.js';
import { Draw } from './draw.js';
import { type Asked, type Move, type Stage } from './stage.js';

const DAY_MS = 86_400_000;
const PER_UNIT = { USDC: 1_000_000n, SOL: 1_000_000_000n } as const;
const UNKNOWN_SIGNATURE = '5'.repeat(88);
const PURPOSES = ['task', 'working_capital', 'liquidity_provision', 'trading', 'speculative', 'nonsense'];
const POSTS: readonly EndpointId[] = [
  'deposit',
  'withdraw',
  'savingsDeposit',
  'savingsWithdraw',
  'collateralBorrow',
  'collateralRepay',
  'x402Pay',
  'x402Receive',
  'loanApply',
  'loanRepay',
];

/** Draws what is done to a stage, step by step. */
export class Play {
  readonly #stage: Stage;
  readonly #draw: Draw;
  readonly #strangers: readonly string[];
  readonly #signatures: string[] = [];
  readonly #loans: string[] = [];
  readonly #requests: string[] = [];
  #last: { operation: EndpointId; asked: Asked } | null = null;

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#draw = new Draw(seed);
    this.#strangers = [1, 2, 3].map(() => stage.sim.createWallet().address);
  }

  /** Signs everybody in. */
  async begin(): Promise<void> {
    for (const agent of this.#stage.agents) await this.#stage.signIn(agent);
  }

  async step(): Promise<void> {
    await this.#draw.weighted<() => Promise<void> | void>([
      [70, () => this.#call()],
      [10, () => this.#sendMoney()],
      [8, () => this.#wait()],
      [4, () => this.#oracle()],
      [5, () => this.#desk()],
      [2, () => this.#again()],
      [1, () => this.#fork()],
    ])();
  }

  #agent(): AgentWallet {
    return this.#draw.pick(this.#stage.agents);
  }

  #token(): 'USDC' | 'SOL' {
    return this.#draw.chance(0.6) ? 'USDC' : 'SOL';
  }

  /** An amount for a call: mostly near to what there is. */
  #amount(nearBase: bigint, token: 'USDC' | 'SOL'): unknown {
    const draw = this.#draw;
    const near = Number(nearBase) / Number(PER_UNIT[token]);
    const digits = token === 'USDC' ? 6 : 9;
    const part = Number((near * draw.share()).toFixed(draw.pick([0, 1, 2, digits])));
    return draw.weighted<() => unknown>([
      [60, () => part],
      [10, () => near],
      [6, () => Number((near + 1 / Number(PER_UNIT[token])).toFixed(digits))],
      [8, () => draw.pick([1, 5, 10, 100, 250.5, 999.99, 0.000001])],
      [2, () => 0.1 + 0.2],
      [4, () => draw.pick([0, -1, 1e-12, 1.00000001, 1e13, '5', null, true, 1e12, [], {}])],
    ])();
  }

  async #call(): Promise<void> {
    const draw = this.#draw;
    const agent = this.#agent();
    const { address } = agent;
    if (!this.#stage.tokens.has(address) || draw.chance(0.01)) return this.#signIn(agent);
    const operation = draw.weighted<EndpointId>([
      [2, 'challenge'],
      [2, 'verify'],
      [5, 'profile'],
      [5, 'eligibility'],
      [10, 'account'],
      [12, 'deposit'],
      [12, 'withdraw'],
      [8, 'transactions'],
      [12, 'savingsDeposit'],
      [10, 'savingsWithdraw'],
      [2, 'yieldRates'],
      [8, 'collateralBorrow'],
      [6, 'collateralRepay'],
      [14, 'x402Pay'],
      [8, 'x402Receive'],
      [5, 'x402Request'],
      [4, 'loans'],
      [6, 'loanApply'],
      [3, 'loan'],
      [8, 'loanRepay'],
      [1, 'onboard'],
    ]);
    const asked: Asked = { authorization: this.#header(agent), ...this.#asked(operation, agent) };
    const keyed =
      POSTS.includes(operation) && draw.chance(0.3) ? { key: draw.pick(['a', 'b', 'c', 'd', 'ee']) } : {};
    if (draw.chance(0.01)) Object.assign(keyed, { key: draw.pick(['', 'x'.repeat(256)]) });
    await this.#make(operation, { ...asked, ...keyed });
  }

  async #make(operation: EndpointId, asked: Asked): Promise<void> {
    const draw = this.#draw;
    const sends = operation === 'withdraw' || operation === 'x402Pay';
    const trouble = { oracleIsOut: draw.chance(0.02), chainIsOut: sends && draw.chance(0.05) };
    const isLost = draw.chance(0.03) && operation !== 'x402Receive';
    this.#last = { operation, asked };
    const { status, body } = await this.#stage.call(operation, asked, { trouble, isLost });
    if (status === 401 && body['code'] === 'token_expired') this.#stage.tokens.clear();
    if (status !== 200 || isLost) return;
    if (operation === 'loanApply') this.#loans.push((body['application'] as { id: string }).id);
    if (operation === 'x402Pay' || operation === 'withdraw') {
      const holder = (operation === 'x402Pay' ? body : body['withdrawal']) as { tx_signature: string | null };
      if (holder.tx_signature !== null) this.#signatures.push(holder.tx_signature);
    }
    if (operation === 'x402Request') {
      const { 'X-Payment-Request': header } = body['headers'] as Record<string, string>;
      if (header !== undefined) this.#requests.push(header);
    }
  }

  /** The same call again, often with the same key. */
  async #again(): Promise<void> {
    if (this.#last !== null) await this.#make(this.#last.operation, this.#last.asked);
  }

  async #signIn(agent: AgentWallet): Promise<void> {
    await this.#stage.signIn(agent);
  }

  #header(agent: AgentWallet): string | null {
    const good = this.#stage.authorization(agent);
    return this.#draw.chance(0.98)
      ? good
      : this.#draw.pick([null, 'Bearer x', good.slice(7), `${good}x`, 'Basic x']);
  }

  #asked(operation: EndpointId, agent: AgentWallet): Asked {
    switch (operation) {
      case 'challenge':
      case 'verify':
        return { body: this.#signInBody(operation, agent) };
      case 'eligibility':
      case 'transactions':
      case 'x402Request':
        return { query: this.#query(operation) };
      case 'loan':
        return { params: { id: this.#loan(agent) } };
      case 'loanRepay':
        return { params: { id: this.#loan(agent) }, body: this.#loanPayment(agent) };
      default: {
        const body = this.#body(operation, agent);
        return body === undefined ? {} : { body: this.#draw.chance(0.02) ? this.#bad(body) : body };
      }
    }
  }

  #signInBody(operation: EndpointId, agent: AgentWallet): unknown {
    const wallet = this.#draw.chance(0.8) ? agent.address : this.#draw.pick(['x', '', 5, undefined]);
    return operation === 'challenge'
      ? { wallet }
      : { wallet, signature: this.#draw.pick(['x', agent.signText('no')]), message: 'not a challenge' };
  }

  #query(operation: EndpointId): Record<string, string> {
    const draw = this.#draw;
    const some = (name: string, values: readonly string[], share = 0.5): Record<string, string> =>
      draw.chance(share) ? { [name]: draw.pick(values) } : {};
    switch (operation) {
      case 'eligibility':
        return {
          ...some('amount', ['50', '100', '500', '2000', '10000', '10001', 'x', '-1', '250.5']),
          ...some('purpose', PURPOSES, 0.3),
        };
      case 'transactions':
        return {
          ...some('limit', ['1', '2', '5', '100', '101', '0', 'x']),
          ...some('offset', ['0', '1', '3', '50', '-1'], 0.3),
          ...some(
            'type',
            ['deposit', 'withdraw', 'savings_withdraw', 'x402_payment', 'borrow', 'repay', 'zz'],
            0.4,
          ),
          ...some('token', ['USDC', 'SOL', 'EUR'], 0.3),
        };
      default:
        return {
          ...some('amount', ['1', '2.5', '0.1', '1e-6', '1e-9', '0', 'x', '1000'], 0.95),
          ...some('token', ['USDC', 'SOL', 'SOL', 'EUR'], 0.6),
          ...some('description', ['', 'tea', 'ünïcode'], 0.4),
          ...some('expires_in', ['1', '60', '86400', '0', '31536001'], 0.4),
        };
    }
  }

  #loan(agent: AgentWallet): string {
    const own = this.#stage.model
      .standing(agent.address)
      .loans.flatMap(({ id }) => (id === null ? [] : [id]));
    const all = [...own, ...own, ...own, ...this.#loans, 'loan_x'];
    return this.#draw.pick(all);
  }

  #loanPayment(agent: AgentWallet): unknown {
    const { loans } = this.#stage.model.standing(agent.address);
    const owed = loans.find(({ outstandingBase }) => outstandingBase > 0n)?.outstandingBase ?? 100_000_000n;
    const amount = this.#amount(owed, 'USDC');
    return this.#draw.chance(0.3) ? this.#claim('txSignature') : { amount };
  }

  /** A body that names a transaction, mostly with its true amount and token. */
  #claim(member: string): Record<string, unknown> {
    const draw = this.#draw;
    const known = this.#signatures.slice(-12);
    const signature = known.length === 0 || draw.chance(0.03) ? UNKNOWN_SIGNATURE : draw.pick(known);
    const record = this.#stage.sim.chain.getTransaction(signature);
    const said = record === null ? undefined : this.#sums.get(signature);
    const { token, amount } =
      draw.chance(0.85) && said !== undefined ? said : { token: this.#token(), amount: 1 };
    return { [member]: signature, amount, token };
  }

  readonly #sums = new Map<string, { token: 'USDC' | 'SOL'; amount: number }>();

  #body(operation: EndpointId, agent: AgentWallet): unknown {
    const draw = this.#draw;
    const standing = this.#stage.model.standing(agent.address);
    const token = this.#token();
    const named = draw.chance(0.97) ? token : draw.pick(['EUR', 'usdc', 5, null]);
    switch (operation) {
      case 'deposit':
        return this.#claim('tx_signature');
      case 'x402Receive': {
        const { tx_signature, amount, token: came } = this.#claim('tx_signature');
        return {
          tx_signature,
          ...(draw.chance(0.4)
            ? { expected_amount: draw.chance(0.8) ? amount : this.#amount(1n, 'SOL') }
            : {}),
          ...(draw.chance(0.4) ? { expected_token: draw.chance(0.8) ? came : 'EUR' } : {}),
        };
      }
      case 'withdraw':
        return this.#withdrawal(standing.checking[token], token, named);
      case 'savingsDeposit':
        return { amount: this.#amount(standing.checking[token], token), token: named };
      case 'savingsWithdraw': {
        const near =
          token === 'USDC' && draw.chance(0.5) ? standing.unlockedSavingsBase : standing.savings[token];
        return { amount: this.#amount(near, token), token: named };
      }
      case 'collateralBorrow':
        return { amount: this.#amount(standing.availableToBorrowBase, 'USDC') };
      case 'collateralRepay':
        return { amount: this.#amount(standing.collateralDebtBase, 'USDC') };
      case 'x402Pay':
        return this.#payment(standing.checking[token], token, named);
      case 'loanApply':
        return {
          amount: draw.pick([100, 150.123456, 500, 1000, 2500, 9999, 50, 10_001, 'x']),
          purpose: draw.pick(PURPOSES),
          ...(draw.chance(0.7) ? { duration: draw.pick([1, 2, 30, 90, 91, 0.5]) } : {}),
          ...(draw.chance(0.1) ? { collateral: draw.pick([{}, { type: 'SOL', amount: 1 }, 5]) } : {}),
        };
      default:
        return undefined;
    }
  }

  #withdrawal(nearBase: bigint, token: 'USDC' | 'SOL', named: unknown): unknown {
    const draw = this.#draw;
    const amount = this.#spend(nearBase, token);
    return draw.chance(0.5)
      ? { amount, token: named }
      : { amount, token: named, destination: this.#recipient() };
  }

  /** Sums that mostly fit the daily limit. */
  #spend(nearBase: bigint, token: 'USDC' | 'SOL'): unknown {
    const cap = token === 'USDC' ? 400_000_000n : 2_000_000_000n;
    const small = this.#draw.chance(0.8) && nearBase > cap ? cap : nearBase;
    return this.#draw.chance(0.05) ? 0.0005 : this.#amount(small, token);
  }

  #recipient(): string {
    const { agents, collections, sim } = this.#stage;
    const others = [...agents.map(({ address }) => address), ...this.#strangers];
    return this.#draw.chance(0.93)
      ? this.#draw.pick(others)
      : this.#draw.pick([sim.facts.treasury, sim.facts.usdcMint, 'x', ...collections.values()]);
  }

  #payment(nearBase: bigint, token: 'USDC' | 'SOL', named: unknown): unknown {
    const draw = this.#draw;
    const bound = this.#requests.at(-1);
    const extras = {
      ...(draw.chance(0.3) ? { memo: draw.pick(['', 'thanks', 'x'.repeat(1_025)]) } : {}),
      ...(draw.chance(0.2) ? { service_url: 'https://service.example/a' } : {}),
    };
    if (bound !== undefined && draw.chance(0.3)) {
      const request = JSON.parse(Buffer.from(bound, 'base64').toString()) as Record<string, unknown>;
      const { recipient, amount, token: wanted } = request;
      const changed = draw.chance(0.2) ? { amount: 7.5 } : {};
      return { recipient, amount, token: wanted, payment_request: bound, ...extras, ...changed };
    }
    return { recipient: this.#recipient(), amount: this.#spend(nearBase, token), token: named, ...extras };
  }

  /** A body with something wrong. */
  #bad(body: unknown): unknown {
    const members = { ...(body as Record<string, unknown>) };
    const name = this.#draw.pick(Object.keys(members));
    return this.#draw.pick([
      null,
      [],
      'text',
      { ...members, [name]: undefined },
      { ...members, [name]: { a: 1 } },
    ]);
  }

  async #sendMoney(): Promise<void> {
    const { sim, agents, collections } = this.#stage;
    const draw = this.#draw;
    const from = this.#agent().address;
    const to = draw.pick([sim.facts.treasury, sim.facts.treasury, ...collections.values()]);
    const move = (payer: string): Move => {
      const token = this.#token();
      const units = draw.pick([1, 5, 20, 100, 333.333333, 1000]) / (token === 'SOL' ? 100 : 1);
      return { from: payer, to, token, amountBase: BigInt(Math.round(units * Number(PER_UNIT[token]))) };
    };
    const first = move(from);
    const moves = [first];
    if (draw.chance(0.1)) moves.push(move(from));
    // Whose name is told when two wallets pay different tokens is open.
    if (draw.chance(0.1)) moves.push({ ...move(draw.pick(agents).address), token: first.token });
    const fails = draw.chance(0.05);
    const signature = await this.#stage.send(moves, { fails });
    this.#signatures.push(signature);
    const same = moves.filter(({ token }) => token === first.token);
    const base = same.reduce((sum, { amountBase }) => sum + amountBase, 0n);
    this.#sums.set(signature, { token: first.token, amount: Number(base) / Number(PER_UNIT[first.token]) });
  }

  async #wait(): Promise<void> {
    const ms = this.#draw.pick([
      1,
      400,
      1_000,
      60_000,
      600_000,
      3_600_000,
      3_600_001,
      DAY_MS / 2,
      DAY_MS,
      10 * DAY_MS,
    ]);
    await this.#stage.advance(ms);
  }

  #oracle(): void {
    const { sim, model, log } = this.#stage;
    const draw = this.#draw;
    const token = this.#token();
    switch (draw.below(5)) {
      case 0: {
        const apy = draw.pick([0, 0.017, 0.052, 0.5, 3, 0.0712345]);
        sim.oracle.setApy(token, apy);
        model.setApy(token, apy);
        log.push(`apy ${token} ${apy}`);
        return;
      }
      case 1: {
        const usd = draw.pick([1, 150, 23.45678912, 0.98, 0]);
        sim.oracle.setPrice(token, usd);
        model.setPrice(token, usd);
        log.push(`price ${token} ${usd}`);
        return;
      }
      case 2:
      case 3: {
        const isOn = draw.chance(0.3);
        sim.oracle.setOutage(isOn);
        model.setOutage(isOn);
        log.push(`outage ${isOn}`);
        return;
      }
      default: {
        const isOn = draw.chance(0.4);
        sim.oracle.setStale(isOn);
        model.setStale(isOn);
        log.push(`stale ${isOn}`);
      }
    }
  }

  /** What people at the bank do. */
  #desk(): void {
    const { sim, model, log, agents } = this.#stage;
    const draw = this.#draw;
    const links = { x: draw.chance(0.6), github: draw.chance(0.6) };
    const id = this.#loans.at(-1 - draw.below(4));
    const forgive = draw.chance(0.3);
    const deeds: (readonly [number, string, () => boolean, () => unknown])[] =
      id === undefined
        ? []
        : [
            [8, 'approve', () => model.approve(id), () => sim.reviews.approve(id)],
            [1, 'deny', () => model.deny(id), () => sim.reviews.deny(id)],
            [1, 'overdue', () => model.makeOverdue(id), () => sim.reviews.setOverdue(id)],
            [0.7, 'default', () => model.makeDefaulted(id), () => sim.reviews.default(id)],
            [2, 'cure', () => model.cure(id, { forgive }), () => sim.reviews.cure(id, { forgive })],
          ];
    if (deeds.length === 0 || draw.chance(0.1)) {
      const { address } = draw.pick(agents);
      sim.linkIdentity(address, links);
      model.linkIdentity(address, links);
      log.push(`links ${JSON.stringify(links)}`);
      return;
    }
    const [, name, inModel, inSim] = draw.weighted(deeds.map((deed) => [deed[0], deed] as const));
    const expected = inModel();
    log.push(`${name} ${id} ${expected}`);
    let done = true;
    try {
      inSim();
    } catch {
      done = false;
    }
    if (done !== expected)
      throw new Error(`${name} ${id}: expected ${expected}, got ${done}\n${log.slice(-25).join('\n')}`);
  }

  /** The model goes on as a copy of itself. */
  #fork(): void {
    const copy = this.#stage.model.copy();
    this.#stage.model = copy;
  }
}
