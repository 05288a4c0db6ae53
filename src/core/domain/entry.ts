import type { Token } from './money.js';

/** The accounts of the journal. Debits are positive: assets and expenses have positive balances, the others negative. */
export const ACCOUNTS = {
  /** Asset: the treasury's tokens on chain. */
  treasury: { owned: false, side: 'debit' },
  /** Asset: tokens at a customer's collection address on chain. */
  collection: { owned: true, side: 'debit' },
  /** Asset: savings placed with the lending protocol, and the yield it owes. */
  protocol: { owned: false, side: 'debit' },
  /** Asset: principal of an agent's collateral loan. */
  collateral_loan: { owned: true, side: 'debit' },
  /** Asset: principal of an agent's credit lines. */
  credit_line: { owned: true, side: 'debit' },
  /** Liability: what an agent can spend. */
  checking: { owned: true, side: 'credit' },
  /** Liability: principal of an agent's savings. */
  savings: { owned: true, side: 'credit' },
  /** Liability: yield booked for an agent and not yet withdrawn. */
  yield: { owned: true, side: 'credit' },
  /** Liability: reserved for a transfer that is not settled on chain. */
  pending: { owned: true, side: 'credit' },
  /** Liability: arrived at an agent's collection address, not yet received by the agent. */
  uncollected: { owned: true, side: 'credit' },
  /** Liability: arrived at the treasury, not yet recorded by a deposit or loan payment. */
  unclaimed: { owned: false, side: 'credit' },
  /** Income: interest of collateral loans and credit lines, late fees and penalties of liquidations. */
  interest_income: { owned: false, side: 'credit' },
  /** Expense: fees and rent that the bank pays on chain. */
  network_fees: { owned: false, side: 'debit' },
  /** Equity: the treasury's initial holdings, minus tokens that its keys moved out from outside the bank. */
  capital: { owned: false, side: 'either' },
} as const satisfies Record<string, { owned: boolean; side: 'debit' | 'credit' | 'either' }>;

export type AccountName = keyof typeof ACCOUNTS;
export const ACCOUNT_NAMES = Object.keys(ACCOUNTS) as readonly AccountName[];
/** Accounts that exist per agent. */
export type OwnedAccount = {
  [A in AccountName]: (typeof ACCOUNTS)[A]['owned'] extends true ? A : never;
}[AccountName];
export const OWNED_ACCOUNTS = ACCOUNT_NAMES.filter((name) => ACCOUNTS[name].owned) as readonly OwnedAccount[];

/** One line of an entry. `amountBase` is signed: debit positive, credit negative. */
export interface Posting {
  readonly account: AccountName;
  readonly owner: string | null;
  readonly token: Token;
  readonly amountBase: bigint;
}

export type OutflowKind = 'withdraw' | 'x402';

/** The contents of an entry without its postings. The union lists every change of the books. */
export type Facts =
  | { readonly kind: 'bank.opened' }
  | { readonly kind: 'customer.opened'; readonly collectionAddress: string }
  | { readonly kind: 'identity.linked'; readonly x: boolean; readonly github: boolean }
  | { readonly kind: 'chain.arrived'; readonly signature: string }
  /** The holdings of a collection address when the bank began to watch it. */
  | { readonly kind: 'collection.opened' }
  | {
      readonly kind: 'deposit';
      readonly token: Token;
      readonly amountBase: bigint;
      readonly signature: string;
      readonly sender: string;
    }
  | {
      readonly kind: 'savings.deposit';
      readonly token: Token;
      readonly amountBase: bigint;
      readonly indexRay: bigint;
    }
  | {
      readonly kind: 'savings.withdraw';
      readonly token: Token;
      readonly amountBase: bigint;
      readonly yieldBase: bigint;
      readonly indexRay: bigint;
    }
  | { readonly kind: 'savings.settled'; readonly signature: string | null }
  | { readonly kind: 'collection.swept'; readonly signature: string }
  | { readonly kind: 'collateral.borrow'; readonly amountBase: bigint; readonly aprPpm: bigint }
  | { readonly kind: 'collateral.repay'; readonly principalBase: bigint; readonly interestBase: bigint }
  /** Savings repaid a collateral loan whose debt exceeded a share of their value (limit `liquidationLtv`). */
  | {
      readonly kind: 'collateral.liquidated';
      /** The principal taken from savings, and its share of the yield. */
      readonly amountBase: bigint;
      readonly yieldBase: bigint;
      readonly indexRay: bigint;
      readonly principalBase: bigint;
      readonly interestBase: bigint;
      readonly penaltyBase: bigint;
      /** The debt, the savings with their yield, and the share that was exceeded. */
      readonly owedBase: bigint;
      readonly valueBase: bigint;
      readonly liquidationPpm: bigint;
    }
  | { readonly kind: 'outflow.pending'; readonly terms: OutflowTerms }
  | {
      readonly kind: 'outflow.posted';
      readonly outflow: number;
      readonly signature: string;
      readonly recipient: string | null;
    }
  | { readonly kind: 'outflow.voided'; readonly outflow: number; readonly reason: string }
  | { readonly kind: 'fees.paid'; readonly signature: string }
  | {
      readonly kind: 'x402.received';
      readonly token: Token;
      readonly amountBase: bigint;
      readonly signature: string;
      readonly sender: string;
    }
  | ({ readonly kind: 'loan.applied' } & LoanTerms)
  | {
      readonly kind: 'loan.approved';
      readonly loanId: string;
      readonly dueAtMs: number;
      readonly reason: string | null;
    }
  | { readonly kind: 'loan.denied'; readonly loanId: string; readonly reason: string | null }
  /** An operator made a loan due by `dueAtMs`, not later than now. */
  | {
      readonly kind: 'loan.called';
      readonly loanId: string;
      readonly dueAtMs: number;
      readonly reason: string | null;
    }
  | { readonly kind: 'loan.overdue'; readonly loanId: string }
  /** A late fee was added to the principal of a loan that has become overdue; `owedBase` is the debt without it. */
  | {
      readonly kind: 'loan.charged';
      readonly loanId: string;
      readonly amountBase: bigint;
      readonly owedBase: bigint;
    }
  | { readonly kind: 'loan.defaulted'; readonly loanId: string }
  /** Checking paid on a loan that has defaulted; `owedBase` and `checkingBase` are the amounts before. */
  | {
      readonly kind: 'loan.set_off';
      readonly loanId: string;
      readonly amountBase: bigint;
      readonly principalBase: bigint;
      readonly interestBase: bigint;
      readonly owedBase: bigint;
      readonly checkingBase: bigint;
    }
  /** An operator extended a missed loan until `dueAtMs`; if forgiven, the miss is also removed from the record. */
  | {
      readonly kind: 'loan.cured';
      readonly loanId: string;
      readonly dueAtMs: number;
      readonly forgiven: boolean;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'loan.repaid';
      readonly loanId: string;
      readonly amountBase: bigint;
      readonly principalBase: bigint;
      readonly interestBase: bigint;
      readonly signature: string | null;
    };

