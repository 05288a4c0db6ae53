import { type ChainBackend, ChainUnreachable, asUnreachable } from '../chain/backend.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Refusal } from '../core/domain/errors.js';
import type { Violation } from '../core/domain/invariants.js';
import { uuid } from '../core/domain/ids.js';
import { customer, parseToken } from '../core/domain/inputs.js';
import { type PerToken, parseAmount } from '../core/domain/money.js';
import { type CollateralInput, collateralBorrow } from '../core/domain/operations/collateral-borrow.js';
import { collateralRepay } from '../core/domain/operations/collateral-repay.js';
import { type DepositInput, type DepositView, deposit } from '../core/domain/operations/deposit.js';
import { type Identity, linkIdentity } from '../core/domain/operations/link-identity.js';
import { openBank } from '../core/domain/operations/open-bank.js';
import { openCustomer } from '../core/domain/operations/open-customer.js';
import type { PayInput } from '../core/domain/operations/pay.js';
import { type ReceivePaymentInput, receivePayment } from '../core/domain/operations/receive-payment.js';
import type { Decision } from '../core/domain/decision.js';
import type { Env, LookUp } from '../core/domain/ports.js';
import type { State } from '../core/domain/state.js';
import { type SavingsInput, savingsDeposit } from '../core/domain/operations/savings-deposit.js';
import { savingsWithdraw } from '../core/domain/operations/savings-withdraw.js';
import type { WithdrawInput } from '../core/domain/operations/withdraw.js';
import { accountOverview } from '../core/domain/queries/account.js';
import { type TransactionsInput, transactions } from '../core/domain/queries/transactions.js';
import { yieldRates } from '../core/domain/queries/yield-rates.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { StorageUnavailable } from '../core/journal/storage-unavailable.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import type { ReviewPolicy } from '../world/reviewer.js';
import type { BankAddresses } from './addresses.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import { Cell, CompositeState, type Snapshotable } from '../core/snapshot.js';
import { type AuthSnapshot, Auth } from './auth.js';
import { type BankConstants, BankWorld } from './bank-world.js';
import { Books, type BooksSnapshot } from './books.js';
import { ChainEvidence, unreachable } from './chain-evidence.js';
import { Consequences } from './consequences.js';
import { CreditDesk } from './credit-desk.js';
import { ChainReconciler } from './chain-reconciler.js';
import { Idempotency } from './idempotency.js';
import type { UnconfirmedTransfersSnapshot } from './unconfirmed-transfers.js';
import { paymentRequest } from './payment-requests.js';
import { Reservations } from './reservations.js';
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
  readonly #world: BankWorld;
  readonly #evidence: ChainEvidence;
  readonly #transfers: Transfers;
  readonly #tokensIssued = new Cell(0);
  readonly #requestsIssued = new Cell(0);
  readonly state: Snapshotable<BankSnapshot>;

  constructor(parts: BankParts) {
    const { constants, chain, addresses } = parts;
    this.addresses = addresses;
    const world = new BankWorld(parts);
    this.#world = world;
    this.idempotency = new Idempotency(parts.maxIdempotencyKeys);
    const books = new Books({ creditInHistory: constants.variants.historyTypes === 'all' });
    this.books = books;
    this.auth = new Auth(parts.tokenSecret, constants.lifetimes, parts.signatures);
    this.#evidence = new ChainEvidence(chain, addresses.usdcMint);
    const transfers = new Transfers(chain, addresses);
    this.#transfers = transfers;
    this.reconciler = new ChainReconciler({ books, chain, addresses, world });
    this.settlement = new Settlement({ reconciler: this.reconciler, books, transfers, addresses, world });
    this.reservations = new Reservations({
      books,
      chain,
      settlement: this.settlement,
      addresses,
      world,
      idempotency: this.idempotency,
    });
    this.consequences = new Consequences(books, world);
    this.credit = new CreditDesk({
      books,
      consequences: this.consequences,
      evidence: this.#evidence,
      world,
      maxApplications: parts.maxLoanApplications,
    });
    this.state = new CompositeState<BankSnapshot>({
      books,
      auth: this.auth,
      idempotency: this.idempotency,
      late: this.settlement.late,
      policy: world.policy,
      transfersSent: transfers.sent,
      tokensIssued: this.#tokensIssued,
      requestsIssued: this.#requestsIssued,
    });
  }

  /** Appends the first entry: the treasury's opening balance. Base units. */
  open(treasury: PerToken<bigint>): void {
    this.books.append(openBank(treasury), this.#world.nowMs());
  }

  /** The world as input of decisions, now or at a past instant. */
  env(cause?: RequestContext, atMs?: number): Env {
    return this.#world.env(cause, atMs);
  }

  get reviewPolicy(): Cell<ReviewPolicy> {
    return this.#world.policy;
  }

  challenge(wallet: string): Result<{ challenge: string; expiresIn: number }> {
    return this.auth.challenge(wallet, this.#world.nowMs());
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
    const nowMs = this.#world.nowMs();
    const proof = this.auth.prove(input, nowMs);
    if (!proof.ok) return proof;
    const { wallet } = input;
    this.openAccount(wallet, cause);
    const ready = this.reconciler.ready(customer(this.books.state, wallet).collectionAddress);
    // Signing in does not need the chain; before money moves there, this is retried.
    if (ready !== null) await ready.catch(asUnreachable);
    this.#tokensIssued.value += 1;
    const tokenId = uuid(this.#world.constants.salt, 'token', this.#tokensIssued.value);
    return ok({
      token: this.auth.issueToken(wallet, tokenId, nowMs),
      expiresIn: this.#world.constants.lifetimes.tokenSeconds,
      wallet,
    });
  }

  /** Opens an account for a wallet that has none. */
  openAccount(wallet: string, cause: RequestContext = NO_REQUEST): void {
    if (this.books.state.agents.has(wallet)) return;
    const collectionAddress = this.addresses.collection(wallet).address;
    this.books.append(openCustomer({ wallet, collectionAddress }), this.#world.nowMs(), cause);
    this.reconciler.adopt(wallet, collectionAddress, this.settlement.unbooked(), cause);
  }

  /** Records the operator accounts that are linked to a wallet; opens an account for a wallet that has none. */
  linkIdentity(input: Identity, cause: RequestContext = NO_REQUEST): void {
    this.openAccount(input.wallet, cause);
    this.books.append(linkIdentity(input), this.#world.nowMs(), cause);
  }

  /** The customer authenticated by an Authorization header. */
  authenticate(header: string | undefined): Result<string> {
    const wallet = this.auth.authenticate(header, this.#world.nowMs());
    if (!wallet.ok || this.books.state.agents.has(wallet.value)) return wallet;
    return refuse(
      'invalid_token',
      undefined,
      'This token was issued before the world was reverted; sign in again.',
    );
  }

  account(wallet: string, cause: RequestContext = NO_REQUEST) {
    return accountOverview(this.books.state, wallet, this.env(cause));
  }

  yieldRates(cause: RequestContext = NO_REQUEST) {
    return yieldRates(this.env(cause));
  }

  transactions(input: TransactionsInput, cause: RequestContext = NO_REQUEST) {
    return transactions(this.books.state, input, this.env(cause), this.books.entryAt);
  }

  deposit(
    input: Omit<DepositInput, 'lookUp'>,
    cause: RequestContext = NO_REQUEST,
  ): Result<DepositView> | Promise<Result<DepositView>> {
    const { signature, wallet: caller } = input;
    const claimed = { signature, address: this.#world.constants.treasury, caller };
    return this.#evidence.ofTransaction(claimed, cause, (lookUp) =>
      this.#operate((state, env) => deposit(state, { ...input, lookUp }, env), cause),
    );
  }

  savingsDeposit(input: SavingsInput, cause: RequestContext = NO_REQUEST) {
    return this.#operate((state, env) => savingsDeposit(state, input, env), cause);
  }

  savingsWithdraw(input: SavingsInput, cause: RequestContext = NO_REQUEST) {
    return this.#operate((state, env) => savingsWithdraw(state, input, env), cause);
  }

  collateralBorrow(input: CollateralInput, cause: RequestContext = NO_REQUEST) {
    return this.#operate((state, env) => collateralBorrow(state, input, env), cause);
  }

  collateralRepay(input: CollateralInput, cause: RequestContext = NO_REQUEST) {
    return this.#operate((state, env) => collateralRepay(state, input, env), cause);
  }

  /** Sends tokens to a wallet: immediately, or queued if the variant says so. */
  withdraw(input: WithdrawInput, cause: RequestContext = NO_REQUEST) {
    return this.reservations.withdraw(input, cause);
  }

  /** Pays a wallet by x402 and returns the signed receipt. */
  pay(input: PayInput, cause: RequestContext = NO_REQUEST) {
    return this.reservations.pay(input, cause);
  }

  receivePayment(input: Omit<ReceivePaymentInput, 'lookUp'>, cause: RequestContext = NO_REQUEST) {
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
  async requestPayment(input: RequestPaymentInput, cause: RequestContext = NO_REQUEST) {
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
        id: uuid(this.#world.constants.salt, 'paymentRequest', this.#requestsIssued.value),
        recipient: input.wallet,
        payTo: collectionAddress,
        token: token.value,
        amountBase: amount.value,
        description: input.description ?? null,
        nowMs: this.#world.nowMs(),
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
    const nowMs = this.#world.nowMs();
    for (const { id, stored, expiresMs } of keys)
      this.idempotency.keep(id, { value: stored, expiresMs }, nowMs);
    this.books.dueAgain(due);
    await this.settlement.resume(transfers);
  }

  feed(listener: BankChangeListener): void {
    for (const part of [this.books, this.auth, this.idempotency]) part.onChange = listener;
  }
}
