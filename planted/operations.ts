import type { PlantedBug } from './bug.js';

/** Bugs of what an operator does, of what is under way when a process ends, and of races. */
export const OPERATIONS: readonly PlantedBug[] = [
  {
    name: 'a loan whose due date was moved is overdue at the old one',
    file: 'core/domain/operations/age-loan.ts',
    from: "if (loan?.status !== 'active' || loan.dueAtMs !== atMs) return null;",
    to: "if (loan?.status !== 'active') return null;",
  },
  {
    name: 'a loan whose due date was moved defaults by the old one',
    file: 'core/domain/operations/age-loan.ts',
    from: "if (loan?.status !== 'overdue' || defaultsAtMs(loan) !== atMs) return null;",
    to: "if (loan?.status !== 'overdue') return null;",
  },
  {
    name: 'a sweep books the other token',
    file: 'bank/collections.ts',
    from: 'const moved = { USDC: 0n, SOL: 0n, [token]: amountBase };',
    to: "const moved = { USDC: 0n, SOL: 0n, [token === 'SOL' ? 'USDC' : 'SOL']: amountBase };",
  },
  {
    name: 'what a new customer finds at its collection address is booked without its SOL',
    file: 'bank/chain-reconciler.ts',
    from: 'SOL: reads.account(collectionAddress)?.lamports ?? 0n,',
    to: 'SOL: 0n * (reads.account(collectionAddress)?.lamports ?? 0n),',
  },
  {
    name: 'applications at once may be too many',
    file: 'bank/credit-desk.ts',
    from: `    return this.#evidence.ofWallet(input.wallet, (onChain) => this.#apply({ ...input, onChain }, cause));
  }

  #apply(input: LoanApplicationInput, cause: RequestContext) {
    const env = this.#world.env(cause);
    const decision = applyForLoan(this.#books.state, input, env);`,
    to: `    const { state } = this.#books;
    return Promise.resolve().then(() => this.#evidence.ofWallet(input.wallet, (onChain) => this.#apply({ ...input, onChain }, cause, state)));
  }

  #apply(input: LoanApplicationInput, cause: RequestContext, state = this.#books.state) {
    const env = this.#world.env(cause);
    const decision = applyForLoan(state, input, env);`,
  },
  {
    name: 'a payment that was lost on its way stays reserved',
    file: 'bank/settlement.ts',
    from: "      case 'outflow':\n        this.#finish(",
    to: "      case 'outflow':\n        if (outcome.kind === 'failed' && outcome.signature === null) return;\n        this.#finish(",
  },
  {
    name: 'a payment that the end of the process cut off stays reserved',
    file: 'bank/settlement.ts',
    from: 'if (queued.has(id) || this.late.isWaiting(',
    to: "if (queued.has(id) || this.#outflow(id).terms.type === 'x402' || this.late.isWaiting(",
  },
  {
    name: 'of two payers, the sender is who paid last',
    file: 'chain/effects.ts',
    from: 'if (amountBase <= most) continue;',
    to: 'if (amountBase <= 0n) continue;',
  },
  {
    name: 'a body with a byte order mark is no JSON',
    file: 'core/request-body.ts',
    from: 'const DECODER = new TextDecoder();',
    to: "const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });",
    options: { transport: 'http' },
  },
  {
    name: 'a transfer of savings that comes late is never booked',
    file: 'bank/settlement.ts',
    from: 'this.#books.append(settled, this.#world.nowMs(), cause);',
    to: '',
  },
];
