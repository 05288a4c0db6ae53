import type { ErrorCode } from '../../../core/domain/errors.js';
import { TOKENS, type Token } from '../../../core/domain/money.js';
import type { Result } from '../../../core/domain/result.js';
import { ChainRefusal } from '../../../chain/submission.js';
import type { Simulator } from '../../../simulator/simulator.js';
import type { ActionName } from '../../personas.js';
import type { Random } from '../random.js';
import { fraction } from '../design.js';
import type { StudyAction } from '../module.js';
import { type StudyAgent, wholeUnits } from './agent.js';
import type { ChainTransfers } from './chain-transfers.js';

/** How an action ended. */
export interface ActionOutcome {
  /** The code of the refusal; null for a success. */
  readonly code: ErrorCode | null;
  /** Whether a transaction was sent. */
  readonly isOnChain: boolean;
}

/** Maximum remembered payments and transactions; the oldest are dropped first. */
const MOST_REMEMBERED = 1_000;
const MOST_IN_INBOX = 100;
const SOL_PERCENT = 25;
/** SOL that stays in the wallet for fees. */
const FOR_FEES_SOL = 0.02;
const DAYS = [7, 30, 60, 90];
const BAD_AMOUNTS = [-1, 0, 'ten', null, 1e13, 0.000_000_000_1];

/** A transaction to the treasury that an agent can claim. */
interface SentTransaction {
  readonly by: StudyAgent;
  readonly signature: string;
  readonly amount: number;
  readonly token: Token;
}

/** An action with all defaults filled in. */
interface Drawn {
  readonly agent: StudyAgent;
  readonly token: Token;
  readonly given: StudyAction;
}

/** Null if the agent lacks funds for it. Most actions end immediately. */
type Performed = ActionOutcome | null | Promise<ActionOutcome | null>;

type Perform = (drawn: Drawn) => Performed;

const DONE: ActionOutcome = { code: null, isOnChain: false };
const SENT: ActionOutcome = { code: null, isOnChain: true };

function offChain(result: Result<unknown>): ActionOutcome {
  return result.ok ? DONE : { code: result.refusal.code, isOnChain: false };
}

function onChain(result: Result<unknown>): ActionOutcome {
  return result.ok ? SENT : { code: result.refusal.code, isOnChain: false };
}

/** Performs the actions of agents by calling the bank's operations directly, without HTTP requests. */
export class Actions {
  readonly #sim: Simulator;
  readonly #random: Random;
  readonly #transfers: ChainTransfers;
  readonly #byWallet: ReadonlyMap<string, StudyAgent>;
  /** The agents that receive payments; all agents if none does. */
  readonly #payees: readonly StudyAgent[];
  readonly #sent: SentTransaction[] = [];

  constructor(
    sim: Simulator,
    byWallet: ReadonlyMap<string, StudyAgent>,
    random: Random,
    transfers: ChainTransfers,
  ) {
    this.#sim = sim;
    this.#byWallet = byWallet;
    this.#random = random;
    this.#transfers = transfers;
    const agents = [...byWallet.values()];
    const payees = agents.filter(({ group }) => group.actions.some(({ name }) => name === 'x402.receive'));
    this.#payees = payees.length > 0 ? payees : agents;
  }

  /** Performs an action; null if the agent lacks funds for it. Throws RangeError for an unknown action. */
  perform(agent: StudyAgent, given: StudyAction): Performed {
    const perform = (this.#table as Readonly<Record<string, Perform>>)[given.do];
    if (perform === undefined) throw new RangeError(`there is no action ${given.do}`);
    return perform({ agent, given, token: given.token ?? this.#token() });
  }

  /** Sends tokens to the treasury and records them. Rejects with ChainRefusal. */
  async deposit(agent: StudyAgent, amount: number, token: Token): Promise<ActionOutcome> {
    const signature = await this.#transfers.send(agent, this.#treasury, amount, token);
    this.#remember({ by: agent, signature, amount, token });
    const { wallet } = agent;
    const recorded = await this.#sim.bank.deposit({ wallet, amount, token, signature });
    return { ...offChain(recorded), isOnChain: true };
  }

  /** Pays USDC from outside to an agent's collection address, and credits its checking with it. */
  async payIncome(agent: StudyAgent, amount: number): Promise<void> {
    const { bank } = this.#sim;
    const { address } = bank.addresses.collection(agent.wallet);
    const paid = await this.#sim.faucet(address, wholeUnits(amount, 'USDC'), 'USDC');
    await bank.receivePayment({ wallet: agent.wallet, signature: paid.signature });
  }

  get #treasury(): string {
    return this.#sim.bank.addresses.treasury.address;
  }

  #token(): Token {
    return this.#random.chance(SOL_PERCENT) ? 'SOL' : 'USDC';
  }

  /** The given amount, or a random part of the balance: usually small, seldom all of it. Null for zero. */
  #amount({ given, token }: Pick<Drawn, 'given' | 'token'>, available: number): number | null {
    const amount = given.amount ?? wholeUnits(available * fraction(this.#random) ** 3, token);
    return amount > 0 ? amount : null;
  }

  /** Runs an operation with an amount up to the balance. */
  #about(
    drawn: Drawn,
    available: number,
    work: (input: { wallet: string; amount: number; token: Token }) => Performed,
  ): Performed {
    const amount = this.#amount(drawn, available);
    return amount === null ? null : work({ wallet: drawn.agent.wallet, amount, token: drawn.token });
  }

  #spendable({ agent, token }: Drawn): number {
    return agent.inWallet(token) - (token === 'SOL' ? FOR_FEES_SOL : 0);
  }

