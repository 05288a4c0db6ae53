import type { PlantedBug } from './bug.js';
import { CONSEQUENCES } from './consequences.js';
import { FORMS } from './forms.js';
import { KINDS } from './kinds.js';
import { OPERATIONS } from './operations.js';
import { SURROUNDINGS } from './surroundings.js';

const OUTFLOW = 'core/domain/outflow.ts';
const EVIDENCE = 'core/domain/evidence.ts';
const AUTH = 'bank/auth.ts';
const APPLY = 'core/domain/apply.ts';
const ROLLING = { variants: { dailyWindow: 'rolling-24h' } } as const;

const LIMITS: readonly PlantedBug[] = [
  {
    name: 'the daily limit refuses what fills it exactly',
    file: OUTFLOW,
    from: 'window.totalMicro + usdMicro > limit',
    to: 'window.totalMicro + usdMicro >= limit',
  },
  {
    name: 'the daily limit is a millionth of a dollar too high',
    file: OUTFLOW,
    from: 'const limit = env.terms.dailyMicro[type];',
    to: 'const limit = env.terms.dailyMicro[type] + 1n;',
  },
  {
    name: 'withdrawals and payments share one daily limit',
    file: OUTFLOW,
    from: 'prune(agent.daily[type],',
    to: "prune(agent.daily[type === 'x402' ? 'withdraw' : type],",
  },
  {
    name: 'the daily window is not reset at midnight',
    file: 'core/domain/daily-window.ts',
    from: "kind === 'utc-day' ? startOfUtcDay(atMs) : atMs - DAY_MS + 1",
    to: "kind === 'utc-day' ? startOfUtcDay(atMs) - 1 : atMs - DAY_MS + 1",
  },
  {
    name: 'the rolling window is a moment too long',
    file: 'core/domain/daily-window.ts',
    from: 'atMs - DAY_MS + 1',
    to: 'atMs - DAY_MS',
    options: ROLLING,
  },
  {
    name: 'what was given back still counts for the daily limit',
    file: APPLY,
    from: '[type]: giveBack(agent.daily[type], outflow.id)',
    to: '[type]: agent.daily[type]',
  },
  {
    name: 'USD values of a limit round down',
    file: 'core/domain/money.ts',
    from: "10n ** BigInt(DECIMALS[token] + PRICE_DECIMALS - USD_DECIMALS), 'ceil')",
    to: "10n ** BigInt(DECIMALS[token] + PRICE_DECIMALS - USD_DECIMALS), 'floor')",
  },
  {
    name: 'one base unit may be borrowed above the LTV',
    file: 'core/domain/operations/collateral-borrow.ts',
    from: 'amount.value > available',
    to: 'amount.value > available + 1n',
  },
  {
    name: 'the LTV counts yield too',
    file: 'core/domain/collateral.ts',
    from: 'const limit = collateralLimit(agent.savings.USDC.principalBase, terms);',
    to: 'const limit = collateralLimit(agent.savings.USDC.principalBase + agent.savings.USDC.bookedYieldBase, terms);',
  },
  {
    name: 'the collateral limit rounds up',
    file: 'core/domain/collateral.ts',
    from: "mulDiv(principalBase, ltvPpm, PPM, 'floor')",
    to: "mulDiv(principalBase, ltvPpm, PPM, 'ceil')",
  },
  {
    name: 'locked savings round the wrong way',
    file: 'core/domain/collateral.ts',
    from: "mulDiv(debt, PPM, env.terms.ltvPpm, 'ceil')",
    to: "mulDiv(debt, PPM, env.terms.ltvPpm, 'floor')",
  },
  {
    name: 'savings may leave from under a loan',
    file: 'core/domain/operations/savings-withdraw.ts',
    from: "if (token === 'USDC' && agent.collateralDebt !== null)",
    to: "if (token === 'USDC' && agent.collateralDebt !== null && amount < position.principalBase)",
  },
  {
    name: 'the whole balance cannot be saved',
    file: 'core/domain/operations/savings-deposit.ts',
    from: 'checking < amount',
    to: 'checking <= amount',
  },
  {
    name: 'a base unit more can be paid out than there is in savings',
    file: 'core/domain/operations/savings-withdraw.ts',
    from: 'position.principalBase < amount',
    to: 'position.principalBase + 1n < amount',
  },
  {
    name: 'a credit line of exactly 10,000 USD is refused',
    file: 'core/domain/operations/apply-for-loan.ts',
    from: 'amount.value > max',
    to: 'amount.value >= max',
  },
];

