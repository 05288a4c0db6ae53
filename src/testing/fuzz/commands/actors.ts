import type { EndpointId } from '../../../contract/endpoints.js';
import type { Random } from '../random.js';
import type { AccountState } from '../model/types.js';
import type { KnownTransaction } from '../play/memory.js';
import type { ModelRunner } from '../play/model-runner.js';

/** Transactions that an agent could have counted by an operation now, for the first time. */
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
      (isReceipt || each.by === by) &&
      each.transfers.some((transfer) => transfer.to === to) &&
      !recorded.has(each.signature),
  );
}

const IS_OPEN = new Set(['active', 'overdue', 'defaulted']);

/** Whether an operation can do something for an agent who stands so; others only get a refusal that says nothing new. */
const CAN_DO: Readonly<Partial<Record<EndpointId, (accountState: AccountState) => boolean>>> = {
  loanRepay: ({ loans }) => loans.some(({ status }) => IS_OPEN.has(status)),
  loan: ({ loans }) => loans.length > 0,
  collateralRepay: ({ collateralDebtBase }) => collateralDebtBase > 0n,
  collateralBorrow: ({ savings }) => savings.USDC > 0n,
  savingsWithdraw: ({ savings }) => savings.USDC > 0n || savings.SOL > 0n,
  savingsDeposit: ({ checking }) => checking.USDC > 0n || checking.SOL > 0n,
  withdraw: ({ checking }) => checking.USDC > 0n || checking.SOL > 0n,
  x402Pay: ({ checking }) => checking.USDC > 0n || checking.SOL > 0n,
};

/** In so many of a hundred draws an operation that can do nothing is drawn all the same. */
const IDLE_PERCENT = 15;

/** Who is to call an operation: somebody for whom it can do something, if there is one; null when it had better not be drawn. */
export function actorFor(operation: EndpointId, random: Random, runner: ModelRunner): string | null {
  const anybody = random.pick(runner.names);
  if (random.chance(IDLE_PERCENT)) return anybody;
  const canDo = CAN_DO[operation];
  const isAboutTransactions = operation === 'deposit' || operation === 'x402Receive';
  if (canDo === undefined && !isAboutTransactions) return anybody;
  const able = runner.names.filter((name) =>
    canDo === undefined ? freshFor(operation, name, runner).length > 0 : canDo(runner.accountState(name)),
  );
  return able.length > 0 ? random.pick(able) : null;
}
