import { type ChainBackend, ChainUnreachable, asUnreachable } from '../chain/backend.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Refusal } from '../core/domain/errors.js';
import type { Violation } from '../core/domain/invariants.js';
import { uuid } from '../core/domain/ids.js';
import { customer, parseToken } from '../core/domain/inputs.js';
import { type PerToken, parseAmount } from '../core/domain/money.js';
import {
  type CollateralBorrowView,
  type CollateralInput,
  collateralBorrow,
} from '../core/domain/operations/collateral-borrow.js';
import { type CollateralRepayView, collateralRepay } from '../core/domain/operations/collateral-repay.js';
import { type DepositInput, type DepositView, deposit } from '../core/domain/operations/deposit.js';
import { openBank } from '../core/domain/operations/open-bank.js';
import { openCustomer } from '../core/domain/operations/open-customer.js';
import type { PayInput } from '../core/domain/operations/pay.js';
import {
  type ReceivePaymentInput,
  type ReceivePaymentView,
  receivePayment,
} from '../core/domain/operations/receive-payment.js';
import type { Decision } from '../core/domain/decision.js';
import type { Env, LookUp } from '../core/domain/ports.js';
import type { State } from '../core/domain/state.js';
import {
  type SavingsDepositView,
  type SavingsInput,
  savingsDeposit,
} from '../core/domain/operations/savings-deposit.js';
import { type SavingsWithdrawView, savingsWithdraw } from '../core/domain/operations/savings-withdraw.js';
import type { WithdrawInput } from '../core/domain/operations/withdraw.js';
import { type AccountOverview, accountOverview } from '../core/domain/queries/account.js';
import {
  type TransactionsInput,
  type TransactionsView,
  transactions,
} from '../core/domain/queries/transactions.js';
import { type YieldRates, yieldRates } from '../core/domain/queries/yield-rates.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { StorageUnavailable } from '../core/journal/storage-unavailable.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import { type ReviewPolicy, afterReview } from '../world/reviewer.js';
import type { BankAddresses } from './addresses.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import { Cell, CompositeState, type Snapshotable } from '../core/snapshot.js';
import { type AuthSnapshot, Auth } from './auth.js';
import { type BankConstants, bankEnv } from './bank-env.js';
import { Books, type BooksSnapshot } from './books.js';
import { ChainEvidence, unreachable } from './chain-evidence.js';
import { Consequences } from './consequences.js';
import { CreditDesk } from './credit-desk.js';
import { ChainReconciler } from './chain-reconciler.js';
import { Idempotency } from './idempotency.js';
import type { UnconfirmedTransfersSnapshot } from './unconfirmed-transfers.js';
import { type RequestView, paymentRequest } from './payment-requests.js';
import { type PayView, Reservations, type WithdrawView } from './reservations.js';
import { Settlement } from './settlement.js';
import { Transfers } from './transfers.js';
import type { TtlMap } from '../core/ttl-map.js';
import type { BankChangeListener, InFlightWork, Stored } from './in-flight-work.js';

export interface RequestPaymentInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
  readonly description?: string | undefined;
  readonly expiresInSeconds: number;
}

export interface BankSnapshot {
  readonly books: BooksSnapshot;
  readonly auth: AuthSnapshot;
  readonly idempotency: TtlMap<Stored>;
  readonly late: UnconfirmedTransfersSnapshot;
  readonly policy: ReviewPolicy;
  readonly transfersSent: number;
  readonly tokensIssued: number;
  readonly requestsIssued: number;
}

export interface BankParts {
  readonly constants: BankConstants;
  /** Maximum number of stored Idempotency-Keys; further ones are refused. */
  readonly maxIdempotencyKeys: number;
  /** Maximum number of stored credit applications; further ones are refused. */
  readonly maxLoanApplications: number;
  readonly chain: ChainBackend;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly addresses: BankAddresses;
  readonly tokenSecret: Uint8Array;
  readonly policy: ReviewPolicy;
  /** Ed25519 verification by default. */
  readonly signatures?: SignatureVerifier | undefined;
}