const MONEY: readonly PlantedBug[] = [
  {
    name: 'interest rounds down',
    file: 'core/domain/debt.ts',
    from: '(accrue(debt, atMs).interestUnits + INTEREST_SCALE - 1n) / INTEREST_SCALE',
    to: 'accrue(debt, atMs).interestUnits / INTEREST_SCALE',
  },
  {
    name: 'interest is charged on interest',
    file: 'core/domain/debt.ts',
    from: 'interestUnits: debt.interestUnits + debt.principalBase * debt.aprPpm * seconds',
    to: 'interestUnits: debt.interestUnits + (debt.principalBase + debt.interestUnits / INTEREST_SCALE) * debt.aprPpm * seconds',
  },
  {
    name: 'a year of interest has 360 days',
    file: 'core/domain/debt.ts',
    from: 'const INTEREST_SCALE = PPM * YEAR_SECONDS;',
    to: 'const INTEREST_SCALE = PPM * 31_104_000n;',
  },
  {
    name: 'a payment pays principal before interest',
    file: 'core/domain/debt.ts',
    from: 'const interestBase = amountBase < due ? amountBase : due;',
    to: 'const interestBase = amountBase < due + debt.principalBase ? 0n : due;',
  },
  {
    name: 'a loan that is topped up forgets its interest',
    file: 'core/domain/debt.ts',
    from: 'return { ...accrued, principalBase: accrued.principalBase + amountBase };',
    to: 'return { ...accrued, interestUnits: 0n, principalBase: accrued.principalBase + amountBase };',
  },
  {
    name: 'the share of the yield rounds up',
    file: 'core/domain/savings.ts',
    from: "mulDiv(yieldAt(position, indexRay), amountBase, position.principalBase, 'floor')",
    to: "mulDiv(yieldAt(position, indexRay), amountBase, position.principalBase, 'ceil')",
  },
  {
    name: 'a yield misses a base unit when it begins later',
    file: 'core/domain/savings.ts',
    from: '(valueAt(position, indexRay) + FORGIVEN) / RAY',
    to: 'valueAt(position, indexRay) / RAY',
  },
  {
    name: 'a deposit to savings earns from the beginning',
    file: 'core/domain/savings.ts',
    from: 'valueRay: accrued.valueRay + amountBase * RAY,',
    to: 'valueRay: accrued.valueRay + (amountBase * RAY * indexRay) / position.indexRay,',
  },
  {
    name: 'what is left after repaying is told before interest',
    file: 'core/domain/operations/collateral-repay.ts',
    from: 'const remaining = owed(debt, env.nowMs) - charged;',
    to: 'const remaining = debt.principalBase - split.principal;',
  },
  {
    name: 'a repaid loan is told too little of',
    file: 'core/domain/operations/repay-loan.ts',
    from: "credit('checking', wallet, 'USDC', amountBase - charged),",
    to: "credit('checking', wallet, 'USDC', 0n),\n    credit('unclaimed', null, 'USDC', amountBase - charged),",
  },
  {
    name: 'noise of floats is forgiven too far',
    file: 'core/domain/money.ts',
    from: 'Math.abs(Number(text) - value) > 2 * ulp',
    to: 'Math.abs(Number(text) - value) > 2e9 * ulp',
  },
];

