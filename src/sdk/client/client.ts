import { BASE_PATH, type QueryOf, type ResponseOf, endpoints } from '../../contract/endpoints.js';
import { filledPath, hasId } from '../../contract/match-path.js';
import { type ErrorCode, isTokenRefused } from '../../core/domain/errors.js';
import type { Token } from '../../core/domain/money.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { type FetchLike, fetchFrom, trimmedUrl } from '../../core/fetch.js';
import { isObject } from '../../core/json.js';
import { DEFAULT_ORIGIN, IN_PROCESS_ORIGIN } from '../../core/origins.js';
import { checkMembers } from '../../core/suggestion.js';
import { ChainRpcError, chainAt } from './chain-at.js';
import type { AgentWallet, ChainConnection } from './wallet.js';

/**
 * A refusal by the service as an exception. Its message is the service's, followed by the code, the status, and what explains the
 * request while the simulator runs: `… (token_expired, HTTP 401; sim explain req_00000007)`. Its `--url` is left out for the default
 * address. In process it is `sim.explain('req_00000007')`.
 */
export class BankError extends Error {
  override readonly name = 'BankError';

  constructor(
    /** The service's message alone. */
    readonly sentence: string,
    /** A code of the simulator's table; other services may send others. */
    readonly code: ErrorCode | (string & {}),
    readonly status: number,
    readonly details: Readonly<Record<string, unknown>>,
    readonly requestId: string | null,
    /** What explains the request. */
    explainer = `sim explain ${requestId}`,
    /** The header Retry-After; null when it is absent or a date. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(`${sentence} (${code}, HTTP ${status}${requestId === null ? '' : `; ${explainer}`})`);
  }
}

function explainerOf(baseUrl: string, requestId: string | null): string {
  if (new URL(baseUrl).origin === IN_PROCESS_ORIGIN) return `sim.explain('${requestId}')`;
  const url = baseUrl.replace(new RegExp(`${BASE_PATH}$`), '');
  return `sim explain ${requestId}${url === DEFAULT_ORIGIN ? '' : ` --url ${url}`}`;
}

export interface ClientOptions {
  /** Ends with the version segment, such as `http://127.0.0.1:4020/api/v1`. */
  readonly baseUrl: string;
  readonly wallet: AgentWallet;
  /** The function for HTTP requests; the global `fetch` when left out. */
  readonly fetch?: FetchLike;
  /** The chain to which the wallet sends its transactions, for `fund`; the service's `rpc_url` when left out. */
  readonly chain?: ChainConnection;
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

const OPERATIONS = endpoints(DEFAULT_VARIANTS);

/** Throws TypeError for members and options that would be ignored, and for a key that a header cannot contain. */
function checkInput(
  { method, path, body, query }: Parameters<AgentClient['call']>[0],
  members: object,
  options: CallOptions,
): void {
  const inBody = Object.keys(members).find((name) => /^idempotency[_-]?key$/i.test(name));
  if (inBody !== undefined)
    throw new TypeError(`${inBody}: goes into an argument after the body: pay(body, { idempotencyKey })`);
  if ((body ?? query) !== undefined)
    checkMembers(`${method} ${path}`, members, Object.keys({ ...query?.shape, ...body?.shape }));
  if (!isObject(options)) throw new TypeError("the options are an object such as { idempotencyKey: 'k' }");
  checkMembers('the options of a call', options, ['idempotencyKey']);
  const { idempotencyKey: key = '' } = options;
  if (typeof key !== 'string' || !/^[\x20-\x7E\xA0-\xFF]*$/.test(key))
    throw new TypeError(`idempotencyKey: must be a text of Latin-1 characters, not ${String(key)}`);
}

/** A typed client of the service with a method per endpoint. It signs in automatically at the first call that needs it. */
export class AgentClient {
  readonly wallet: AgentWallet;
  readonly baseUrl: string;
  readonly #fetch: FetchLike;
  readonly #chain: ChainConnection | null;
  #token: string | null = null;

  constructor(options: ClientOptions) {
    if (typeof (options.wallet as Partial<AgentWallet> | undefined)?.signText !== 'function')
      throw new TypeError('wallet: must be an AgentWallet, such as AgentWallet.fromSecretKey(secretKey)');
    this.wallet = options.wallet;
    this.baseUrl = trimmedUrl('baseUrl', options.baseUrl);
    this.#fetch = options.fetch ?? fetchFrom;
    this.#chain = options.chain ?? null;
  }

  /** Signs a fresh challenge and stores the token. */
  async signIn(): Promise<ResponseOf<'verify'>> {
    const wallet = this.wallet.address;
    const { challenge } = await this.#do('challenge', { body: { wallet } });
    const body = { wallet, signature: this.wallet.signText(challenge), message: challenge };
    const answer = await this.#do('verify', { body });
    this.#token = answer.token;
    return answer;
  }

  profile = () => this.#do('profile');
  eligibility = (query: QueryOf<'eligibility'> = {}) => this.#do('eligibility', { query });
  account = () => this.#do('account');
  deposit = (body: TokenAmount & { tx_signature: string }, options?: CallOptions) =>
    this.#do('deposit', { body }, options);
  withdraw = (body: TokenAmount & { destination?: string }, options?: CallOptions) =>
    this.#do('withdraw', { body }, options);
  transactions = (query: Partial<QueryOf<'transactions'>> = {}) => this.#do('transactions', { query });
  depositSavings = (body: TokenAmount, options?: CallOptions) =>
    this.#do('savingsDeposit', { body }, options);
  withdrawSavings = (body: TokenAmount, options?: CallOptions) =>
    this.#do('savingsWithdraw', { body }, options);
  yieldRates = () => this.#do('yieldRates');
  borrow = (body: Amount, options?: CallOptions) => this.#do('collateralBorrow', { body }, options);
  repay = (body: Amount, options?: CallOptions) => this.#do('collateralRepay', { body }, options);
  pay = (
    body: TokenAmount & { recipient: string; service_url?: string; memo?: string; payment_request?: string },
    options?: CallOptions,
  ) => this.#do('x402Pay', { body }, options);
  receive = (
    body: { tx_signature: string; expected_amount?: number; expected_token?: Token },
    options?: CallOptions,
  ) => this.#do('x402Receive', { body }, options);
  requestPayment = (query: Amount & { token?: Token; description?: string; expires_in?: number }) =>
    this.#do('x402Request', { query });
  loans = () => this.#do('loans');
  applyForLoan = (body: Amount & LoanPlan, options?: CallOptions) => this.#do('loanApply', { body }, options);
  loan = (id: string) => this.#do('loan', { id });
  repayLoan = (id: string, body: Amount & { txSignature?: string }, options?: CallOptions) =>
    this.#do('loanRepay', { id, body }, options);
  onboard = () => this.#do('onboard');

  /** Calls the endpoint of a row of the contract, and refuses members that its schemas do not have; `id` fills its path. Rejects as the methods do. */
  async call(
    operation: {
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly auth: 'bearer' | 'none';
      readonly query?: { readonly shape: object };
      readonly body?: { readonly shape: object };
    },
    { id = '', query = {}, body }: { readonly id?: string; readonly query?: object; readonly body?: object },
    options: CallOptions = {},
  ): Promise<unknown> {
    checkInput(operation, { ...query, ...body }, options);
    const { method, path, auth } = operation;
    if (hasId(path) && id === '') throw new TypeError(`id: ${method} ${path} needs one`);
    const { idempotencyKey } = options;
    const target = filledPath(path, encodeURIComponent(id), query);
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const sent = (more: Record<string, string>) =>
      this.#request(method, target, { ...headers, ...more }, body);
    return auth === 'none' ? sent({}) : this.#signedIn((authorization) => sent({ authorization }));
  }

  /** Sends tokens from the wallet to the treasury on chain, then records them. Rejects with BankError, and with the chain's own error. */
  async fund(amount: number, token: Token): Promise<ResponseOf<'deposit'>> {
    return this.deposit({ amount, token, tx_signature: await this.sendToTreasury(amount, token) });
  }

  /** Sends tokens from the wallet to the treasury on chain and resolves to the transaction's signature. */
  async sendToTreasury(amount: number, token: Token): Promise<string> {
    const facts = (await (await this.#fetch(`${this.baseUrl}/docs`)).json()) as PublishedFacts;
    const transfer = { token, amount, to: facts.treasury_address, usdcMint: facts.usdc_mint };
    try {
      return await this.wallet.send(this.#chain ?? this.#chainOf(facts), transfer);
    } catch (error) {
      const { transactionError, message = '', stack } = (error ?? {}) as Partial<ChainRpcError>;
      const lack = /^"AccountNotFound"|InsufficientFunds|"Custom":1\}|"InvalidAccountData"/;
      if (!lack.test(JSON.stringify(transactionError ?? null))) throw error;
      const longer = `${message} (the wallet ${this.wallet.address} needs ${amount} ${token} on chain, and SOL for the fee; in a simulator, npx sim faucet adds them)`;
      throw Object.assign(error as Error, { message: longer, stack: stack?.replace(message, () => longer) });
    }
  }

  #chainOf({ rpc_url }: PublishedFacts): ChainConnection {
    if (rpc_url !== undefined) return chainAt(rpc_url);
    throw new ChainRpcError(
      `${this.baseUrl} does not name an RPC of its chain (rpc_url in /docs): start the service with an RPC, or pass this client a chain, such as chainAt(url)`,
      null,
    );
  }

  #do<I extends keyof typeof OPERATIONS>(
    operation: I,
    input: Parameters<AgentClient['call']>[1] = {},
    options?: CallOptions,
  ): Promise<ResponseOf<I>> {
    return this.call(OPERATIONS[operation], input, options) as Promise<ResponseOf<I>>;
  }

  /** Makes a call with a token. Retries once with a new token if it is refused, which happens before any effect. */
  async #signedIn<T>(call: (authorization: string) => Promise<T>): Promise<T> {
    const token = this.#token ?? (await this.signIn()).token;
    try {
      return await call(`Bearer ${token}`);
    } catch (error) {
      if (!(error instanceof BankError) || !isTokenRefused(error.code)) throw error;
      return call(`Bearer ${(await this.signIn()).token}`);
    }
  }

  async #request(method: string, path: string, headers: object, body?: object): Promise<unknown> {
    const json = { ...headers, 'content-type': 'application/json' };
    const sent =
      body === undefined ? { headers: { ...headers } } : { headers: json, body: JSON.stringify(body) };
    const response = await this.#fetch(this.baseUrl + path, { method, ...sent });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return answer;
    const refusal = (answer ?? {}) as { error?: string; code?: string; details?: object; requestId?: string };
    const requestId = refusal.requestId ?? response.headers.get('x-request-id');
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new BankError(
      refusal.error ?? 'The service did not give a reason.',
      refusal.code ?? 'unknown',
      response.status,
      (refusal.details ?? {}) as Record<string, unknown>,
      requestId,
      explainerOf(this.baseUrl, requestId),
      Number.isFinite(retryAfter) ? retryAfter : null,
    );
  }
}
