import { RENT_MINIMUM, TOKENS } from './amounts.js';
import type { BaseAmounts, ModelConfig, ModelToken, SeenTransaction } from './types.js';

/** Lamports for each signature, and those that a token account must hold. Source: docs.solana.com, Fees and Rent. */
const FEE = 5_000n;
const ACCOUNT_RENT = 2_039_280n;
/** SOL that the treasury keeps. Source: docs/fidelity.md, Withdrawals and x402 payments. */
const RESERVE: BaseAmounts = { USDC: 0n, SOL: 1_000_000_000n };
const NOTHING: BaseAmounts = { USDC: 0n, SOL: 0n };

/** What the addresses of the bank hold on chain: treasury, lending protocol, and collection addresses. */
export class BankFunds {
  readonly #treasury: string;
  readonly #protocol: string;
  readonly #held: Map<string, BaseAmounts>;
  /** Wallets that have an account for USDC. */
  readonly #accounts: Set<string>;
  /** Savings that the lending protocol was given, less what it gave back. */
  readonly #placed: Record<ModelToken, bigint>;
  /** Yield that agents have withdrawn; the lending protocol owes it to the treasury. */
  readonly paidYield: Record<ModelToken, bigint>;
  isSettlementScheduled: boolean;
  /** Number of transactions that the chain has run, since each takes a slot while the clock stands still. */
  transactions: number;

  constructor({ treasury, protocol, bankHolds, usdcHolders }: ModelConfig, from: BankFunds | null = null) {
    this.#treasury = treasury;
    this.#protocol = protocol;
    this.#held = new Map(from === null ? Object.entries(bankHolds) : from.#held);
    this.#accounts = new Set(from === null ? usdcHolders : from.#accounts);
    this.#placed = { ...(from === null ? NOTHING : from.#placed) };
    this.paidYield = { ...(from === null ? NOTHING : from.paidYield) };
    this.isSettlementScheduled = from?.isSettlementScheduled ?? false;
    this.transactions = from?.transactions ?? 0;
  }

  of(address: string): BaseAmounts {
    return this.#held.get(address) ?? NOTHING;
  }

  #add(address: string, token: ModelToken, amountBase: bigint): void {
    const before = this.of(address);
    this.#held.set(address, { ...before, [token]: before[token] + amountBase });
  }

  /** A transaction of the bank, and the lamports that the treasury pays for it besides what it transfers. */
  #ran(costLamports: bigint): void {
    this.transactions += 1;
    this.#add(this.#treasury, 'SOL', -costLamports);
  }

  /** So many transactions more than were expected, fewer if negative, each of which cost a fee. */
  ranMore(transactions: number): void {
    this.transactions += transactions;
    this.#add(this.#treasury, 'SOL', -FEE * BigInt(transactions));
  }

  /** A transaction from outside. */
  seen({ transfers, hasFailed, feePayer, feeLamports }: SeenTransaction): void {
    this.transactions += 1;
    this.#add(feePayer, 'SOL', -feeLamports);
    if (hasFailed) return;
    for (const { from, to, token, amountBase } of transfers) {
      if (token !== 'USDC' && token !== 'SOL') continue;
      this.#add(from, token, -amountBase);
      this.#add(to, token, amountBase);
      if (token === 'USDC' && !this.#accounts.has(to)) {
        this.#accounts.add(to);
        this.#add(feePayer, 'SOL', -ACCOUNT_RENT);
      }
    }
  }

  /** A transfer of the bank that the chain rejected. Returns the lamports that it cost. */
  rejected(): bigint {
    this.#ran(FEE);
    return FEE;
  }

  /** A transfer from the treasury. Returns the lamports that it cost besides the amount. */
  sent(to: string, token: ModelToken, amountBase: bigint): bigint {
    const costLamports = FEE + (token === 'USDC' && !this.#accounts.has(to) ? ACCOUNT_RENT : 0n);
    this.#ran(costLamports);
    if (token === 'USDC') this.#accounts.add(to);
    this.#add(this.#treasury, token, -amountBase);
    this.#add(to, token, amountBase);
    return costLamports;
  }

  /** An address is made ready for a payment request. Source: docs/fidelity.md, x402. */
  prepared(address: string, token: ModelToken, amountBase: bigint): void {
    const { SOL: lamports } = this.of(address);
    if (token === 'SOL') {
      if (lamports + amountBase < RENT_MINIMUM) this.sent(address, 'SOL', RENT_MINIMUM - lamports);
    } else if (!this.#accounts.has(address)) {
      this.#ran(FEE + ACCOUNT_RENT);
      this.#accounts.add(address);
    }
  }

  /** Whether the treasury cannot spend what is reserved. */
  isShort(token: ModelToken, reservedBase: bigint): boolean {
    return this.#free(token, reservedBase) < 0n;
  }

  #free(token: ModelToken, reservedBase: bigint): bigint {
    return this.of(this.#treasury)[token] - reservedBase - RESERVE[token];
  }

  /** Moves savings to the lending protocol or back. Source: docs/fidelity.md, Savings. */
  settle(saved: BaseAmounts, reserved: BaseAmounts): void {
    // The costs of both moves are booked after them.
    const amounts = TOKENS.map((token): [ModelToken, bigint] => {
      const free = this.#free(token, reserved[token]);
      const due = saved[token] - this.paidYield[token] - this.#placed[token];
      return [token, due > 0n && due > free ? (free > 0n ? free : 0n) : due];
    });
    for (const [token, amount] of amounts) {
      if (amount === 0n) continue;
      this.#ran(amount > 0n ? FEE : 2n * FEE);
      if (this.of(this.#protocol)[token] + amount < 0n) continue;
      this.#add(this.#treasury, token, -amount);
      this.#add(this.#protocol, token, amount);
      this.#placed[token] += amount;
    }
  }

  /** Empties a collection address into the treasury, of SOL to the rent minimum. */
  sweep(address: string, token: ModelToken): void {
    const held = this.of(address)[token];
    const amount = token === 'SOL' ? held - RENT_MINIMUM : held;
    if (amount <= 0n) return;
    this.#ran(2n * FEE);
    this.#add(address, token, -amount);
    this.#add(this.#treasury, token, amount);
  }
}
