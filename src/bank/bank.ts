import { type BankChain, ChainUnreachable, type Now, onceThere } from '../chain/bank-chain.js';
import { TOKEN_PROGRAM } from '../chain/addresses.js';
import type { Refusal } from '../domain/errors.js';
import { uuid } from '../domain/ids.js';
import { customer, parseToken } from '../domain/inputs.js';
import { type Amount, type PerToken, type Token, amountOf, parseAmount } from '../domain/money.js';
import {
  type CollateralBorrowView,
  type CollateralInput,
  collateralBorrow,
} from '../domain/operations/collateral-borrow.js';
import { type CollateralRepayView, collateralRepay } from '../domain/operations/collateral-repay.js';
import { type DepositView, deposit } from '../domain/operations/deposit.js';
import { openBank } from '../domain/operations/open-bank.js';
import { openCustomer } from '../domain/operations/open-customer.js';
import { type PayInput, pay } from '../domain/operations/pay.js';
import { type ReceivePaymentView, receivePayment } from '../domain/operations/receive-payment.js';
import {
  type SavingsDepositView,
  type SavingsInput,
  savingsDeposit,
} from '../domain/operations/savings-deposit.js';
import { type SavingsWithdrawView, savingsWithdraw } from '../domain/operations/savings-withdraw.js';
import { type WithdrawInput, withdraw } from '../domain/operations/withdraw.js';
import type { PaymentReceipt } from '../domain/payment-request.js';
import { type AccountOverview, accountOverview } from '../domain/queries/account.js';
import {
  type TransactionsInput,
  type TransactionsView,
  transactions,
} from '../domain/queries/transactions.js';
import { type YieldRates, yieldRates } from '../domain/queries/yield-rates.js';
import { type Result, ok, refuse } from '../domain/result.js';
import { type Outflow, holding } from '../domain/state.js';
import { type BalanceChange, balanceChange } from '../domain/views.js';
import { StorageUnavailable } from '../journal/storage-unavailable.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import type { ReviewPolicy } from '../world/reviewer.js';
import type { BankAddresses } from './addresses.js';
import { type AuthMark, Auth, TOKEN_SECONDS } from './auth.js';
import { type BankConstants, BankEnv } from './bank-env.js';
import { Books, type BooksMark } from './books.js';
import { ChainEvidence, explained, unreachable, unreachableEvidence } from './chain-evidence.js';
import { CreditDesk } from './credit-desk.js';
import { ChainWatch } from './chain-watch.js';
import type { Expiring } from './expiring.js';
import { Idempotency } from './idempotency.js';
import { type RequestView, paymentRequest } from './payment-requests.js';
import { issueReceipt } from './receipts.js';
import { Settlement } from './settlement.js';
import { Transfers } from './transfers.js';

export interface WithdrawView {
  readonly success: true;
  readonly withdrawal: {
    id: string;
    amount: Amount;
    token: Token;
    destination: string;
    status: Outflow['status'];
    tx_signature: string | null;
  };
  readonly balance: BalanceChange;
}

export interface PayView {
  readonly success: true;
  readonly payment_id: string;
  readonly tx_signature: string;
  readonly receipt: PaymentReceipt;
}

export interface RequestPaymentInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
  readonly description?: string | undefined;
  readonly expiresInSeconds: number;
}

/** A bank at one moment, as a value. */
export interface BankMark {
  readonly books: BooksMark;
  readonly auth: AuthMark;
  readonly idempotency: Expiring<unknown>;
  readonly policy: ReviewPolicy;
  readonly transfersSent: number;
  readonly tokensIssued: number;
  readonly requestsIssued: number;
}

export interface BankParts {
  readonly constants: BankConstants;
  readonly chain: BankChain;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly addresses: BankAddresses;
  readonly tokenSecret: Uint8Array;
  readonly policy: ReviewPolicy;
}

