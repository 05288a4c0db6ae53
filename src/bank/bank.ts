import { type BankChain, ChainUnreachable, type Now, onceThere } from '../chain/bank-chain.js';
import { type Cause, UNASKED } from '../domain/cause.js';
import type { Refusal } from '../domain/errors.js';
import type { Violation } from '../domain/invariants.js';
import { uuid } from '../domain/ids.js';
import { customer, parseToken } from '../domain/inputs.js';
import { type PerToken, parseAmount } from '../domain/money.js';
import {
  type CollateralBorrowView,
  type CollateralInput,
  collateralBorrow,
} from '../domain/operations/collateral-borrow.js';
import { type CollateralRepayView, collateralRepay } from '../domain/operations/collateral-repay.js';
import { type DepositView, deposit } from '../domain/operations/deposit.js';
import { openBank } from '../domain/operations/open-bank.js';
import { openCustomer } from '../domain/operations/open-customer.js';
import type { PayInput } from '../domain/operations/pay.js';
import { type ReceivePaymentView, receivePayment } from '../domain/operations/receive-payment.js';
import {
  type SavingsDepositView,
  type SavingsInput,
  savingsDeposit,
} from '../domain/operations/savings-deposit.js';
import { type SavingsWithdrawView, savingsWithdraw } from '../domain/operations/savings-withdraw.js';
import type { WithdrawInput } from '../domain/operations/withdraw.js';
import { type AccountOverview, accountOverview } from '../domain/queries/account.js';
import {
  type TransactionsInput,
  type TransactionsView,
  transactions,
} from '../domain/queries/transactions.js';
import { type YieldRates, yieldRates } from '../domain/queries/yield-rates.js';
import { type Result, ok, refuse } from '../domain/result.js';
import { StorageUnavailable } from '../journal/storage-unavailable.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import { type ReviewPolicy, afterReview } from '../world/reviewer.js';
import type { BankAddresses } from './addresses.js';
import type { SignatureJudge } from '../chain/signatures.js';
import { type AuthMark, Auth, TOKEN_SECONDS } from './auth.js';
import { type BankConstants, BankEnv } from './bank-env.js';
import { Books, type BooksMark } from './books.js';
import { ChainEvidence, explained, unreachable, unreachableEvidence } from './chain-evidence.js';
import { CreditDesk } from './credit-desk.js';
import { ChainWatch } from './chain-watch.js';
import { Idempotency } from './idempotency.js';
import type { KeptCalls } from './kept-calls.js';
import type { LateMark } from './late-transfers.js';
import { type RequestView, paymentRequest } from './payment-requests.js';
import { type PayView, Payouts, type WithdrawView } from './payouts.js';
import { Settlement } from './settlement.js';
import { Transfers } from './transfers.js';
import type { BankFeed, UnderWay } from './under-way.js';

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
  readonly idempotency: KeptCalls;
  readonly late: LateMark;
  readonly policy: ReviewPolicy;
  readonly transfersSent: number;
  readonly tokensIssued: number;
  readonly requestsIssued: number;
}

export interface BankParts {
  readonly constants: BankConstants;
  /** So many keys may be remembered at a time; the next is refused. */
  readonly maxIdempotencyKeys: number;
  /** So many applications for credit may be kept; the next is refused. */
  readonly maxLoanApplications: number;
  readonly chain: BankChain;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly addresses: BankAddresses;
  readonly tokenSecret: Uint8Array;
  readonly policy: ReviewPolicy;
  /** The keys themselves when left out. */
  readonly signatures?: SignatureJudge | undefined;
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
  readonly idempotency: Idempotency;
  readonly settlement: Settlement;
  readonly watch: ChainWatch;
  readonly credit: CreditDesk;
  readonly payouts: Payouts;
  readonly addresses: BankAddresses;
  readonly #constants: BankConstants;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #evidence: ChainEvidence;
  readonly #transfers: Transfers;
  #policy: ReviewPolicy;
  #tokensIssued = 0;
  #requestsIssued = 0;

