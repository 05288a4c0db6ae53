import type { AgentClient } from '../sdk/client/client.js';
import { type Simulator, createSimulator } from '../simulator/simulator.js';

/** Plays the demo: yields the title of each step, with a line about its result. */
async function* steps(
  sim: Simulator,
  alice: AgentClient,
  bob: AgentClient,
): AsyncGenerator<readonly [title: string, result: string]> {
  const checking = async () => `${(await alice.account()).checking.usdc} USDC in checking`;
  const token = await alice.signIn();
  yield ['Sign in with the wallet', `a token for ${token.wallet}, valid for 24 hours`];
  await sim.faucet(alice.wallet.address, 1_000, 'USDC');
  await sim.faucet(alice.wallet.address, 1, 'SOL');
  yield ['Fund the wallet from the faucet', '1000 USDC and 1 SOL, on chain'];
  const { deposit, verification } = await alice.fund(800, 'USDC');
  yield [
    'Deposit 800 USDC',
    `transaction ${deposit.tx_signature.slice(0, 12)}… in slot ${verification.slot}; ${await checking()}`,
  ];
  const { savings } = await alice.depositSavings({ amount: 600, token: 'USDC' });
  yield ['Save 600 USDC', `savings ${savings.current} USDC`];
  await sim.advance('30d');
  const { yield_earned: earned } = await alice.account();
  yield ['Let a month pass', `${earned.usdc} USDC earned, now ${sim.now().toISOString()}`];
  const { collateral } = await alice.borrow({ amount: 300 });
  yield [
    'Borrow 300 USDC against the savings',
    `owes ${collateral.borrowed} of a limit of ${collateral.limit} USDC`,
  ];
  await sim.advance('10d');
  const { repayment } = await alice.repay({ amount: 1_000 });
  yield [
    'Repay it ten days later',
    `${repayment.principal} USDC and ${repayment.interest} USDC interest, ${repayment.remaining} left`,
  ];
  await bob.signIn();
  const asked = await bob.requestPayment({ amount: 25, description: 'A report' });
  const paid = await alice.pay({
    recipient: asked.payment_request.recipient,
    amount: asked.payment_request.amount,
    token: asked.payment_request.token,
    payment_request: asked.headers['X-Payment-Request'] ?? '',
    memo: 'A report',
  });
  const byBob = await bob.receive({ tx_signature: paid.tx_signature, expected_amount: 25 });
  yield [
    'Pay another agent 25 USDC by x402',
    `receipt ${paid.receipt.payment_id}, signed by the bank; the other agent received ${byBob.amount} USDC`,
  ];
  const { payment_request: request } = await alice.requestPayment({ amount: 10 });
  const { signature } = await sim.faucet(request.pay_to, 10, 'USDC');
  const received = await alice.receive({ tx_signature: signature });
  yield [
    'Receive 10 USDC from an external wallet by x402',
    `${received.amount} ${received.token} from ${received.sender}; ${await checking()}`,
  ];
  await sim.linkIdentity(alice.wallet.address, { x: true, github: true });
  const { creditScore } = await alice.profile();
  const { application } = await alice.applyForLoan({
    amount: 200,
    purpose: 'working_capital',
    duration: 30,
  });
  yield [
    'Apply for a credit line of 200 USD',
    `score ${creditScore.score} (${creditScore.decision}); ${application.id} is ${application.status}`,
  ];
  const { id } = application;
  await sim.reviews.approve(id, 'looks fine');
  const { loan } = await alice.loan(id);
  yield [
    'Approve the application as a reviewer',
    `${loan.status} at ${loan.apr * 100} %, due ${loan.dueDate}; ${await checking()}`,
  ];
  await sim.advance('14d');
  const { payment } = await alice.repayLoan(id, { amount: (await alice.loan(id)).loan.outstanding });
  yield [
    'Repay the credit line after two weeks',
    `paid ${payment.amount}, ${payment.remainingBalance} left; ${(await alice.loan(id)).loan.status}`,
  ];
  const { savings_withdrawal: out } = await alice.withdrawSavings({ amount: 600, token: 'USDC' });
  const { withdrawal } = await alice.withdraw({ amount: 500, token: 'USDC' });
  yield [
    'Move the savings back and withdraw 500 USDC',
    `${out.yield_included} USDC yield included; ${withdrawal.status} in ${withdrawal.tx_signature?.slice(0, 12)}…; ${await checking()}`,
  ];
  const violations = await sim.invariants();
  if (violations.length > 0)
    throw new Error(violations.map(({ rule, text }) => `${rule}: ${text}`).join('\n'));
  yield [
    'Reconcile the books with the chain',
    'every entry sums to zero, and balances on chain match the books',
  ];
}

/** Runs one agent through every feature of the service in a fresh world. */
export async function demo(args: { engine: 'bankrun' | 'litesvm' }): Promise<void> {
  const sim = await createSimulator({ engine: args.engine, time: 'frozen' });
  let number = 0;
  try {
    for await (const [title, result] of steps(sim, sim.agent(0), sim.agent(1)))
      process.stdout.write(`${String((number += 1)).padStart(2)}. ${title}\n    ${result}\n`);
  } finally {
    await sim.close();
  }
}