/** The refusal for an exception that changed nothing; null for a bug. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof StorageUnavailable) return { code: 'storage_unavailable' };
  return error instanceof ChainUnreachable ? unreachable(error.message) : null;
}

/** The bank: a method per operation of the service, on top of books and chain. */
export class Bank {
  readonly books: Books;
  readonly auth: Auth;
  readonly idempotency: Idempotency;
  readonly settlement: Settlement;
  readonly reconciler: ChainReconciler;
  readonly credit: CreditDesk;
  readonly consequences: Consequences;
  readonly reservations: Reservations;
  readonly addresses: BankAddresses;
  readonly #constants: BankConstants;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #evidence: ChainEvidence;
  readonly #transfers: Transfers;
  readonly #policy: Cell<ReviewPolicy>;
  readonly #tokensIssued = new Cell(0);
  readonly #requestsIssued = new Cell(0);
  readonly state: Snapshotable<BankSnapshot>;

  constructor(parts: BankParts) {
    this.#constants = parts.constants;
    this.idempotency = new Idempotency(parts.maxIdempotencyKeys);
    this.#clock = parts.clock;
    this.#oracle = parts.oracle;
    this.#policy = new Cell(parts.policy);
    this.addresses = parts.addresses;
    this.books = new Books({ creditInHistory: parts.constants.variants.historyTypes === 'all' });
    this.auth = new Auth(parts.tokenSecret, parts.constants.lifetimes, parts.signatures);
    this.#evidence = new ChainEvidence(parts.chain, parts.addresses.usdcMint);
    this.#transfers = new Transfers(parts.chain, parts.addresses);
    const nowMs = () => this.#clock.nowMs();
    this.reconciler = new ChainReconciler({
      books: this.books,
      chain: parts.chain,
      addresses: this.addresses,
      terms: parts.constants.terms,
      nowMs,
    });
    this.settlement = new Settlement({
      reconciler: this.reconciler,
      books: this.books,
      transfers: this.#transfers,
      addresses: this.addresses,
      nowMs,
    });
    this.reservations = new Reservations({
      books: this.books,
      chain: parts.chain,
      settlement: this.settlement,
      addresses: this.addresses,
      salt: parts.constants.salt,
      env: (cause) => this.env(cause),
      onReserved: (requestId, outflow) => this.idempotency.reserved(requestId, outflow),
    });
    this.consequences = new Consequences(this.books, {
      terms: parts.constants.terms,
      env: (cause, atMs) => this.env(cause, atMs),
    });
    this.credit = new CreditDesk({
      books: this.books,
      consequences: this.consequences,
      evidence: this.#evidence,
      env: (cause, atMs) => this.env(cause, atMs),
      openAccount: (wallet, cause) => this.openAccount(wallet, cause),
      maxApplications: parts.maxLoanApplications,
      onReview: () => {
        this.#policy.value = afterReview(this.#policy.value);
      },
    });
    this.state = new CompositeState<BankSnapshot>({
      books: this.books,
      auth: this.auth,
      idempotency: this.idempotency,
      late: this.settlement.late,
      policy: this.#policy,
      transfersSent: this.#transfers.sent,
      tokensIssued: this.#tokensIssued,
      requestsIssued: this.#requestsIssued,
    });
  }

  /** Appends the first entry: the treasury's opening balance. Base units. */
  open(treasury: PerToken<bigint>): void {
    this.books.commit(ok(openBank(treasury)), this.#clock.nowMs());
  }

  /** The world as input of decisions, now or at a past instant. */
  env({ trouble }: RequestContext = NO_REQUEST, atMs?: number): Env {
    const nowMs = atMs ?? this.#clock.nowMs();
    const oracleIsOut = trouble !== null && trouble.oracleIsOut;
    return bankEnv(this.#constants, {
      nowMs,
      oracle: this.#oracle,
      policy: this.#policy.value,
      oracleIsOut,
    });
  }

