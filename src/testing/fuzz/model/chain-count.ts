import { Map as ImmutableMap, Set as ImmutableSet } from 'immutable';
import { NOTHING, RENT_MINIMUM } from './amounts.js';
import {
  type BaseAmounts,
  MINTED,
  type ModelConfig,
  type ModelToken,
  type SeenTransaction,
  type Transfer,
  type WalletFacts,
} from './types.js';

/** Lamports for each signature, and minimum lamports of a token account. Source: docs.solana.com, Fees and Rent. */
export const SIGNATURE_FEE = 5_000n;
const ACCOUNT_RENT = 2_039_280n;

export interface BankTransfer {
  readonly token: ModelToken;
  readonly amountBase: bigint;
  readonly from: string;
  readonly destination: string;
}

/** Whether an account may hold this number of lamports. */
function isExempt(lamports: bigint): boolean {
  return lamports === 0n || lamports >= RENT_MINIMUM;
}

/** The chain's own accounts: native programs and sysvars, which exist from the beginning. */
function isNative(address: string): boolean {
  return address === '1'.repeat(32) || address.startsWith('Sysvar');
}

/**
 * The chain's state, computed from every transaction: the holdings of addresses, their token accounts, and the transactions that name them.
 */
export class ChainCount {
  readonly treasury: string;
  readonly creditsBelowRent: boolean;
  holdings: ImmutableMap<string, BaseAmounts>;
  /** Existing token accounts: `<token> <owner>`. */
  accounts: ImmutableSet<string>;
  activity = ImmutableMap<string, Omit<WalletFacts, 'lamports'>>();
  /** Savings that the lending protocol received less what it returned, as far as the bank knows. */
  placed = { USDC: 0n, SOL: 0n };
  /** Yield that agents have withdrawn, which the lending protocol owes to the treasury. */
  paidYield = { USDC: 0n, SOL: 0n };
  isSettlementScheduled = false;
  /** Number of executed transactions: each takes a slot while the clock stands still. */
  transactions = 0;

  constructor({ treasury, protocol, holdings, tokenHolders, creditsBelowRent }: ModelConfig) {
    this.treasury = treasury;
    this.creditsBelowRent = creditsBelowRent;
    this.holdings = ImmutableMap(Object.entries(holdings));
    const owners = [treasury, protocol, ...tokenHolders];
    this.accounts = ImmutableSet(owners.flatMap((owner) => [`USDC ${owner}`, `other ${owner}`]));
  }

  copy(): ChainCount {
    return Object.assign(shallowCopy(this), { placed: { ...this.placed }, paidYield: { ...this.paidYield } });
  }

  /** Opens the token account of a wallet; returns false if it exists. */
  opens(token: Transfer['token'], owner: string): boolean {
    const before = this.accounts;
    this.accounts = before.add(`${token} ${owner}`);
    return this.accounts !== before;
  }

  hasTokenAccount(owner: string): boolean {
    return this.accounts.has(`USDC ${owner}`);
  }

  /** Whether an address may receive lamports: afterwards it holds the rent minimum, or merely more than before where that suffices. */
  canReceive(address: string, lamports: bigint): boolean {
    const { SOL: held } = this.of(address);
    return held + lamports >= RENT_MINIMUM || isNative(address) || (this.creditsBelowRent && held > 0n);
  }

  factsOf(wallet: string): WalletFacts {
    const { transactions = 0, firstSeenMs = null } = this.activity.get(wallet) ?? {};
    return { lamports: this.of(wallet).SOL, transactions, firstSeenMs };
  }

  /** Counts a transaction once for each address that it names. Block times are whole seconds. */
  names(addresses: Iterable<string>, atMs: number): void {
    const seconds = Math.floor(atMs / 1_000) * 1_000;
    for (const address of new Set(addresses)) {
      const before = this.activity.get(address);
      const transactions = (before?.transactions ?? 0) + 1;
      const firstSeenMs = before?.firstSeenMs ?? seconds;
      this.activity = this.activity.set(address, { transactions, firstSeenMs });
    }
  }

  of(address: string): BaseAmounts {
    return this.holdings.get(address) ?? NOTHING;
  }

  add(address: string, token: ModelToken, amountBase: bigint): void {
    const before = this.of(address);
    this.holdings = this.holdings.set(address, { ...before, [token]: before[token] + amountBase });
  }

  /** A transaction of the bank, and the lamports that the treasury pays for it in addition to the transfer. */
  ran(costLamports: bigint): void {
    this.transactions += 1;
    this.add(this.treasury, 'SOL', -costLamports);
  }