const TREASURY: readonly PlantedBug[] = [
  {
    name: 'a sweep takes more than is needed',
    file: 'bank/collections.ts',
    from: 'if (!isShort()) return;',
    to: '',
  },
  {
    name: 'a sweep takes the rent minimum too',
    file: 'bank/collections.ts',
    from: 'held - RENT_MINIMUM : held',
    to: 'held : held',
  },
  {
    name: 'the wallets whose collection addresses are swept are in another order',
    file: 'bank/collections.ts',
    from: 'keys()].toSorted()',
    to: 'keys()].toSorted().toReversed()',
  },
  {
    name: 'a treasury that is short sweeps before it calls savings back',
    file: 'bank/settlement.ts',
    from: `      if (short()) await this.#settleSavings(cause, token);
      if (short()) await this.collections.sweep(token, short, cause);`,
    to: `      if (short()) await this.collections.sweep(token, short, cause);
      if (short()) await this.#settleSavings(cause, token);`,
  },
  {
    name: 'a sweep that is lost',
    file: 'bank/settlement.ts',
    from: 'if (short()) await this.collections.sweep(token, short, cause);',
    to: '',
  },
  {
    name: 'two payments supply a treasury that is short at the same time',
    file: 'bank/settlement.ts',
    from: 'this.#supplying.then(work)',
    to: 'work()',
    options: { weights: { drain: 6, overlap: 20 } },
  },
  {
    name: 'a settlement that becomes known late clears the one that is scheduled',
    file: 'runtime/due-runner.ts',
    from: '!isSettlementDue(books.state)',
    to: '!books.state.settlementScheduled',
    options: { weights: { drain: 6, withdraw: 20 } },
  },
];

const SIGNATURES: readonly PlantedBug[] = [
  {
    name: 'a signature counts again for another purpose',
    file: APPLY,
    from: 'if (facts.signature !== null) next.recorded = next.recorded.set(facts.signature, entry.seq);',
    to: '',
  },
  {
    name: 'a deposit of somebody else is credited',
    file: 'core/domain/operations/deposit.ts',
    from: 'ownWalletOnly: true',
    to: 'ownWalletOnly: false',
  },
  {
    name: 'a cosigner is taken for the payer',
    file: 'bank/chain-evidence.ts',
    from: 'paidByCaller: paidBy(record, caller, mint),',
    to: 'paidByCaller: paidBy(record, record.accountKeys.slice(0, record.requiredSignatures).includes(caller) ? (record.accountKeys[0] ?? caller) : caller, mint),',
  },
  {
    name: 'a deposit may name less than came',
    file: EVIDENCE,
    from: 'claim.amountBase !== null && claim.amountBase !== amountBase',
    to: 'claim.amountBase !== null && claim.amountBase > amountBase',
  },
  {
    name: 'a failed transaction is refused for another reason',
    file: EVIDENCE,
    from: 'if (receipt.error !== null) {',
    to: 'if (receipt.error !== null && receipt.received.USDC > 0n) {',
  },
  {
    name: 'tokens of any mint count as USDC',
    file: 'chain/effects.ts',
    from: 'else if (address === ata) usdc += tokenAmount(post) - tokenAmount(pre);',
    to: 'else if (address === ata || tokenHolding(post)?.owner === wallet) usdc += tokenAmount(post) - tokenAmount(pre);',
  },
  {
    name: 'a payment is received at the address of whoever asks',
    file: 'core/domain/operations/pay.ts',
    from: 'return state.agents.get(recipient)?.collectionAddress ?? recipient;',
    to: 'return recipient;',
  },
];