  reviewPolicy(): ReviewPolicy {
    return this.#policy.value;
  }

  setReviewPolicy(policy: ReviewPolicy): void {
    this.#policy.value = policy;
  }

  challenge(wallet: string): Result<{ challenge: string; expiresIn: number }> {
    return this.auth.challenge(wallet, this.#clock.nowMs());
  }

  /** Verifies a signed challenge and issues a token; opens an account at a wallet's first sign-in. */
  async verify(
    input: {
      wallet: string;
      signature: string;
      message: string;
    },
    cause: RequestContext = NO_REQUEST,
  ): Promise<Result<{ token: string; expiresIn: number; wallet: string }>> {
    const nowMs = this.#clock.nowMs();
    const proof = this.auth.prove(input, nowMs);
    if (!proof.ok) return proof;
    const { wallet } = input;
    this.openAccount(wallet, cause);
    const ready = this.reconciler.ready(customer(this.books.state, wallet).collectionAddress);
    // Signing in does not need the chain; before money moves there, this is retried.
    if (ready !== null) await ready.catch(asUnreachable);
    this.#tokensIssued.value += 1;
    const tokenId = uuid(this.#constants.salt, 'token', this.#tokensIssued.value);
    return ok({
      token: this.auth.issueToken(wallet, tokenId, nowMs),
      expiresIn: this.#constants.lifetimes.tokenSeconds,
      wallet,
    });
  }

  /** Opens an account for a wallet that has none. */
  openAccount(wallet: string, cause: RequestContext = NO_REQUEST): void {
    if (this.books.state.agents.has(wallet)) return;
    const collectionAddress = this.addresses.collection(wallet).address;
    this.books.commit(ok(openCustomer({ wallet, collectionAddress })), this.#clock.nowMs(), cause);
    this.reconciler.adopt(wallet, collectionAddress, this.settlement.unbooked(), cause);
  }

  /** The customer authenticated by an Authorization header. */
  authenticate(header: string | undefined): Result<string> {
    const wallet = this.auth.authenticate(header, this.#clock.nowMs());
    if (!wallet.ok || this.books.state.agents.has(wallet.value)) return wallet;
    return refuse(
      'invalid_token',
      undefined,
      'This token was issued before the world was reverted; sign in again.',
    );
  }

  account(wallet: string, cause: RequestContext = NO_REQUEST): AccountOverview {
    return accountOverview(this.books.state, wallet, this.env(cause));
  }

  yieldRates(cause: RequestContext = NO_REQUEST): Result<YieldRates> {
    return yieldRates(this.env(cause));
  }

  transactions(input: TransactionsInput, cause: RequestContext = NO_REQUEST): TransactionsView {
    return transactions(this.books.state, input, this.env(cause), this.books.entryAt);
  }

  deposit(
    input: Omit<DepositInput, 'lookUp'>,
    cause: RequestContext = NO_REQUEST,
  ): Result<DepositView> | Promise<Result<DepositView>> {
    const { signature, wallet: caller } = input;
    const claimed = { signature, address: this.#constants.treasury, caller };
    return this.#evidence.ofTransaction(claimed, cause, (lookUp) =>
      this.#operate((state, env) => deposit(state, { ...input, lookUp }, env), cause),
    );
  }

  savingsDeposit(input: SavingsInput, cause: RequestContext = NO_REQUEST): Result<SavingsDepositView> {
    return this.#operate((state, env) => savingsDeposit(state, input, env), cause);
  }

  savingsWithdraw(input: SavingsInput, cause: RequestContext = NO_REQUEST): Result<SavingsWithdrawView> {
    return this.#operate((state, env) => savingsWithdraw(state, input, env), cause);
  }

  collateralBorrow(input: CollateralInput, cause: RequestContext = NO_REQUEST): Result<CollateralBorrowView> {
    return this.#operate((state, env) => collateralBorrow(state, input, env), cause);
  }

  collateralRepay(input: CollateralInput, cause: RequestContext = NO_REQUEST): Result<CollateralRepayView> {
    return this.#operate((state, env) => collateralRepay(state, input, env), cause);
  }

  /** Sends tokens to a wallet: immediately, or queued if the variant says so. */
  withdraw(input: WithdrawInput, cause: RequestContext = NO_REQUEST): Promise<Result<WithdrawView>> {
    return this.reservations.withdraw(input, cause);
  }

  /** Pays a wallet by x402 and returns the signed receipt. */
  pay(input: PayInput, cause: RequestContext = NO_REQUEST): Promise<Result<PayView>> {
    return this.reservations.pay(input, cause);
  }

  receivePayment(
    input: Omit<ReceivePaymentInput, 'lookUp'>,
    cause: RequestContext = NO_REQUEST,
  ): Result<ReceivePaymentView> | Promise<Result<ReceivePaymentView>> {
    const { signature, wallet: caller } = input;
    const { collectionAddress: address } = customer(this.books.state, caller);
    const receive = (found: LookUp) => {
      // The chain may know a transaction of the bank before the books do; until then it cannot be credited.
      const lookUp = () =>
        this.settlement.isUnderWay(signature)
          ? refuse('transaction_not_confirmed', { tx_signature: signature })
          : found();
      return this.#operate((state, env) => receivePayment(state, { ...input, lookUp }, env), cause);
    };
    const lookedUp = () => this.#evidence.ofTransaction({ signature, address, caller }, cause, receive);
    const ready = this.reconciler.ready(address);
    if (ready === null) return lookedUp();
    return ready.then(lookedUp, (error: unknown) => {
      const refusal = unreachable(asUnreachable(error).message);
      return receive(() => ({ ok: false, refusal }));
    });
  }

  /** The contents of a service's 402 response for a payment to the caller's collection address. */
  async requestPayment(
    input: RequestPaymentInput,
    cause: RequestContext = NO_REQUEST,
  ): Promise<Result<RequestView>> {
    const token = parseToken(input.token);
    if (!token.ok) return token;
    const amount = parseAmount(input.amount, token.value);
    if (!amount.ok) return amount;
    const { collectionAddress } = customer(this.books.state, input.wallet);
    await this.reconciler.ready(collectionAddress);
    const { collections } = this.settlement;
    if (token.value === 'USDC') await collections.openTokenAccount(collectionAddress, cause);
    else await collections.lift(collectionAddress, amount.value, cause);
    this.#requestsIssued.value += 1;
    return ok(
      paymentRequest({
        id: uuid(this.#constants.salt, 'paymentRequest', this.#requestsIssued.value),
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

  /** Runs an operation on the books and the world of this instant. */
  #operate<V>(operation: (state: State, env: Env) => Result<Decision<V>>, cause: RequestContext): Result<V> {
    const env = this.env(cause);
    return this.books.commit(operation(this.books.state, env), env.nowMs, cause);
  }

  /** The id of an outflow in the API. */
  outflowId(outflow: number): string {
    return this.reservations.outflowId(outflow);
  }

  /** All currently violated rules. Transfers with unknown outcome are not looked up, because that would change the books. */
  invariants(): Promise<Violation[]> {
    return this.reconciler.invariants(this.settlement.late.signatures());
  }

  underWay(): InFlightWork {
    return {
      transfers: this.#transfers.underWay(),
      keys: this.idempotency.underWay(),
      due: this.books.begun(),
    };
  }

  /** Completes the work in flight of a restored state by querying the chain. Nothing else may run at the same time. */
  async resume({ transfers, keys, due }: InFlightWork): Promise<void> {
    const nowMs = this.#clock.nowMs();
    for (const { id, stored, expiresMs } of keys)
      this.idempotency.keep(id, { value: stored, expiresMs }, nowMs);
    this.books.dueAgain(due);
    await this.settlement.resume(transfers);
  }

  feed(listener: BankChangeListener): void {
    for (const part of [this.books, this.auth, this.idempotency]) part.onChange = listener;
  }
}
