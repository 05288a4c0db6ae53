import { collateralStanding } from '../../../core/domain/collateral.js';
import { creditOwed } from '../../../core/domain/credit/terms.js';
import { customer } from '../../../core/domain/inputs.js';
import { DECIMALS, type Token, tokenUnits } from '../../../core/domain/money.js';
import { type Agent, holding } from '../../../core/domain/state.js';
import type { Simulator } from '../../../simulator/simulator.js';
import type { KeyPair } from '../../../world/keys.js';
import type { StudyAgentView } from '../module.js';
import type { PersonaGroup } from '../population.js';

export class StudyAgent implements StudyAgentView {
  readonly wallet: string;
  /** Signatures of payments to it that it has not yet claimed, oldest first. */
  readonly inbox: string[] = [];
  /** Credit lines that it applied for and has not repaid, oldest first. */
  readonly openLoans: string[] = [];
  readonly #sim: Simulator;

  constructor(
    sim: Simulator,
    readonly key: KeyPair,
    readonly group: PersonaGroup,
    readonly number: number,
    readonly factor: number,
  ) {
    this.#sim = sim;
    this.wallet = key.address;
  }

  get persona(): string {
    return this.group.name;
  }

  get #state(): Agent {
    return customer(this.#sim.bank.books.state, this.wallet);
  }

  inWallet(token: Token): number {
    const { lamports, usdcBase } = this.#sim.chain.balancesByCopy(this.wallet);
    return tokenUnits(token, token === 'SOL' ? lamports : usdcBase);
  }

  checking(token: Token): number {
    return tokenUnits(token, holding(this.#state, 'checking', token));
  }

  savings(token: Token): number {
    return tokenUnits(token, this.#state.savings[token].principalBase);
  }

  debt(): number {
    return tokenUnits('USDC', collateralStanding(this.#state, this.#sim.bank.env()).debt);
  }

  borrowable(): number {
    return tokenUnits('USDC', collateralStanding(this.#state, this.#sim.bank.env()).available);
  }

  creditLines(): number {
    const { bank } = this.#sim;
    return tokenUnits('USDC', creditOwed(bank.books.state, this.#state, bank.env().nowMs));
  }
}

/** Converts token units to base units, rounded to the nearest. */
export function baseUnits(amount: number, token: Token): bigint {
  return BigInt(amount.toFixed(DECIMALS[token]).replace('.', ''));
}

/** An amount in token units, rounded down to whole base units. */
export function wholeUnits(amount: number, token: Token): number {
  const scale = 10 ** DECIMALS[token];
  return Math.floor(amount * scale) / scale;
}