const ACCESS: readonly PlantedBug[] = [
  {
    name: "another agent's loan is shown",
    file: 'core/domain/operations/repay-loan.ts',
    from: "return loan?.wallet === wallet ? ok(loan) : refuse('loan_not_found', { loan_id: loanId });",
    to: "return loan !== undefined && wallet !== '' ? ok(loan) : refuse('loan_not_found', { loan_id: loanId });",
  },
  {
    name: 'idempotency keys are shared across wallets',
    file: 'bank/idempotency.ts',
    from: 'const id = `${call.wallet}/${call.key}`;',
    to: 'const id = call.key;',
  },
  {
    name: 'an idempotency key answers any call',
    file: 'bank/idempotency.ts',
    from: 'if (stored.hash !== hash) return reused();',
    to: '',
  },
  {
    name: 'idempotency keys keep refusals',
    file: 'bank/idempotency.ts',
    from: 'if (result.ok || underWay !== null) {',
    to: 'if (result.ok || underWay !== null || result.refusal.code === "insufficient_balance") {',
  },
  {
    name: 'a challenge can be answered twice',
    file: AUTH,
    from: "if (getLive(this.#used, message, nowMs) === true) return refuse('challenge_used');",
    to: '',
  },
  {
    name: 'a token lives a second too long',
    file: AUTH,
    from: 'if (nowMs < expiresMs)',
    to: 'if (nowMs <= expiresMs)',
  },
  {
    name: 'a challenge lives a moment too long',
    file: AUTH,
    from: 'if (nowMs >= expiresMs)',
    to: 'if (nowMs > expiresMs)',
  },
  {
    name: 'any signature will do',
    file: AUTH,
    from: "if (bytes === null || !this.#signatures.ofMessage(wallet, Buffer.from(message, 'utf8'), bytes))",
    to: 'if (bytes === null)',
  },
  {
    name: 'a challenge that the bank did not write will do',
    file: AUTH,
    from: 'return expected.length === given.length && timingSafeEqual(expected, given);',
    to: 'return expected.length === given.length;',
  },
];

const X402: readonly PlantedBug[] = [
  {
    name: 'the receipt is not bound to its request',
    file: 'bank/receipts.ts',
    from: 'request_id: terms.requestId,',
    to: 'request_id: null,',
  },
  {
    name: 'the receipt does not cover its payer',
    file: 'core/domain/payment-request.ts',
    from: "name !== 'signature'",
    to: "name !== 'signature' && name !== 'payer'",
  },
  {
    name: 'an expired request is paid',
    file: 'core/domain/operations/pay.ts',
    from: 'env.nowMs >= Date.parse(bound.value.expires_at)',
    to: 'env.nowMs > Date.parse(bound.value.expires_at) + 86_400_000',
  },
  {
    name: 'a request is paid twice',
    file: 'core/domain/operations/pay.ts',
    from: "env.variants.paymentRequests === 'once' ? paymentOf(state, terms) : null",
    to: 'null',
  },
  {
    name: 'a request whose payment failed stays paid',
    file: APPLY,
    from: 'const left = paying.filter((id) => id !== outflow.id);',
    to: 'const left = paying;',
  },
  {
    name: 'a request for little SOL is not made payable',
    file: 'bank/collections.ts',
    from: '+ amountBase >= RENT_MINIMUM) return;',
    to: '+ amountBase >= 0n) return;',
  },
  {
    name: 'a request is paid with another sum',
    file: 'core/domain/operations/pay.ts',
    from: '!given.ok || asked.value !== given.value',
    to: '!given.ok || asked.value < given.value',
  },
];

