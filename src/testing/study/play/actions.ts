import type { ErrorCode } from '../../../core/domain/errors.js';
import { outstanding } from '../../../core/domain/credit/terms.js';
import { type Token, tokenUnits } from '../../../core/domain/money.js';
import type { Result } from '../../../core/domain/result.js';
import { ChainRefusal, processed } from '../../../chain/submission.js';
import { type Outgoing, outgoingTransaction } from '../../../sdk/client/outgoing.js';
import type { Simulator } from '../../../simulator/simulator.js';
import { type AmountOf, type CallArguments, type SentTransaction, drawCall } from '../../persona-actions.js';
import type { Random } from '../random.js';
import { fraction } from '../design.js';
import type { StudyAction } from '../module.js';
import { type StudyAgent, baseUnits, wholeUnits } from './agent.js';

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

/** How a call ended; null if the chain refused its transfer. Most calls end immediately. */
type Performed = ActionOutcome | null | Promise<ActionOutcome | null>;

interface Call extends CallArguments {
  readonly agent: StudyAgent;
  readonly wallet: string;
}

const DONE: ActionOutcome = { code: null, isOnChain: false };
const SENT: ActionOutcome = { code: null, isOnChain: true };

function offChain(result: Result<unknown>, done = DONE): ActionOutcome {
  return result.ok ? done : { code: result.refusal.code, isOnChain: false };
}

const onChain = (result: Result<unknown>) => offChain(result, SENT);

/** A read, which is never refused. */
function read(work: (call: Call) => unknown): (call: Call) => Performed {
  return (call) => {
    const reading = work(call);
    return reading instanceof Promise ? reading.then(() => DONE) : DONE;
  };
}

/** Performs the actions of agents by calling the bank's operations directly, without HTTP requests. */
export class Actions {
  readonly #sim: Simulator;
  readonly #random: Random;
  readonly #byWallet: ReadonlyMap<string, StudyAgent>;
  /** The agents that receive payments; all agents if none does. */
  readonly #payees: readonly StudyAgent[];
  readonly #sent: (SentTransaction & { readonly by: StudyAgent })[] = [];
  #transactions = 0;

  constructor(sim: Simulator, byWallet: ReadonlyMap<string, StudyAgent>, random: Random) {
    this.#sim = sim;
    this.#byWallet = byWallet;
    this.#random = random;
    const agents = [...byWallet.values()];
    const payees = agents.filter(({ group }) => group.actions.some(({ name }) => name === 'x402.receive'));
    this.#payees = payees.length > 0 ? payees : agents;
  }