/** The refusal that an exception stands for when nothing was changed; null for a bug. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof StorageUnavailable) return { code: 'storage_unavailable' };
  return error instanceof ChainUnreachable ? unreachable(error.message) : null;
}

/** The bank: each operation of the service as a call, between the books and the chain. */
export class Bank {
  readonly books: Books;
  readonly auth: Auth;
  readonly idempotency = new Idempotency();
  readonly settlement: Settlement;
  readonly watch: ChainWatch;
  readonly credit: CreditDesk;
  readonly addresses: BankAddresses;
  readonly #constants: BankConstants;
  readonly #chain: BankChain;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #evidence: ChainEvidence;
  readonly #transfers: Transfers;
  #policy: ReviewPolicy;
  #tokensIssued = 0;
  #requestsIssued = 0;

  constructor(parts: BankParts) {
    this.#constants = parts.constants;
    this.#chain = parts.chain;
    this.#clock = parts.clock;
    this.#oracle = parts.oracle;
    this.#policy = parts.policy;
    this.addresses = parts.addresses;
    this.books = new Books({ creditInHistory: parts.constants.variants.historyTypes === 'all' });
    this.auth = new Auth(parts.tokenSecret);
    this.#evidence = new ChainEvidence(parts.chain, parts.addresses.usdcMint);
    this.#transfers = new Transfers(parts.chain, parts.addresses);
    const nowMs = () => this.#clock.nowMs();
    this.watch = new ChainWatch({ books: this.books, chain: parts.chain, addresses: this.addresses, nowMs });
    this.settlement = new Settlement({
      watch: this.watch,
      books: this.books,
      transfers: this.#transfers,
      addresses: this.addresses,
      nowMs,
    });
    this.credit = new CreditDesk({
      books: this.books,
      evidence: this.#evidence,
      env: (atMs) => this.env(atMs),
      openAccount: (wallet) => this.openAccount(wallet),
    });
  }