  seen(transaction: SeenTransaction): void {
    const { transfers, hasFailed, feePayer, feeLamports, signers, blockTimeSeconds } = transaction;
    this.transactions += 1;
    // Tokens move between accounts. Transactions name the owner where its account may have to be opened; the faucet does so where it is missing.
    const named = transfers.flatMap(({ from, to, token }) => {
      if (token === 'SOL') return [from, to];
      return from === MINTED && this.accounts.has(`${token} ${to}`) ? [] : [to];
    });
    const { delegate } = transaction;
    this.names(
      [...signers, ...named, ...(delegate === undefined ? [] : [delegate])],
      blockTimeSeconds * 1_000,
    );
    this.add(feePayer, 'SOL', -feeLamports);
    if (hasFailed) return;
    for (const { from, to, token, amountBase } of transfers) {
      if (token !== 'SOL' && this.opens(token, to)) this.add(feePayer, 'SOL', -ACCOUNT_RENT);
      // Wrapped SOL is held as lamports of a token account.
      if (token === 'wrapped') this.add(from, 'SOL', -amountBase);
      if (token !== 'USDC' && token !== 'SOL') continue;
      this.add(from, token, -amountBase);
      this.add(to, token, amountBase);
    }
  }

  /** An operator sets the holdings of an address. */
  written(address: string, token: ModelToken, amountBase: bigint): void {
    if (token === 'USDC') this.opens('USDC', address);
    this.holdings = this.holdings.set(address, { ...this.of(address), [token]: amountBase });
  }

  /** Whether the chain accepts a transfer: sender and treasury can pay, and all accounts keep the rent minimum. */
  takes({ token, amountBase, from, destination: to }: BankTransfer): boolean {
    if (token === 'SOL' && !this.canReceive(to, amountBase)) return false;
    const sender = this.of(from);
    if (sender[token] < amountBase) return false;
    const rent = token === 'USDC' && !this.hasTokenAccount(to) ? ACCOUNT_RENT : 0n;
    const sentLamports = token === 'SOL' ? amountBase : 0n;
    const left = this.of(this.treasury).SOL - this.feeOf(from) - rent;
    if (from === this.treasury) return isExempt(left - sentLamports);
    return isExempt(left) && isExempt(sender.SOL - sentLamports);
  }

  /** The treasury pays and signs; another sender also signs. */
  feeOf(from: string): bigint {
    return from === this.treasury ? SIGNATURE_FEE : 2n * SIGNATURE_FEE;
  }

  /** A transfer of the bank that the chain rejected. Returns its cost in lamports. */
  rejected({ token, from, destination: to }: BankTransfer, nowMs: number): bigint {
    const costLamports = this.feeOf(from);
    this.ran(costLamports);
    if (token === 'SOL' || !this.hasTokenAccount(to)) this.names([to], nowMs);
    return costLamports;
  }

  /** A transfer of the bank. Returns its cost in lamports in addition to the amount. */
  sent({ token, amountBase, from, destination: to }: BankTransfer, nowMs: number): bigint {
    const isOpened = token === 'USDC' && this.opens('USDC', to);
    const costLamports = this.feeOf(from) + (isOpened ? ACCOUNT_RENT : 0n);
    this.ran(costLamports);
    if (token === 'SOL' || isOpened) this.names([to], nowMs);
    this.add(from, token, -amountBase);
    this.add(to, token, amountBase);
    return costLamports;
  }

  /** The lamports that an address lacks to receive an amount; 0 if it lacks only a token account, null if it lacks nothing. */
  lackedBy(address: string, token: ModelToken, amountBase: bigint): bigint | null {
    if (token === 'USDC') return this.hasTokenAccount(address) ? null : 0n;
    const { SOL: lamports } = this.of(address);
    return lamports + amountBase < RENT_MINIMUM ? RENT_MINIMUM - lamports : null;
  }

  /** Sends an address what it lacks. Its token account may already exist by then. */
  prepared(address: string, token: ModelToken, lackedBase: bigint, nowMs: number): void {
    const give = { token, amountBase: lackedBase, from: this.treasury, destination: address };
    if (token === 'SOL') this.sent(give, nowMs);
    else this.ran(SIGNATURE_FEE + (this.opens('USDC', address) ? ACCOUNT_RENT : 0n));
  }
}

/** A copy of an object that shares its members. The members must be immutable, or be replaced in the copy. */
export function shallowCopy<T extends object>(object: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(object) as object) as T, object);
}
