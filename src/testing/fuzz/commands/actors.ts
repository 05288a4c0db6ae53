import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { isOpen, loanById } from '../model/loan.js';
import type { AccountState, StandingLoan } from '../model/types.js';
import type { Json } from '../step.js';
import type { KnownTransaction, ModelRunner } from '../play/model-runner.js';

/** Unrecorded transactions that an operation of an agent could record. */
export function freshFor(
  operation: EndpointId,
  by: string,
  runner: ModelRunner,
): readonly KnownTransaction[] {
  const { transactions, recorded } = runner.memory;
  const { modelConfig } = runner.world;
  const isReceipt = operation === 'x402Receive';
  const to = isReceipt ? modelConfig.collectionOf(runner.address(by)) : modelConfig.treasury;
  return transactions.filter(
    (each) =>
      (isReceipt || each.by === by || each.others.includes(by)) &&
      each.transfers.some((transfer) => transfer.to === to) &&
      !recorded.has(each.signature),
  );
}

export function isPending({ status }: StandingLoan): boolean {
  return status === 'pending_review';
}

/** Whether an agent has a loan that satisfies the condition. */
export function hasLoan(runner: ModelRunner, isSuch: (loan: StandingLoan) => boolean): boolean {
  return runner.names.some((name) => runner.accountState(name).loans.some(isSuch));
}

/** Whether a transfer with an unknown outcome exists: it may still fail. */
export function hasUnderWay(runner: ModelRunner): boolean {
  return runner.names.some((name) => runner.accountState(name).hasUnderWay);
}

export function isOpenLoan(accountState: AccountState, id: Json): boolean {
  const loan = loanById(accountState, id);
  return loan !== null && isOpen(loan);
}

function hasMoney({ checking }: AccountState): boolean {
  return checking.USDC > 0n || checking.SOL > 0n;
}

/** Whether an operation can succeed for an agent in this state; otherwise its refusal teaches little. */
const CAN_DO: Readonly<Partial<Record<EndpointId, (accountState: AccountState) => boolean>>> = {
  loanRepay: ({ loans }) => loans.some(isOpen),
  loan: ({ loans }) => loans.length > 0,
  collateralRepay: ({ collateralDebtBase }) => collateralDebtBase > 0n,
  collateralBorrow: ({ savings }) => savings.USDC > 0n,
  savingsWithdraw: ({ savings }) => savings.USDC > 0n || savings.SOL > 0n,
  savingsDeposit: hasMoney,
  withdraw: hasMoney,
  x402Pay: hasMoney,
};

/** Operations that send money from the treasury and use up a daily limit. */
export const SPENDS: ReadonlySet<string> = new Set<EndpointId>(['withdraw', 'x402Pay']);

/** Percentage of draws that keep an operation although it cannot succeed. */
const IDLE_PERCENT = 15;

/** Agents for which the operation can succeed. Without one, rarely any agent; null when the operation should not be drawn. */
export function actorFor(operation: EndpointId, runner: ModelRunner): fc.Arbitrary<string | null> {
  const anybody = fc.constantFrom(...runner.names);
  const canDo = CAN_DO[operation];
  const isAboutTransactions = operation === 'deposit' || operation === 'x402Receive';
  if (canDo === undefined && !isAboutTransactions) return anybody;
  const able = runner.names.filter((name) =>
    canDo === undefined ? freshFor(operation, name, runner).length > 0 : canDo(runner.accountState(name)),
  );
  // A transfer that fails later releases what was used since.
  const spending = SPENDS.has(operation) ? able.filter((name) => runner.accountState(name).hasUnderWay) : [];
  if (spending.length > 0) able.push(...spending, ...spending);
  return fc.oneof(
    { weight: 100 - IDLE_PERCENT, arbitrary: able.length > 0 ? fc.constantFrom(...able) : fc.constant(null) },
    { weight: IDLE_PERCENT, arbitrary: anybody },
  );
}
