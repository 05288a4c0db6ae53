import type { EndpointId, Endpoints, QueryOf, ResponseOf } from '../../contract/endpoints.js';
import { filledPath } from '../../contract/match-path.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { Token } from '../../core/domain/money.js';
import { type FetchLike, fetchFrom } from '../../core/fetch.js';
import { ChainRpcError, chainAt } from './chain-at.js';
import type { AgentWallet, ChainConnection } from './wallet.js';

/**
 * A refusal by the service as an exception. Its message is the service's, followed by the code, the status, and what explains the
 * request while the simulator runs: `… (token_expired, HTTP 401; sim explain req_00000007)`, in process `sim.explain('req_00000007')`.
 */
export class BankError extends Error {
  override readonly name = 'BankError';

  constructor(
    sentence: string,
    /** A code of the simulator's table; other services may send others. */
    readonly code: ErrorCode | (string & {}),
    readonly status: number,
    readonly details: Readonly<Record<string, unknown>>,
    readonly requestId: string | null,
    /** What explains the request. */
    explainer = `sim explain ${requestId}`,
  ) {
    super(`${sentence} (${code}, HTTP ${status}${requestId === null ? '' : `; ${explainer}`})`);
  }
}

export interface ClientOptions {
  /** Ends with the version segment, such as `http://127.0.0.1:4020/api/v1`. */
  readonly baseUrl: string;
  readonly wallet: AgentWallet;
  /** The function for HTTP requests; the global `fetch` when left out. */
  readonly fetch?: FetchLike;
  /** The chain to which the wallet sends its transactions, for `fund`; the service's `rpc_url` when left out. */
  readonly chain?: ChainConnection;
  /** Whether the service is a world of this process, whose `explain` a refusal then names. */
  readonly isInProcess?: boolean;
}

/** Options of one call. */
export interface CallOptions {
  /** Makes a repeated call return the first one's response. */
  readonly idempotencyKey?: string;
}

export type Amount = { readonly amount: number };
export type LoanPlan = {
  readonly purpose: string;
  /** Days. */
  readonly duration?: number;
  readonly collateral?: { readonly type?: string; readonly amount?: number };
};
export type TokenAmount = Amount & { readonly token: Token };

/** The members of `/docs` that a deposit needs. */
interface PublishedFacts {
  readonly treasury_address: string;
  readonly usdc_mint: string;
  readonly rpc_url?: string;
}

/** A typed client of the service with a method per endpoint. It signs in automatically at the first call that needs it. */
export class AgentClient {
  readonly wallet: AgentWallet;
  readonly baseUrl: string;
  readonly #fetch: FetchLike;
  readonly #chain: ChainConnection | null;
  readonly #isInProcess: boolean;
  #token: string | null = null;

  constructor(options: ClientOptions) {
    this.wallet = options.wallet;
    this.baseUrl = options.baseUrl.replace(/\/$/, '');
    this.#fetch = options.fetch ?? fetchFrom;
    this.#chain = options.chain ?? null;
    this.#isInProcess = options.isInProcess ?? false;
  }

  /** Signs a fresh challenge and stores the token. */
  async signIn(): Promise<ResponseOf<'verify'>> {
    const wallet = this.wallet.address;
    const { challenge } = await this.#request<'challenge'>('POST', '/agent/auth/challenge', {}, { wallet });
    const signature = this.wallet.signText(challenge);
    const signed = { wallet, signature, message: challenge };
    const answer = await this.#request<'verify'>('POST', '/agent/auth/verify', {}, signed);
    this.#token = answer.token;
    return answer;
  }

  profile = () => this.#get<'profile'>('/agent/profile');
  eligibility = (query: QueryOf<'eligibility'> = {}) => this.#get<'eligibility'>('/agent/eligibility', query);
  account = () => this.#get<'account'>('/agent/account');
  deposit = (body: TokenAmount & { tx_signature: string }, options?: CallOptions) =>
    this.#secured<'deposit'>('/agent/account/deposit', body, options);
  withdraw = (body: TokenAmount & { destination?: string }, options?: CallOptions) =>
    this.#secured<'withdraw'>('/agent/account/withdraw', body, options);
  transactions = (query: Partial<QueryOf<'transactions'>> = {}) =>
    this.#get<'transactions'>('/agent/account/transactions', query);
  depositSavings = (body: TokenAmount, options?: CallOptions) =>
    this.#secured<'savingsDeposit'>('/agent/account/savings/deposit', body, options);
  withdrawSavings = (body: TokenAmount, options?: CallOptions) =>
    this.#secured<'savingsWithdraw'>('/agent/account/savings/withdraw', body, options);
  yieldRates = () => this.#request<'yieldRates'>('GET', '/agent/account/savings/yield', {});
  borrow = (body: Amount, options?: CallOptions) =>
    this.#secured<'collateralBorrow'>('/agent/account/collateral/borrow', body, options);
  repay = (body: Amount, options?: CallOptions) =>
    this.#secured<'collateralRepay'>('/agent/account/collateral/repay', body, options);
  pay = (
    body: TokenAmount & { recipient: string; service_url?: string; memo?: string; payment_request?: string },
    options?: CallOptions,
  ) => this.#secured<'x402Pay'>('/agent/account/x402/pay', body, options);
  receive = (
    body: { tx_signature: string; expected_amount?: number; expected_token?: Token },
    options?: CallOptions,
  ) => this.#secured<'x402Receive'>('/agent/account/x402/receive', body, options);
  requestPayment = (query: Amount & { token?: Token; description?: string; expires_in?: number }) =>
    this.#get<'x402Request'>('/agent/account/x402/request', query);
  loans = () => this.#get<'loans'>('/agent/loans');
  applyForLoan = (body: Amount & LoanPlan, options?: CallOptions) =>
    this.#secured<'loanApply'>('/agent/loans', body, options);
  loan = (id: string) => this.#get<'loan'>(`/agent/loans/${encodeURIComponent(id)}`);
  repayLoan = (id: string, body: Amount & { txSignature?: string }, options?: CallOptions) =>
    this.#secured<'loanRepay'>(`/agent/loans/${encodeURIComponent(id)}/repay`, body, options);
  onboard = () => this.#request<'onboard'>('GET', '/agent/onboard', {});

