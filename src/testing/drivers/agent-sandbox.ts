import { AgentWallet } from '../../sdk/client/wallet.js';
import { BASE_PATH } from '../../contract/endpoints.js';
import type { BankTrouble, Dealt, Goods, Outgoing, ShopTrouble } from '../agent-fuzz/types.js';
import type { Variants } from '../../core/domain/variants.js';
import { connectionOptions } from '../../mcp/connection-options.js';
import { backendHere } from '../../mcp/in-process.js';
import type { AgentTask, McpTransport } from '../agent-fuzz/task.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import { bankAt } from '../../sdk/x402/bank-at.js';
import type { Collector } from '../../sdk/x402/ports.js';
import { AgentShop } from './agent-shop.js';

/** Earlier than the start of a run, so that the account has a history. */
const EARLIER = '2025-12-30T12:00:00Z';
const ORIGIN = 'http://bank.test';
const FUNDS = 2_000;
const SOL_FUNDS = 5;
const PAST_PAYMENT = 12.5;
const DAILY_LIMIT_USD = 1_000;
const SELLERS = ['weather', 'maps', 'news'] as const;
const TOKEN_GOOD_MS = 23 * 3_600_000;
const SETTLING_STEP_MS = 60_000;
const SETTLING_STEPS = 30;
const SOL_USD = 150;

interface SignedIn {
  readonly token: string;
  readonly atMs: number;
}

/** A seller, or a recipient that takes money meant for sellers: a service owner with an account at the bank. */
class Shopkeeper {
  readonly address: string;
  readonly collection: string;
  readonly bank: Collector;
  readonly #sim: Simulator;
  readonly #wallet: AgentWallet;
  #first: SignedIn = { token: '', atMs: Number.NEGATIVE_INFINITY };
  #current: SignedIn = this.#first;

  constructor(
    sim: Simulator,
    /** Host of its service, without `.test`. */
    readonly name: string,
    number: number,
  ) {
    this.#sim = sim;
    this.#wallet = AgentWallet.fromSecretKey(sim.wallets[number]?.secretKey ?? '');
    this.address = this.#wallet.address;
    this.collection = sim.bank.addresses.collection(this.address).address;
    const fetch = (url: string, init?: RequestInit) => sim.fetch(url, init);
    this.bank = bankAt(ORIGIN + BASE_PATH, () => this.#token(), fetch);
  }

  /** Opens the account and requests a payment once, so that runs do not repeat either. */
  async open(): Promise<void> {
    await this.bank.requestPayment({ amount: 1 });
    this.#first = this.#current;
  }

  /** Restores the token held at the start. */
  begin(): void {
    this.#current = this.#first;
  }

  async #token(): Promise<string> {
    const nowMs = this.#sim.now().getTime();
    if (nowMs - this.#current.atMs >= TOKEN_GOOD_MS) {
      const { token } = await this.#sim.agent(this.#wallet).signIn();
      this.#current = { token, atMs: nowMs };
    }
    return this.#current.token;
  }
}

/** A world in this process with a bank, services, an agent's funded account, and controls. */
export class AgentWorld {
  readonly baseUrl = ORIGIN + BASE_PATH;
  readonly #sim: Simulator;
  readonly #agent: AgentWallet;
  readonly #snapshot: string;
  #shops = new Map<string, AgentShop>();
  #orders: readonly Goods[] = [];
  /** Number of the last journal entry before the run. */
  #before = 0;

  private constructor(
    sim: Simulator,
    agent: AgentWallet,
    readonly sellers: readonly Shopkeeper[],
    /** Takes money that belongs to a seller, and runs the service that redirects lead to. */
    readonly stranger: Shopkeeper,
    snapshot: string,
  ) {
    this.#sim = sim;
    this.#agent = agent;
    this.#snapshot = snapshot;
  }

  /** Opens a world whose bank has these variants. */
  static async open(this: void, variants: Partial<Variants>): Promise<AgentWorld> {
    const sim = await createSimulator({
      engine: 'litesvm',
      seed: 'agents',
      time: 'frozen',
      startTime: EARLIER,
      variants,
    });
    const { address, secretKey } = sim.createWallet();
    await sim.setBalance(address, SOL_FUNDS + 1, 'SOL');
    await sim.setBalance(address, FUNDS + PAST_PAYMENT, 'USDC');
    const agent = AgentWallet.fromSecretKey(secretKey);
    const client = sim.agent(agent);
    await client.fund(FUNDS + PAST_PAYMENT, 'USDC');
    await client.fund(SOL_FUNDS, 'SOL');
    await client.pay({ recipient: sim.wallets[9]?.address ?? '', amount: PAST_PAYMENT, token: 'USDC' });
    await sim.advance('2d');
    const sellers = SELLERS.map((name, at) => new Shopkeeper(sim, name, at + 1));
    const stranger = new Shopkeeper(sim, 'elsewhere', SELLERS.length + 1);
    for (const keeper of [...sellers, stranger]) await keeper.open();
    return new AgentWorld(sim, agent, sellers, stranger, await sim.snapshot());
  }