const CREDIT: readonly PlantedBug[] = [
  {
    name: 'a loan is due a day late',
    file: 'core/domain/operations/review-loan.ts',
    from: 'env.nowMs + loan.durationDays * DAY_MS',
    to: 'env.nowMs + (loan.durationDays + 1) * DAY_MS',
  },
  {
    name: 'a loan defaults after 31 days',
    file: 'core/domain/credit/terms.ts',
    from: 'const DEFAULT_AFTER_MS = 30 * DAY_MS;',
    to: 'const DEFAULT_AFTER_MS = 31 * DAY_MS;',
  },
  {
    name: 'a denied application can be approved',
    file: 'core/domain/operations/review-loan.ts',
    from: "if (loan.status !== 'pending_review') {",
    to: "if (loan.status !== 'pending_review' && loan.status !== 'denied') {",
  },
  {
    name: 'a late repayment counts as one in time',
    file: APPLY,
    from: "else if (loan.record === 'overdue') countRepayment(next, loan.wallet, 'late', 1);",
    to: "else if (loan.record === 'overdue') countRepayment(next, loan.wallet, 'onTime', 1);",
  },
  {
    name: 'the score counts linked accounts of one kind only',
    file: 'core/domain/credit/score.ts',
    from: '(evidence.linkedGithub ? 400 : 0)',
    to: '(evidence.linkedGithub && !evidence.linkedX ? 400 : 0)',
  },
  {
    name: 'open loans do not lower what may be borrowed',
    file: 'core/domain/credit/score.ts',
    from: 'owedBase: creditOwed(state, agent, env.nowMs)',
    to: 'owedBase: 0n',
  },
  {
    name: 'borrowed money raises the score',
    file: 'core/domain/credit/score.ts',
    from: 'held > debts ? held - debts : 0n',
    to: 'debts < 0n ? debts : held',
  },
  {
    name: 'an agent may have one more application open',
    file: 'core/domain/operations/apply-for-loan.ts',
    from: 'if (open >= env.maxOpenApplications)',
    to: 'if (open > env.maxOpenApplications)',
  },
  {
    name: 'a stale price is used',
    file: OUTFLOW,
    from: 'if (stale === null) return ok(undefined);',
    to: 'if (stale === null || token === "USDC") return ok(undefined);',
  },
];

const OTHERS: readonly PlantedBug[] = [
  {
    name: 'the history skips one record too many',
    file: 'core/domain/queries/transactions.ts',
    from: 'numbers.size - 1 - offset',
    to: 'numbers.size - 1 - (offset > 0 ? offset + 1 : 0)',
  },
  {
    name: 'history shows a failed transfer as completed',
    file: 'core/domain/queries/transactions.ts',
    from: "status: outflow?.status ?? 'pending',",
    to: "status: outflow?.status === 'failed' ? 'completed' : (outflow?.status ?? 'pending'),",
  },
  {
    name: 'the balance is read before a pause and used after it',
    file: 'bank/reservations.ts',
    from: `    if (!place.ok && place.refusal.code !== 'chain_unavailable') return place;
    const env = world.env(cause);
    const decision = decide(env);
`,
    to: `    const env = world.env(cause);
    const decision = decide(env);
    if (!place.ok && place.refusal.code !== 'chain_unavailable') return place;
    for (let turn = 0; turn < 20; turn += 1) await null;
`,
    options: { property: 'races' },
  },
  {
    name: 'a repeat while the first call is under way pays again',
    file: 'bank/idempotency.ts',
    from: 'if (before !== undefined) {',
    to: 'if (false) {',
    options: { property: 'races' },
  },
  {
    name: 'a payment is made again when its process was killed and its call is repeated',
    file: 'bank/idempotency.ts',
    from: 'if (running.requestId === requestId) running.outflow = outflow;',
    to: 'if (running.requestId !== requestId) running.outflow = outflow;',
  },
  {
    name: 'an expired key leaves room for all overlapping calls',
    file: 'bank/idempotency.ts',
    from: 'const lastToGo = order.get(over);',
    to: 'const lastToGo = order.first();',
    options: { limits: { idempotencyKeys: 1 }, property: 'races' },
  },
];

/** Every planted bug, each found on its own. */
export const BUGS: readonly PlantedBug[] = [
  ...LIMITS,
  ...MONEY,
  ...TREASURY,
  ...SIGNATURES,
  ...ACCESS,
  ...X402,
  ...CREDIT,
  ...OTHERS,
  ...CONSEQUENCES,
  ...FORMS,
  ...OPERATIONS,
  ...SURROUNDINGS,
  ...KINDS,
];