  #remember(sent: SentTransaction): void {
    this.#sent.push(sent);
    if (this.#sent.length > MOST_REMEMBERED) this.#sent.shift();
  }

  /** Claims a remembered transaction again. */
  async #claim({ agent }: Drawn, isOwn: boolean): Promise<ActionOutcome | null> {
    const fitting = this.#sent.filter(({ by }) => (by === agent) === isOwn);
    if (fitting.length === 0) return null;
    const { signature, amount, token } = this.#random.pick(fitting);
    return offChain(await this.#sim.bank.deposit({ wallet: agent.wallet, amount, token, signature }));
  }

  async #pay(drawn: Drawn, amount: number): Promise<ActionOutcome> {
    const { agent, given, token } = drawn;
    const to = given.to ?? this.#payee(agent).wallet;
    const paid = await this.#sim.bank.pay({ wallet: agent.wallet, recipient: to, amount, token });
    if (paid.ok) {
      const payee = this.#byWallet.get(to);
      payee?.inbox.push(paid.value.tx_signature);
      if (payee !== undefined && payee.inbox.length > MOST_IN_INBOX) payee.inbox.shift();
    }
    return onChain(paid);
  }

  #payee(payer: StudyAgent): StudyAgent {
    const drawn = this.#random.pick(this.#payees);
    if (drawn !== payer || this.#payees.length === 1) return drawn;
    return this.#payees[(this.#payees.indexOf(drawn) + 1) % this.#payees.length] as StudyAgent;
  }

  /** Sends the wallet's funds. A transfer that the chain refuses counts as an impossible action. */
  async #sending(work: Promise<ActionOutcome>): Promise<ActionOutcome | null> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ChainRefusal) return null;
      throw error;
    }
  }

  async #apply({ agent, given }: Drawn): Promise<ActionOutcome> {
    const { bank } = this.#sim;
    const env = bank.env();
    const account = bank.books.state.agents.get(agent.wallet);
    const scored = account === undefined ? null : bank.credit.scoreNow(account, env);
    const [least, most] = [Number(env.terms.minLoanUsd), Number(scored?.score.creditLimitUsd ?? 0n)];
    const amount = given.amount ?? Math.floor(least + Math.max(0, most - least) * fraction(this.#random));
    const duration = given.days ?? this.#random.pick(DAYS);
    const applied = await bank.credit.applyForLoan({
      wallet: agent.wallet,
      amount,
      purpose: 'task',
      duration,
    });
    if (applied.ok) agent.openLoans.push(applied.value.application.id);
    return offChain(applied);
  }

  /** Pays the oldest credit line: in full if possible, otherwise in part. */
  async #repay(drawn: Drawn): Promise<ActionOutcome | null> {
    const { agent, given } = drawn;
    const { bank } = this.#sim;
    const isOver = (id: string) =>
      ['repaid', 'denied'].includes(bank.books.state.loans.get(id)?.status ?? 'denied');
    while (agent.openLoans[0] !== undefined && isOver(agent.openLoans[0])) agent.openLoans.shift();
    const loan = bank.books.state.loans.get(agent.openLoans[0] ?? '');
    if (loan === undefined || loan.debt === null) return null;
    const owed = Number(bank.credit.owedOn(loan)) / 1e6;
    const has = agent.checking('USDC');
    const amount = given.amount ?? (has >= owed ? owed : wholeUnits(has * fraction(this.#random), 'USDC'));
    if (amount <= 0) return null;
    return offChain(await bank.credit.repayLoan({ wallet: agent.wallet, loanId: loan.id, amount }));
  }

  async #nonsense({ agent }: Drawn): Promise<ActionOutcome> {
    const input = {
      wallet: agent.wallet,
      amount: this.#random.pick(BAD_AMOUNTS),
      token: this.#random.pick([...TOKENS, 'EUR']),
    };
    return this.#random.chance(50)
      ? offChain(this.#sim.bank.savingsDeposit(input))
      : onChain(await this.#sim.bank.withdraw({ ...input, destination: agent.wallet }));
  }

  readonly #table: Readonly<Record<ActionName, Perform>> = {
    deposit: (drawn) =>
      this.#about(drawn, this.#spendable(drawn), ({ amount, token }) =>
        this.#sending(this.deposit(drawn.agent, amount, token)),
      ),
    withdraw: (drawn) =>
      this.#about(drawn, drawn.agent.checking(drawn.token), async (input) =>
        onChain(await this.#sim.bank.withdraw({ ...input, destination: input.wallet })),
      ),
    'savings.deposit': (drawn) =>
      this.#about(drawn, drawn.agent.checking(drawn.token), (input) =>
        offChain(this.#sim.bank.savingsDeposit(input)),
      ),
    'savings.withdraw': (drawn) =>
      this.#about(drawn, drawn.agent.savings(drawn.token), (input) =>
        offChain(this.#sim.bank.savingsWithdraw(input)),
      ),
    'collateral.borrow': (drawn) =>
      this.#about({ ...drawn, token: 'USDC' }, drawn.agent.borrowable(), ({ wallet, amount }) =>
        offChain(this.#sim.bank.collateralBorrow({ wallet, amount })),
      ),
    'collateral.repay': (drawn) =>
      this.#about(
        { ...drawn, token: 'USDC' },
        Math.min(drawn.agent.debt(), drawn.agent.checking('USDC')),
        ({ wallet, amount }) => offChain(this.#sim.bank.collateralRepay({ wallet, amount })),
      ),
    'x402.pay': (drawn) =>
      this.#about(drawn, drawn.agent.checking(drawn.token), ({ amount }) => this.#pay(drawn, amount)),
    'x402.request': async ({ agent, given, token }) =>
      offChain(
        await this.#sim.bank.requestPayment({
          wallet: agent.wallet,
          amount: given.amount ?? 1,
          token,
          expiresInSeconds: 3_600,
        }),
      ),
    'x402.receive': async ({ agent }) => {
      const signature = agent.inbox.shift();
      if (signature === undefined) return null;
      return offChain(await this.#sim.bank.receivePayment({ wallet: agent.wallet, signature }));
    },
    'loans.apply': (drawn) => this.#apply(drawn),
    'loans.repay': (drawn) => this.#repay(drawn),
    account: ({ agent }) => {
      this.#sim.bank.account(agent.wallet);
      return DONE;
    },
    transactions: ({ agent }) => {
      this.#sim.bank.transactions({ wallet: agent.wallet, limit: 50, offset: 0 });
      return DONE;
    },
    profile: async ({ agent }) => {
      await this.#sim.bank.credit.profile(agent.wallet);
      return DONE;
    },
    loans: ({ agent }) => {
      this.#sim.bank.credit.loans(agent.wallet);
      return DONE;
    },
    send: (drawn) =>
      this.#about(drawn, this.#spendable(drawn), ({ amount, token }) =>
        this.#sending(
          this.#transfers
            .send(drawn.agent, drawn.given.to ?? this.#payee(drawn.agent).wallet, amount, token)
            .then(() => SENT),
        ),
      ),
    prepay: (drawn) =>
      this.#about(drawn, this.#spendable(drawn), ({ amount, token }) =>
        this.#sending(
          this.#transfers.send(drawn.agent, this.#treasury, amount, token).then((signature) => {
            this.#remember({ by: drawn.agent, signature, amount, token });
            return SENT;
          }),
        ),
      ),
    steal: (drawn) => this.#claim(drawn, false),
    replay: (drawn) => this.#claim(drawn, true),
    overdraw: async ({ agent, token }) => {
      const amount = wholeUnits(agent.checking(token) + 1, token);
      const { wallet } = agent;
      return onChain(await this.#sim.bank.withdraw({ wallet, amount, token, destination: wallet }));
    },
    nonsense: (drawn) => this.#nonsense(drawn),
    'review.approve': () => null,
    wait: () => null,
  };
}
