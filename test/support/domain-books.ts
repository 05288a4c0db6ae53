import { isImmutable } from 'immutable';
import { apply, toEntry } from '../../src/core/domain/apply.js';
import { PUBLISHED_LIMITS } from '../../src/core/domain/bank-limits.js';
import { bankTerms } from '../../src/core/domain/bank-terms.js';
import { type EntryDraft, type LoanTerms, credit, debit, draft } from '../../src/core/domain/entry.js';
import type { ChainReceipt, Env, OnChainData } from '../../src/core/domain/ports.js';
import { RAY } from '../../src/core/domain/rates.js';
import { type Agent, type Loan, type State, emptyState } from '../../src/core/domain/state.js';
import { DEFAULT_VARIANTS } from '../../src/core/domain/variants.js';
import { MemoryJournal } from '../../src/core/journal/memory.js';

/** The published limits in the units of decisions. */
export const PUBLISHED_TERMS = bankTerms(PUBLISHED_LIMITS);

export const START = Date.UTC(2026, 0, 1);

/** An instant of a bank with the published terms, in which nothing earns and nothing has a price. */
export const ENV: Env = {
  nowMs: START,
  salt: 0,
  variants: DEFAULT_VARIANTS,
  terms: PUBLISHED_TERMS,
  treasury: 't',
  yieldIndex: () => 0n,
  priceE8: () => 0n,
  apyPpm: () => 0n,
  oracleIsOut: () => false,
  stalePrice: () => null,
  withdrawalDelayMs: 0,
  maxOpenApplications: 3,
  reviewTiming: () => ({ kind: 'manual' }),
};

/** A wallet that the chain knows nothing about. */
export const NOTHING_ON_CHAIN: OnChainData = { lamports: 0n, totalTransactions: 0, firstSeenMs: null };

/** What the chain says about a payment of USDC to the bank by the wallet that claims it. */
export function receiptOf(amountBase: bigint, more: Partial<ChainReceipt> = {}): ChainReceipt {
  const paid = { USDC: amountBase, SOL: 0n };
  return {
    signature: 's',
    confirmed: true,
    error: null,
    received: paid,
    usdcMint: 'usdc',
    otherMints: [],
    paidByCaller: paid,
    senders: { USDC: 'a', SOL: 'a' },
    receivedByCaller: { USDC: 0n, SOL: 0n },
    slot: 1,
    blockTimeSeconds: 1,
    ...more,
  };
}

/** An application for a credit line of 1,000 USDC for 30 days that awaits a person's decision. */
export function loanTerms(loanId: string, more: Partial<LoanTerms> = {}): LoanTerms {
  return {
    loanId,
    amountBase: 1_000_000_000n,
    aprPpm: 365_000n,
    purpose: 'task',
    durationDays: 30,
    collateral: null,
    status: 'pending_review',
    scoreApproves: true,
    decideAtMs: null,
    ...more,
  };
}

/** Deep-freezes plain objects and arrays; Immutable collections already reject mutation. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (isImmutable(value)) {
    (value as unknown as { forEach(each: (member: unknown) => void): void }).forEach((member) => {
      frozen(member);
    });
    return value;
  }
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** Books to which drafts are appended without the bank around them. */
export class DomainBooks {
  state: State = emptyState({ creditInHistory: true });
  nowMs = START;
  readonly journal = new MemoryJournal();
  /** Of the entries appended. */
  readonly kinds: string[] = [];

  /** Opens an account for each wallet. */
  constructor(...wallets: string[]) {
    for (const wallet of wallets) this.open(wallet);
  }

  /** Appends a draft, if there is one, and makes entry and state immutable. */
  append(made: EntryDraft | null): void {
    if (made === null) return;
    const entry = frozen(toEntry(this.state, made, this.nowMs));
    this.state = frozen(apply(this.state, entry));
    this.journal.append(entry);
    this.kinds.push(made.facts.kind);
  }

  open(wallet: string): void {
    this.append(draft(wallet, { kind: 'customer.opened', collectionAddress: `c-${wallet}` }, []));
  }

  agent(wallet: string): Agent {
    return this.state.agents.get(wallet) as Agent;
  }

  loan(id: string): Loan {
    return this.state.loans.get(id) as Loan;
  }

  deposit(wallet: string, amountBase: bigint): void {
    const signature = `deposit-${this.state.seq}`;
    this.append(
      draft(wallet, { kind: 'deposit', token: 'USDC', amountBase, signature, sender: wallet }, [
        debit('treasury', null, 'USDC', amountBase),
        credit('checking', wallet, 'USDC', amountBase),
      ]),
    );
  }

  save(wallet: string, amountBase: bigint): void {
    this.append(
      draft(wallet, { kind: 'savings.deposit', token: 'USDC', amountBase, indexRay: RAY }, [
        debit('checking', wallet, 'USDC', amountBase),
        credit('savings', wallet, 'USDC', amountBase),
      ]),
    );
  }

  /** Applies for a credit line; returns its id. */
  apply(wallet: string, more: Partial<LoanTerms> = {}): string {
    const loanId = more.loanId ?? `loan-${this.state.seq + 1}`;
    this.append(draft(wallet, { kind: 'loan.applied', ...loanTerms(loanId, more) }, []));
    return loanId;
  }

  /** Pays out a credit line, which is due at the end of its term unless said otherwise. */
  approve(loanId: string, dueAtMs = this.nowMs + this.loan(loanId).durationDays * 86_400_000): void {
    const { wallet, amountBase } = this.loan(loanId);
    this.append(
      draft(wallet, { kind: 'loan.approved', loanId, dueAtMs, reason: null }, [
        debit('credit_line', wallet, 'USDC', amountBase),
        credit('checking', wallet, 'USDC', amountBase),
      ]),
    );
  }

  miss(loanId: string, kind: 'loan.overdue' | 'loan.defaulted'): void {
    this.append(draft(this.loan(loanId).wallet, { kind, loanId }, []));
  }
}