  /** Performs an action by a call; null if the agent lacks what it needs, such as funds. Throws RangeError for an unknown action. */
  perform(
    agent: StudyAgent,
    given: StudyAction,
  ): { readonly call: string; readonly outcome: Performed } | null {
    const call = drawCall(given.do, {
      draw: (arbitrary) => this.#random.draw(arbitrary),
      token: given.token ?? (this.#random.chance(SOL_PERCENT) ? 'SOL' : 'USDC'),
      self: agent.wallet,
      treasury: this.#treasury,
      reclaims: ['deposit'],
      checking: (token) => agent.checking(token),
      amount: (of, token) => {
        const amount = given.amount ?? this.#amount(agent, of, token);
        // A request or an application of any amount is a call.
        return of === 'request' || of === 'application' || (amount ?? 0) > 0 ? amount : null;
      },
      days: () => given.days ?? this.#random.pick(DAYS),
      recipient: () => given.to ?? this.#payee(agent).wallet,
      sent: (isOwn) => {
        const fitting = this.#sent.filter(({ by }) => (by === agent) === isOwn);
        return fitting.length === 0 ? null : this.#random.pick(fitting);
      },
      payment: () => agent.inbox.shift() ?? null,
      loan: () => this.#oldestLoan(agent)?.id ?? null,
      application: () => null,
      span: () => null,
    });
    if (call === null) return null;
    const perform = this.#calls[call.do];
    if (perform === undefined) throw new RangeError(`a study has no call ${call.do}`);
    return { call: call.do, outcome: perform({ ...call.with, agent, wallet: agent.wallet }) };
  }

  /** Sends tokens to the treasury and records them. Rejects with ChainRefusal. */
  async deposit(agent: StudyAgent, amount: number, token: Token): Promise<ActionOutcome> {
    const signature = await this.#send(agent, this.#treasury, amount, token);
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

  /** A drawn amount; of what the agent has, usually a small part, seldom all of it. */
  #amount(agent: StudyAgent, of: AmountOf, token: Token): number | null {
    if (of === 'request') return 1;
    if (of === 'application') return this.#applied(agent);
    if (of === 'credit line') return this.#repaid(agent);
    const available = {
      wallet: () => agent.inWallet(token) - (token === 'SOL' ? FOR_FEES_SOL : 0),
      checking: () => agent.checking(token),
      savings: () => agent.savings(token),
      borrowable: () => agent.borrowable(),
      debt: () => Math.min(agent.debt(), agent.checking('USDC')),
    }[of]();
    return wholeUnits(available * fraction(this.#random) ** 3, token);
  }

  /** An amount between the smallest credit line and the largest that the score allows. */
  #applied(agent: StudyAgent): number {
    const { bank } = this.#sim;
    const env = bank.env();
    const account = bank.books.state.agents.get(agent.wallet);
    const scored = account === undefined ? null : bank.credit.scoreNow(account, env);
    const [least, most] = [Number(env.terms.minLoanUsd), Number(scored?.score.creditLimitUsd ?? 0n)];
    return Math.floor(least + Math.max(0, most - least) * fraction(this.#random));
  }

  /** All that is owed on the oldest credit line if the agent has it, otherwise a part of what it has. */
  #repaid(agent: StudyAgent): number | null {
    const loan = this.#oldestLoan(agent);
    const owed = loan === null ? 0 : tokenUnits('USDC', outstanding(loan, this.#sim.now().getTime()));
    const has = agent.checking('USDC');
    const amount = has >= owed ? owed : wholeUnits(has * fraction(this.#random), 'USDC');
    return amount > 0 ? amount : null;
  }

  /** The oldest credit line, if it has a debt. */
  #oldestLoan({ openLoans }: StudyAgent) {
    const { loans } = this.#sim.bank.books.state;
    const isOver = (id: string) => ['repaid', 'denied'].includes(loans.get(id)?.status ?? 'denied');
    while (openLoans[0] !== undefined && isOver(openLoans[0])) openLoans.shift();
    const loan = loans.get(openLoans[0] ?? '');
    return loan === undefined || loan.debt === null ? null : loan;
  }

  #payee(payer: StudyAgent): StudyAgent {
    const drawn = this.#random.pick(this.#payees);
    if (drawn !== payer || this.#payees.length === 1) return drawn;
    return this.#payees[(this.#payees.indexOf(drawn) + 1) % this.#payees.length] as StudyAgent;
  }

  /** Sends from the wallet, and remembers what goes to the treasury. Rejects with ChainRefusal. */
  async #send(agent: StudyAgent, to: string, amount: number, token: Token): Promise<string> {
    const { chain, bank } = this.#sim;
    const amountBase = baseUnits(amount, token);
    const outgoing: Outgoing =
      token === 'SOL'
        ? { kind: 'sol', to, amountBase }
        : { kind: 'token', to, amountBase, mint: bank.addresses.usdcMint };
    this.#transactions += 1;
    const { blockhash } = chain.latestBlockhash();
    const bytes = outgoingTransaction([agent.key], [outgoing], { number: this.#transactions, blockhash });
    const { signature } = processed(await chain.submit(bytes));
    if (to === this.#treasury) {
      this.#sent.push({ by: agent, signature, amount, token });
      if (this.#sent.length > MOST_REMEMBERED) this.#sent.shift();
    }
    return signature;
  }

  /** A transfer that the chain refuses counts as an impossible action. */
  async #sending(work: Promise<ActionOutcome>): Promise<ActionOutcome | null> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ChainRefusal) return null;
      throw error;
    }
  }

  async #pay({ wallet, recipient = '', amount, token = 'USDC' }: Call): Promise<ActionOutcome> {
    const paid = await this.#sim.bank.pay({ wallet, recipient, amount, token });
    const inbox = this.#byWallet.get(recipient)?.inbox;
    if (paid.ok && inbox !== undefined) {
      inbox.push(paid.value.tx_signature);
      if (inbox.length > MOST_IN_INBOX) inbox.shift();
    }
    return onChain(paid);
  }

  async #apply({ agent, wallet, amount, purpose = '', duration }: Call): Promise<ActionOutcome> {
    const input = { wallet, amount, purpose, duration };
    const applied = await this.#sim.bank.credit.applyForLoan(input);
    if (applied.ok) agent.openLoans.push(applied.value.application.id);
    return offChain(applied);
  }

  readonly #calls: Readonly<Record<string, (call: Call) => Performed>> = {
    deposit: async ({ agent, wallet, amount, token = 'USDC', tx_signature: signature }) =>
      signature === undefined
        ? this.#sending(this.deposit(agent, Number(amount), token))
        : offChain(await this.#sim.bank.deposit({ wallet, amount, token, signature })),
    withdraw: async ({ wallet, amount, token = 'USDC' }) =>
      onChain(await this.#sim.bank.withdraw({ wallet, amount, token, destination: wallet })),
    'savings.deposit': ({ wallet, amount, token = 'USDC' }) =>
      offChain(this.#sim.bank.savingsDeposit({ wallet, amount, token })),
    'savings.withdraw': ({ wallet, amount, token = 'USDC' }) =>
      offChain(this.#sim.bank.savingsWithdraw({ wallet, amount, token })),
    'collateral.borrow': ({ wallet, amount }) =>
      offChain(this.#sim.bank.collateralBorrow({ wallet, amount })),
    'collateral.repay': ({ wallet, amount }) => offChain(this.#sim.bank.collateralRepay({ wallet, amount })),
    'x402.pay': (call) => this.#pay(call),
    'x402.request': async ({ wallet, amount, token = 'USDC' }) =>
      offChain(await this.#sim.bank.requestPayment({ wallet, amount, token, expiresInSeconds: 3_600 })),
    'x402.receive': async ({ wallet, tx_signature: signature = '' }) =>
      offChain(await this.#sim.bank.receivePayment({ wallet, signature })),
    'loans.apply': (call) => this.#apply(call),
    'loans.repay': async ({ wallet, id: loanId = '', amount }) =>
      offChain(await this.#sim.bank.credit.repayLoan({ wallet, loanId, amount })),
    account: read(({ wallet }) => this.#sim.bank.account(wallet)),
    transactions: read(({ wallet }) => this.#sim.bank.transactions({ wallet, limit: 50, offset: 0 })),
    profile: read(({ wallet }) => this.#sim.bank.credit.profile(wallet)),
    loans: read(({ wallet }) => this.#sim.bank.credit.loans(wallet)),
    send: ({ agent, to = '', amount, token = 'USDC' }) =>
      this.#sending(this.#send(agent, to, Number(amount), token).then(() => SENT)),
  };
}