  /** Calls the endpoint of a row of the contract; `id` fills its path. Rejects as the methods do. */
  async call(
    {
      method,
      path,
      auth,
    }: { readonly method: 'GET' | 'POST'; readonly path: string; readonly auth: 'bearer' | 'none' },
    { id = '', query = {}, body }: { readonly id?: string; readonly query?: object; readonly body?: object },
    { idempotencyKey }: CallOptions = {},
  ): Promise<unknown> {
    const target = filledPath(path, encodeURIComponent(id), query);
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const sent = (more: Record<string, string>) =>
      this.#request<EndpointId>(method, target, { ...headers, ...more }, body);
    return auth === 'none' ? sent({}) : this.#signedIn((authorization) => sent({ authorization }));
  }

  /**
   * Makes a complete deposit: sends tokens from the wallet to the treasury on chain, then records them. Rejects with the chain's own error,
   * BankError, and ChainRpcError when neither the client nor the service has a chain.
   */
  async fund(amount: number, token: Token): Promise<ResponseOf<'deposit'>> {
    const signature = await this.sendToTreasury(amount, token);
    return this.deposit({ amount, token, tx_signature: signature });
  }

  /** Sends tokens from the wallet to the treasury on chain and resolves to the transaction's signature. */
  async sendToTreasury(amount: number, token: Token): Promise<string> {
    const facts = (await (await this.#fetch(`${this.baseUrl}/docs`)).json()) as PublishedFacts;
    const transfer = { token, amount, to: facts.treasury_address, usdcMint: facts.usdc_mint };
    return this.wallet.send(this.#chain ?? this.#chainOf(facts), transfer);
  }

  #chainOf({ rpc_url }: PublishedFacts): ChainConnection {
    if (rpc_url !== undefined) return chainAt(rpc_url);
    throw new ChainRpcError(
      `${this.baseUrl} does not name an RPC of its chain (rpc_url in /docs): start the service with an RPC, or pass this client a chain, such as chainAt(url)`,
      null,
    );
  }

  #secured<I extends EndpointId>(path: string, body: object, options?: CallOptions): Promise<ResponseOf<I>> {
    return this.call({ method: 'POST', path, auth: 'bearer' }, { body }, options) as Promise<ResponseOf<I>>;
  }

  #get<I extends EndpointId>(path: string, query: object = {}): Promise<ResponseOf<I>> {
    return this.call({ method: 'GET', path, auth: 'bearer' }, { query }) as Promise<ResponseOf<I>>;
  }

  /** Makes a call with a token. Retries once if the token has expired, since the service refuses such a call before any effect. */
  async #signedIn<T>(call: (authorization: string) => Promise<T>): Promise<T> {
    const token = this.#token ?? (await this.signIn()).token;
    try {
      return await call(`Bearer ${token}`);
    } catch (error) {
      if (!(error instanceof BankError) || error.code !== 'token_expired') throw error;
      return call(`Bearer ${(await this.signIn()).token}`);
    }
  }

  async #request<I extends EndpointId>(
    method: Endpoints[I]['method'],
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<ResponseOf<I>> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.#fetch(this.baseUrl + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...sent,
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return answer as ResponseOf<I>;
    const refusal = (answer ?? {}) as { error?: string; code?: string; details?: object; requestId?: string };
    const requestId = refusal.requestId ?? response.headers.get('x-request-id');
    throw new BankError(
      refusal.error ?? 'The service did not give a reason.',
      refusal.code ?? 'unknown',
      response.status,
      (refusal.details ?? {}) as Record<string, unknown>,
      requestId,
      this.#isInProcess ? `sim.explain('${requestId}')` : undefined,
    );
  }
}