  constructor(parts: BankParts) {
    this.#constants = parts.constants;
    this.idempotency = new Idempotency(parts.maxIdempotencyKeys);
    this.#clock = parts.clock;
    this.#oracle = parts.oracle;
    this.#policy = parts.policy;
    this.addresses = parts.addresses;
    this.books = new Books({ creditInHistory: parts.constants.variants.historyTypes === 'all' });
    this.auth = new Auth(parts.tokenSecret, parts.signatures);
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
    this.payouts = new Payouts({
      books: this.books,
      chain: parts.chain,
      settlement: this.settlement,
      addresses: this.addresses,
      salt: parts.constants.salt,
      env: (cause) => this.env(cause),
      onReserved: (requestId, outflow) => this.idempotency.reserved(requestId, outflow),
    });
    this.credit = new CreditDesk({
      books: this.books,
      evidence: this.#evidence,
      env: (cause, atMs) => this.env(cause, atMs),
      openAccount: (wallet, cause) => this.openAccount(wallet, cause),
      maxApplications: parts.maxLoanApplications,
      onReview: () => {
        this.#policy = afterReview(this.#policy);
      },
    });
  }

  /** The first entry: what the treasury holds when the books begin. Base units. */
  open(treasury: PerToken<bigint>): void {
    this.books.commit(ok(openBank(treasury)), this.#clock.nowMs());
  }

  /** The world now, or at an instant that has passed, as decisions see it. */
  env({ trouble }: Cause = UNASKED, atMs?: number): BankEnv {
    const nowMs = atMs ?? this.#clock.nowMs();
    const oracleIsOut = trouble !== null && trouble.oracleIsOut;
    return new BankEnv(this.#constants, { nowMs, oracle: this.#oracle, policy: this.#policy, oracleIsOut });
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
  async verify(
    input: {
      wallet: string;
      signature: string;
      message: string;
    },
    cause: Cause = UNASKED,
  ): Promise<Result<{ token: string; expiresIn: number; wallet: string }>> {
    const nowMs = this.#clock.nowMs();
    const proof = this.auth.prove(input, nowMs);
    if (!proof.ok) return proof;
    const { wallet } = input;
    this.openAccount(wallet, cause);
    const ready = this.watch.ready(customer(this.books.state, wallet).collectionAddress);
    // Signing in needs no chain; before money moves there, it is seen to again.
    if (ready !== null) await ready.catch(unreachableEvidence);
    this.#tokensIssued += 1;
    const tokenId = uuid(this.#constants.salt, 'token', this.#tokensIssued);
    return ok({
      token: this.auth.issueToken(wallet, tokenId, nowMs),
      expiresIn: TOKEN_SECONDS,
      wallet,
    });
  }

  /** Makes a wallet a customer; nothing happens when it is one. */
  openAccount(wallet: string, cause: Cause = UNASKED): void {
    if (this.books.state.agents.has(wallet)) return;
    const collectionAddress = this.addresses.collection(wallet).address;
    this.books.commit(ok(openCustomer({ wallet, collectionAddress })), this.#clock.nowMs(), cause);
    this.watch.adopt(wallet, collectionAddress);
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

  account(wallet: string, cause: Cause = UNASKED): AccountOverview {
    return accountOverview(this.books.state, wallet, this.env(cause));
  }

  yieldRates(cause: Cause = UNASKED): Result<YieldRates> {
    return yieldRates(this.env(cause));
  }

  transactions(input: TransactionsInput, cause: Cause = UNASKED): TransactionsView {
    return transactions(this.books.state, input, this.env(cause), this.books.entryAt);
  }

  deposit(
    input: {
      wallet: string;
      amount: unknown;
      token: string;
      signature: string;
    },
    cause: Cause = UNASKED,
  ): Now<Result<DepositView>> {
    const { treasury } = this.#constants;
    return onceThere(this.#evidence.find(input.signature, treasury, input.wallet, cause), (evidence) => {
      const env = this.env(cause);
      const decision = deposit(this.books.state, { ...input, receipt: evidence.receipt }, env);
      return this.books.commit(explained(decision, evidence), env.nowMs, cause);
    });
  }

  savingsDeposit(input: SavingsInput, cause: Cause = UNASKED): Result<SavingsDepositView> {
    const env = this.env(cause);
    return this.books.commit(savingsDeposit(this.books.state, input, env), env.nowMs, cause);
  }

  savingsWithdraw(input: SavingsInput, cause: Cause = UNASKED): Result<SavingsWithdrawView> {
    const env = this.env(cause);
    return this.books.commit(savingsWithdraw(this.books.state, input, env), env.nowMs, cause);
  }

  collateralBorrow(input: CollateralInput, cause: Cause = UNASKED): Result<CollateralBorrowView> {
    const env = this.env(cause);
    return this.books.commit(collateralBorrow(this.books.state, input, env), env.nowMs, cause);
  }

  collateralRepay(input: CollateralInput, cause: Cause = UNASKED): Result<CollateralRepayView> {
    const env = this.env(cause);
    return this.books.commit(collateralRepay(this.books.state, input, env), env.nowMs, cause);
  }

  /** Sends tokens to a wallet: at once, or queued when the variant says so. */
  withdraw(input: WithdrawInput, cause: Cause = UNASKED): Promise<Result<WithdrawView>> {
    return this.payouts.withdraw(input, cause);
  }

  /** Pays a wallet by x402 and gives the signed receipt. */
  pay(input: PayInput, cause: Cause = UNASKED): Promise<Result<PayView>> {
    return this.payouts.pay(input, cause);
  }

  receivePayment(
    input: {
      wallet: string;
      signature: string;
      expectedAmount?: unknown;
      expectedToken?: string | undefined;
    },
    cause: Cause = UNASKED,
  ): Now<Result<ReceivePaymentView>> {
    const { collectionAddress } = customer(this.books.state, input.wallet);
    const find = () => this.#evidence.find(input.signature, collectionAddress, input.wallet, cause);
    const ready = this.watch.ready(collectionAddress);
    return onceThere(ready === null ? find() : ready.then(find, unreachableEvidence), (evidence) => {
      const env = this.env(cause);
      const decision = receivePayment(this.books.state, { ...input, receipt: evidence.receipt }, env);
      return this.books.commit(explained(decision, evidence), env.nowMs, cause);
    });
  }

  /** What a service puts into its 402 answer so that it is paid at the caller's collection address. */
  async requestPayment(input: RequestPaymentInput, cause: Cause = UNASKED): Promise<Result<RequestView>> {
    const token = parseToken(input.token);
    if (!token.ok) return token;
    const amount = parseAmount(input.amount, token.value);
    if (!amount.ok) return amount;
    const { collectionAddress } = customer(this.books.state, input.wallet);
    await this.watch.ready(collectionAddress);
    if (token.value === 'USDC') await this.#ensureTokenAccount(collectionAddress, cause);
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
    return this.payouts.outflowId(outflow);
  }

  /** Every rule that does not hold now, what the chain still owes an answer for asked about first. */
  async invariants(): Promise<Violation[]> {
    const { late } = this.settlement;
    if (late.size > 0) await late.askAgain();
    return this.watch.invariants(late.signatures());
  }

  /** What calls that are not over have begun. */
  underWay(): UnderWay {
    return {
      transfers: this.#transfers.underWay(),
      keys: this.idempotency.underWay(),
      due: this.books.begun(),
    };
  }

  /** Ends what was under way at a moment that was restored, by asking the chain. Nothing else may go on meanwhile. */
  async resume({ transfers, keys, due }: UnderWay): Promise<void> {
    const nowMs = this.#clock.nowMs();
    for (const { id, stored, expiresMs } of keys)
      this.idempotency.keep(id, { value: stored, expiresMs }, nowMs);
    this.books.dueAgain(due);
    await this.settlement.resume(transfers);
  }

  /** Tells of changes as they happen; see `BankFeed`. */
  feed(feed: BankFeed): void {
    this.books.onDue(feed);
    this.auth.onUsed(feed.used);
    this.idempotency.onKept(feed.kept);
  }

  mark(): BankMark {
    return {
      books: this.books.mark(),
      auth: this.auth.mark(),
      idempotency: this.idempotency.mark(),
      late: this.settlement.late.mark(),
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
    this.settlement.late.restore(mark.late);
    this.#policy = mark.policy;
    this.#transfers.restore(mark.transfersSent);
    this.#tokensIssued = mark.tokensIssued;
    this.#requestsIssued = mark.requestsIssued;
  }

  /** Payers by the standard protocol need the recipient's token account to exist. */
  async #ensureTokenAccount(owner: string, cause: Cause): Promise<void> {
    if (!(await this.#transfers.hasTokenAccount(owner))) await this.settlement.openTokenAccount(owner, cause);
  }
}