  wallet(): AgentWallet {
    return AgentWallet.fromSecretKey(this.#agent.secretKey());
  }

  /** Restores the initial state, with these goods for sale. */
  async begin(goods: readonly Goods[]): Promise<void> {
    await this.#sim.revert(this.#snapshot);
    this.#before = this.#sim.books.entries();
    this.#orders = goods;
    this.#shops = new Map(
      [...this.sellers, this.stranger].map((keeper, number) => {
        keeper.begin();
        const sold = goods.filter(({ seller }) => seller === number || keeper === this.stranger);
        return [keeper.name, this.#shop(keeper, sold)];
      }),
    );
  }

  /** Calls the bank. Rejects with TypeError when the response is lost. `operation` is null for unknown paths. */
  async bank(request: Request, operation: string | null, fault: BankTrouble | null): Promise<Response> {
    if (fault === null || operation === null) return this.#sim.fetch(request);
    const { faults } = this.#sim;
    const { id } = faults.add({ endpoint: operation, ...fault });
    try {
      return await this.#sim.fetch(request);
    } finally {
      faults.clear(id);
    }
  }

  /** Calls a service. `order` is the requested order. Rejects with TypeError when the response is lost. */
  async shop(request: Request, order: string | null, fault: ShopTrouble | null): Promise<Response> {
    const name = new URL(request.url).hostname.replace(/\.test$/, '');
    const shop = this.#shops.get(name);
    if (shop === undefined) throw new TypeError('fetch failed', { cause: new Error(`no host ${name}.test`) });
    return shop.respond(request, order ?? '', fault);
  }

  /** The client's end of an MCP server that acts as the agent's wallet. It calls bank and services by `fetch` and waits by `sleep`. */
  async mcp(fetch: AgentTask['fetch'], sleep: AgentTask['sleep']): Promise<McpTransport> {
    const { transportFor } = await import('../../mcp/mcp-service.js');
    const { baseUrl } = this;
    const backend = backendHere(this.#sim, (request) => this.#sim.fetch(request));
    return transportFor(
      { ...backend, baseUrl, fetch, fetchService: fetch, wait: sleep },
      this.wallet(),
      connectionOptions({ fetchHosts: this.sellers.map(({ name }) => `${name}.test`) }),
    );
  }

  nowMs(): number {
    return this.#sim.now().getTime();
  }

  async advance(ms: number): Promise<void> {
    await this.#sim.advance(ms);
  }

  /** Sets the USD price of USDC; the SOL price moves inversely. */
  setUsdcPrice(usd: number): void {
    this.#sim.oracle.setPrice('USDC', usd);
    this.#sim.oracle.setPrice('SOL', SOL_USD / usd);
  }

  /** Uses up the agent's daily payment limit except for `leftUsd`. */
  async useLimit(leftUsd: number): Promise<void> {
    const recipient = this.#sim.wallets[9]?.address ?? '';
    const amount = DAILY_LIMIT_USD - leftUsd;
    await this.#sim.agent(this.wallet()).pay({ recipient, amount, token: 'USDC' });
    this.#before = this.#sim.books.entries();
  }

  /** Advances time until no transfer is pending. */
  async settle(): Promise<void> {
    const { books } = this.#sim.bank;
    for (let step = 0; step < SETTLING_STEPS && books.state.openOutflows.size > 0; step += 1)
      await this.#sim.advance(SETTLING_STEP_MS);
  }

  /** Transfers out of the agent's account since the run began, oldest first. */
  outgoings(): readonly Outgoing[] {
    const sellers = this.sellers.map(({ collection, address }) => [collection, address]);
    return [...this.#sim.bank.books.state.outflows.values()]
      .filter(({ id, wallet }) => id > this.#before && wallet === this.#agent.address)
      .toSorted((a, b) => a.id - b.id)
      .map(({ terms, status, signature }) => {
        const { type, token, amountBase, payTo } = terms;
        const seller = sellers.findIndex((addresses) => addresses.includes(payTo));
        const record = signature === null ? null : this.#sim.chain.getTransaction(signature);
        return {
          type,
          token,
          amountBase,
          status,
          seller: seller < 0 ? null : seller,
          isToItself: payTo === this.#agent.address,
          order: this.#orderOf(terms),
          isOnChain: record !== null && record.error === null,
        };
      });
  }

  balanceBase(): bigint {
    return BigInt(Math.round((this.#sim.books.of(this.#agent.address)?.checking.USDC ?? 0) * 1e6));
  }

  dealt(order: string): Dealt {
    const seller = this.#orders.find(({ id }) => id === order)?.seller ?? 0;
    const name = this.sellers[seller]?.name ?? '';
    return this.#shops.get(name)?.dealt(order) ?? { asked: 0, served: 0 };
  }

  async invariants(): Promise<readonly string[]> {
    return (await this.#sim.invariants()).map(({ rule, text }) => `${rule}: ${text}`);
  }

  close(): Promise<void> {
    return this.#sim.close();
  }

  #shop(keeper: Shopkeeper, goods: readonly Goods[]): AgentShop {
    const { stranger } = this;
    return new AgentShop(
      {
        bank: keeper.bank,
        recipient: keeper.address,
        issuer: this.#sim.facts.issuerPublicKey,
        nowMs: () => this.nowMs(),
        sleep: (ms) => this.advance(ms),
        other: { recipient: stranger.address, pay_to: stranger.collection },
        elsewhere: `http://${stranger.name}.test`,
      },
      goods,
    );
  }

  /** Finds the order by the payment request that the payment names, or else by the service URL. */
  #orderOf(terms: { readonly requestId: string | null; readonly serviceUrl: string | null }): string | null {
    const { requestId, serviceUrl } = terms;
    const requested = [...this.#shops.values()].map((shop) => shop.orderOf(requestId));
    const order = requested.find((each) => each !== null);
    if (order !== undefined) return order;
    return this.#orders.find(({ id }) => serviceUrl?.endsWith(`/${id}`) === true)?.id ?? null;
  }
}
