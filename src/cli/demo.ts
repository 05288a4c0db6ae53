import type { AgentClient } from '../sdk/client/client.js';
import { type Simulator, createSimulator } from '../simulator/simulator.js';

/** A step of the demo: its title, its action and a line about its result. */
interface Step {
  readonly title: string;
  run(): Promise<string>;
}

function steps(sim: Simulator, alice: AgentClient, bob: AgentClient): Step[] {
  let loanId = '';
  const checking = async (agent: AgentClient) => `${(await agent.account()).checking.usdc} USDC in checking`;
  return [
    {
      title: 'Sign in with the wallet',
      run: async () => `a token for ${(await alice.signIn()).wallet}, valid for 24 hours`,
    },
    {
      title: 'Fund the wallet from the faucet',
      run: async () => {
        await sim.faucet(alice.wallet.address, 1_000, 'USDC');
        await sim.faucet(alice.wallet.address, 1, 'SOL');
        return '1000 USDC and 1 SOL, on chain';
      },
    },
    {
      title: 'Deposit 800 USDC',
      run: async () => {
        const { deposit, verification } = await alice.fund(800, 'USDC');
        return `transaction ${deposit.tx_signature.slice(0, 12)}… in slot ${verification.slot}; ${await checking(alice)}`;
      },
    },
    {
      title: 'Save 600 USDC',
      run: async () =>
        `savings ${(await alice.depositSavings({ amount: 600, token: 'USDC' })).savings.current} USDC`,
    },
    {
      title: 'Let a month pass',
      run: async () => {
        await sim.advance('30d');
        return `${(await alice.account()).yield_earned.usdc} USDC earned, now ${sim.now().toISOString()}`;
      },
    },
    {
      title: 'Borrow 300 USDC against the savings',
      run: async () => {
        const { collateral } = await alice.borrow({ amount: 300 });
        return `owes ${collateral.borrowed} of a limit of ${collateral.limit} USDC`;
      },
    },
    {
      title: 'Repay it ten days later',
      run: async () => {
        await sim.advance('10d');
        const { repayment } = await alice.repay({ amount: 1_000 });
        return `${repayment.principal} USDC and ${repayment.interest} USDC interest, ${repayment.remaining} left`;
      },
    },
    {
      title: 'Pay another agent 25 USDC by x402',
      run: async () => {
        await bob.signIn();
        const { payment_request: request, headers } = await bob.requestPayment({
          amount: 25,
          description: 'A report',
        });
        const paid = await alice.pay({
          recipient: request.recipient,
          amount: request.amount,
          token: request.token,
          payment_request: headers['X-Payment-Request'] ?? '',
          memo: 'A report',
        });
        const received = await bob.receive({ tx_signature: paid.tx_signature, expected_amount: 25 });
        return `receipt ${paid.receipt.payment_id}, signed by the bank; the other agent received ${received.amount} USDC`;
      },
    },
    {
      title: 'Receive 10 USDC from an external wallet by x402',
      run: async () => {
        const { payment_request: request } = await alice.requestPayment({ amount: 10 });
        const { signature } = await sim.faucet(request.pay_to, 10, 'USDC');
        const received = await alice.receive({ tx_signature: signature });
        return `${received.amount} ${received.token} from ${received.sender}; ${await checking(alice)}`;
      },
    },
    {
      title: 'Apply for a credit line of 200 USD',
      run: async () => {
        sim.linkIdentity(alice.wallet.address, { x: true, github: true });
        const { creditScore } = await alice.profile();
        const { application } = await alice.applyForLoan({
          amount: 200,
          purpose: 'working_capital',
          duration: 30,
        });
        loanId = application.id;
        return `score ${creditScore.score} (${creditScore.decision}); ${application.id} is ${application.status}`;
      },
    },
    {
      title: 'Approve the application as a reviewer',
      run: async () => {
        sim.reviews.approve(loanId, 'looks fine');
        const { loan } = await alice.loan(loanId);
        return `${loan.status} at ${loan.apr * 100} %, due ${loan.dueDate}; ${await checking(alice)}`;
      },
    },
    {
      title: 'Repay the credit line after two weeks',
      run: async () => {
        await sim.advance('14d');
        const { loan } = await alice.loan(loanId);
        const { payment } = await alice.repayLoan(loanId, { amount: loan.outstanding });
        return `paid ${payment.amount}, ${payment.remainingBalance} left; ${(await alice.loan(loanId)).loan.status}`;
      },
    },
    {
      title: 'Move the savings back and withdraw 500 USDC',
      run: async () => {
        const out = await alice.withdrawSavings({ amount: 600, token: 'USDC' });
        const { withdrawal } = await alice.withdraw({ amount: 500, token: 'USDC' });
        const yielded = out.savings_withdrawal.yield_included;
        return `${yielded} USDC yield included; ${withdrawal.status} in ${withdrawal.tx_signature?.slice(0, 12)}…; ${await checking(alice)}`;
      },
    },
    {
      title: 'Reconcile the books with the chain',
      run: async () => {
        const violations = await sim.invariants();
        if (violations.length > 0)
          throw new Error(violations.map(({ rule, text }) => `${rule}: ${text}`).join('\n'));
        return 'every entry sums to zero, and balances on chain match the books';
      },
    },
  ];
}

/** Runs one agent through every feature of the service in a fresh world. */
export async function demo(args: { engine: 'bankrun' | 'litesvm' }): Promise<void> {
  const sim = await createSimulator({ engine: args.engine, time: 'frozen' });
  try {
    for (const [at, step] of steps(sim, sim.agent(0), sim.agent(1)).entries()) {
      process.stdout.write(`${String(at + 1).padStart(2)}. ${step.title}\n    ${await step.run()}\n`);
    }
  } finally {
    await sim.close();
  }
}