  /** The first entry: what the treasury holds when the books begin. Base units. */
  open(treasury: PerToken<bigint>): void {
    this.books.commit(ok(openBank(treasury)), this.#clock.nowMs());
  }

  /** The world now, or at an instant that has passed, as decisions see it. */
  env(atMs?: number): BankEnv {
    const nowMs = atMs ?? this.#clock.nowMs();
    return new BankEnv(this.#constants, { nowMs, oracle: this.#oracle, policy: this.#policy });
  }

  reviewPolicy(): ReviewPolicy {
    return this.#policy;
  }

  setReviewPolicy(policy: ReviewPolicy): void {
    this.#policy = policy;
  }

  /** A challenge for a wallet to sign. */
  challenge(wallet: string): Result<{ challenge: string; expiresIn: number }> {
    return this.auth.challenge(wallet, this.#clock.nowMs());
  }

  /** Checks a signed challenge and gives a token; opens an account at a wallet's first time. */
  async verify(input: {
    wallet: string;
    signature: string;
    message: string;
  }): Promise<Result<{ token: string; expiresIn: number; wallet: string }>> {
    const nowMs = this.#clock.nowMs();
    const proof = this.auth.prove(input, nowMs);
    if (!proof.ok) return proof;
    const { wallet } = input;
    this.openAccount(wallet);
    const ready = this.watch.ready(customer(this.books.state, wallet).collectionAddress);
    // Signing in needs no chain; before money moves there, it is seen to again.
    if (ready !== null) await ready.catch(unreachableEvidence);
    this.#tokensIssued += 1;
    const tokenId = uuid(this.#constants.salt, 'token', this.#tokensIssued);
    return ok({
      token: await this.auth.issueToken(wallet, tokenId, nowMs),
      expiresIn: TOKEN_SECONDS,
      wallet,
    });
  }

  /** Makes a wallet a customer; nothing happens when it is one. */
  openAccount(wallet: string): void {
    if (this.books.state.agents.has(wallet)) return;
    const collectionAddress = this.addresses.collection(wallet).address;
    this.books.commit(ok(openCustomer({ wallet, collectionAddress })), this.#clock.nowMs());
  }

  /** The customer that an Authorization header speaks for; at once for a token that was seen before. */
  authenticate(header: string | undefined): Result<string> | Promise<Result<string>> {
    const wallet = this.auth.authenticate(header, this.#clock.nowMs());
    return wallet instanceof Promise ? wallet.then((late) => this.#known(late)) : this.#known(wallet);
  }

  #known(wallet: Result<string>): Result<string> {
    if (!wallet.ok || this.books.state.agents.has(wallet.value)) return wallet;
    return refuse('invalid_token', undefined, 'The token is of another time of this world; sign in again.');
  }

  account(wallet: string): AccountOverview {
    return accountOverview(this.books.state, wallet, this.env());
  }

  yieldRates(): Result<YieldRates> {
    return yieldRates(this.env());
  }

  transactions(input: TransactionsInput): TransactionsView {
    return transactions(this.books.state, input, this.env(), this.books.entryAt);
  }

  deposit(input: {
    wallet: string;
    amount: unknown;
    token: string;
    signature: string;
  }): Now<Result<DepositView>> {
    const { treasury } = this.#constants;
    return onceThere(this.#evidence.find(input.signature, treasury, input.wallet), (evidence) => {
      const env = this.env();
      const decision = deposit(this.books.state, { ...input, receipt: evidence.receipt }, env);
      return this.books.commit(explained(decision, evidence), env.nowMs);
    });
  }

  savingsDeposit(input: SavingsInput): Result<SavingsDepositView> {
    const env = this.env();
    return this.books.commit(savingsDeposit(this.books.state, input, env), env.nowMs);
  }

  savingsWithdraw(input: SavingsInput): Result<SavingsWithdrawView> {
    const env = this.env();
    return this.books.commit(savingsWithdraw(this.books.state, input, env), env.nowMs);
  }

  collateralBorrow(input: CollateralInput): Result<CollateralBorrowView> {
    const env = this.env();
    return this.books.commit(collateralBorrow(this.books.state, input, env), env.nowMs);
  }

  collateralRepay(input: CollateralInput): Result<CollateralRepayView> {
    const env = this.env();
    return this.books.commit(collateralRepay(this.books.state, input, env), env.nowMs);
  }

  /** Sends tokens to a wallet: at once, or queued when the variant says so. */
  async withdraw(input: WithdrawInput): Promise<Result<WithdrawView>> {
    const token = parseToken(input.token);
    if (!token.ok) return token;
    const place = await this.#notATokenAccount(input.destination);
    if (!place.ok && place.refusal.code !== 'chain_unavailable') return place;
    const env = this.env();
    const decision = withdraw(this.books.state, input, env);
    // That the chain cannot be asked counts only when nothing else is wrong.
    if (!place.ok && decision.ok) return place;
    const reserved = this.books.commit(decision, env.nowMs);
    if (!reserved.ok) return reserved;
    const outflow = this.#outflow(reserved.value);
    const { amountBase, payTo, executeAtMs } = outflow.terms;
    const current = holding(customer(this.books.state, input.wallet), 'checking', token.value);
    const balance = balanceChange(token.value, current + amountBase, current);
    const settled = executeAtMs === null ? await this.settlement.carryOut(outflow.id) : ok(outflow);
    if (!settled.ok) return settled;
    return ok({
      success: true,
      withdrawal: {
        id: this.outflowId(outflow.id),
        amount: amountOf(token.value, amountBase),
        token: token.value,
        destination: payTo,
        status: settled.value.status,
        tx_signature: settled.value.signature,
      },
      balance,
    });
  }

  /** Pays a wallet by x402 and gives the signed receipt. */
  async pay(input: PayInput): Promise<Result<PayView>> {
    const token = parseToken(input.token);
    if (!token.ok) return token;
    const place = await this.#notATokenAccount(input.recipient);
    if (!place.ok && place.refusal.code !== 'chain_unavailable') return place;
    const env = this.env();
    const decision = pay(this.books.state, input, env);
    if (!place.ok && decision.ok) return place;
    const reserved = this.books.commit(decision, env.nowMs);
    if (!reserved.ok) return reserved;
    const outflow = this.#outflow(reserved.value);
    const issuer = { addresses: this.addresses, salt: this.#constants.salt, network: this.addresses.caip2 };
    // Signed while the chain works, and given out when the payment is through only.
    const signed: PaymentReceipt[] = [];
    const settled = await this.settlement.carryOut(outflow.id, (signature) => {
      signed.push(issueReceipt(outflow, signature, { ...issuer, nowMs: env.nowMs }));
    });
    if (!settled.ok) return settled;
    const receipt = signed[0] as PaymentReceipt;
    if (settled.value.status === 'pending') {
      return refuse(
        'chain_unavailable',
        { tx_signature: receipt.tx_signature },
        'The payment was sent, but the chain does not say what became of it; the amount stays reserved until it does.',
      );
    }
    const { payment_id, tx_signature } = receipt;
    return ok({ success: true, payment_id, tx_signature, receipt });
  }

  receivePayment(input: {
    wallet: string;
    signature: string;
    expectedAmount?: unknown;
    expectedToken?: string | undefined;
  }): Now<Result<ReceivePaymentView>> {
    const { collectionAddress } = customer(this.books.state, input.wallet);
    const find = () => this.#evidence.find(input.signature, collectionAddress, input.wallet);
    const ready = this.watch.ready(collectionAddress);
    return onceThere(ready === null ? find() : ready.then(find, unreachableEvidence), (evidence) => {
      const env = this.env();
      const decision = receivePayment(this.books.state, { ...input, receipt: evidence.receipt }, env);
      return this.books.commit(explained(decision, evidence), env.nowMs);
    });
  }

  /** What a service puts into its 402 answer so that it is paid at the caller's collection address. */
  async requestPayment(input: RequestPaymentInput): Promise<Result<RequestView>> {
    const token = parseToken(input.token);
    if (!token.ok) return token;
    const amount = parseAmount(input.amount, token.value);
    if (!amount.ok) return amount;
    const { collectionAddress } = customer(this.books.state, input.wallet);
    await this.watch.ready(collectionAddress);
    if (token.value === 'USDC') await this.#ensureTokenAccount(collectionAddress);
    this.#requestsIssued += 1;
    return ok(
      paymentRequest({
        id: uuid(this.#constants.salt, 'paymentRequest', this.#requestsIssued),
        recipient: input.wallet,
        payTo: collectionAddress,
        token: token.value,
        amountBase: amount.value,
        description: input.description ?? null,
        nowMs: this.#clock.nowMs(),
        expiresInSeconds: input.expiresInSeconds,
        addresses: this.addresses,
      }),
    );
  }

  /** The id by which the agent knows an outflow. */
  outflowId(outflow: number): string {
    return uuid(this.#constants.salt, 'entry', outflow);
  }

  mark(): BankMark {
    return {
      books: this.books.mark(),
      auth: this.auth.mark(),
      idempotency: this.idempotency.mark(),
      policy: this.#policy,
      transfersSent: this.#transfers.mark(),
      tokensIssued: this.#tokensIssued,
      requestsIssued: this.#requestsIssued,
    };
  }

  restore(mark: BankMark): void {
    this.books.restore(mark.books);
    this.auth.restore(mark.auth);
    this.idempotency.restore(mark.idempotency);
    this.#policy = mark.policy;
    this.#transfers.restore(mark.transfersSent);
    this.#tokensIssued = mark.tokensIssued;
    this.#requestsIssued = mark.requestsIssued;
  }

  /** Payers by the standard protocol need the recipient's token account to exist. */
  async #ensureTokenAccount(owner: string): Promise<void> {
    if (!(await this.#transfers.hasTokenAccount(owner))) await this.settlement.openTokenAccount(owner);
  }

  /** Tokens sent to a token account as if it were a wallet would be lost. */
  async #notATokenAccount(address: string | undefined): Promise<Result<void>> {
    if (address === undefined) return ok(undefined);
    const known = this.#chain.knownAccount(address);
    let account;
    try {
      account = known instanceof Promise ? await known : known;
    } catch (error) {
      if (!(error instanceof ChainUnreachable)) throw error;
      return { ok: false, refusal: unreachable(error.message) };
    }
    if (account?.owner !== TOKEN_PROGRAM) return ok(undefined);
    return refuse(
      'invalid_wallet',
      { wallet: address, reason: 'a token account or a mint' },
      'This is a token account or a mint; give the address of the wallet that owns it.',
    );
  }

  #outflow(id: number): Outflow {
    const outflow = this.books.state.outflows.get(id);
    if (outflow === undefined) throw new Error(`there is no outflow ${id}`);
    return outflow;
  }
}