/** The terms of a transfer out of the bank. */
export interface OutflowTerms {
  readonly type: OutflowKind;
  readonly token: Token;
  readonly amountBase: bigint;
  /** The wallet that the agent named. */
  readonly recipient: string;
  /** The destination of the tokens: the recipient, or its collection address when it is a customer paid by x402. */
  readonly payTo: string;
  readonly usdMicro: bigint;
  /** When a queued transfer is executed; null for immediately. */
  readonly executeAtMs: number | null;
  readonly serviceUrl: string | null;
  readonly memo: string | null;
  readonly requestId: string | null;
}

/** The terms of an application for a credit line, and the offer by the score. */
export interface LoanTerms {
  readonly loanId: string;
  readonly amountBase: bigint;
  readonly aprPpm: bigint;
  readonly purpose: string;
  readonly durationDays: number;
  readonly collateral: { readonly type: string | null; readonly amount: number | null } | null;
  readonly status: 'pending_review' | 'denied';
  /** Whether it was within the credit limit when it was made; a decision by the score checks again. */
  readonly scoreApproves: boolean;
  /** When a policy decides; null when a person decides. */
  readonly decideAtMs: number | null;
}

/** An entry ready to be appended: its postings sum to zero per token. Made by `draft` only. */
export interface EntryDraft {
  readonly wallet: string | null;
  readonly facts: Facts;
  readonly postings: readonly Posting[];
}

export interface Entry extends EntryDraft {
  /** 1, 2, 3 … without gaps. */
  readonly seq: number;
  readonly atMs: number;
  /** The agent's checking balance afterwards, for entries that appear in a history; null for others. */
  readonly balanceAfterBase: bigint | null;
}

/** A posting that increases assets or expenses, or decreases liabilities. */
export function debit(account: AccountName, owner: string | null, token: Token, amountBase: bigint): Posting {
  return { account, owner, token, amountBase };
}

/** A posting that increases liabilities or income, or decreases assets. */
export function credit(
  account: AccountName,
  owner: string | null,
  token: Token,
  amountBase: bigint,
): Posting {
  return { account, owner, token, amountBase: -amountBase };
}

/** Postings for lamports that the treasury pays the network: fees and rent. */
export function networkCost(lamports: bigint): Posting[] {
  return [debit('network_fees', null, 'SOL', lamports), credit('treasury', null, 'SOL', lamports)];
}

/**
 * The only way to make an entry. Drops empty postings. Throws unless the rest sum to zero per token and each account
 * has an owner exactly when it is per agent: an unbalanced entry is a bug, not a refusal.
 */
export function draft(wallet: string | null, facts: Facts, postings: readonly Posting[]): EntryDraft {
  let usdc = 0n;
  let sol = 0n;
  let empty = false;
  for (const posting of postings) {
    if (posting.token === 'USDC') usdc += posting.amountBase;
    else sol += posting.amountBase;
    if (ACCOUNTS[posting.account].owned !== (posting.owner !== null)) {
      throw new Error(`the account ${posting.account} has the wrong owner: ${posting.owner}`);
    }
    if (posting.amountBase === 0n) empty = true;
  }
  if (usdc !== 0n || sol !== 0n) {
    throw new Error(`the entry ${facts.kind} does not balance: USDC ${usdc}, SOL ${sol}`);
  }
  return {
    wallet,
    facts,
    // `filter` leaves spare capacity in its array, which the entry would keep; `slice` does not.
    postings: empty ? postings.filter((posting) => posting.amountBase !== 0n).slice() : postings,
  };
}
