import type { Simulator } from '../../src/simulator/simulator.js';

/** The texts of a town that callers choose freely. */
export interface Texts {
  readonly memo: string;
  readonly service: string;
  readonly description: string;
  readonly fault: string;
  readonly reason: string;
}

const PLAIN: Texts = {
  memo: 'weather report for Tuesday',
  service: 'https://weather.example/report',
  description: 'One report',
  fault: 'The bank is closed for maintenance.',
  reason: 'known agent',
};

/** What a town consists of that tests refer to. */
export interface Town {
  readonly payer: string;
  readonly shop: string;
  /** Waits for review. */
  readonly loan: string;
  readonly refused: string;
  /** The entry of a payment. */
  readonly paid: number;
  /** The call that made it, and its transaction. */
  readonly payment: string;
  readonly signature: string;
  readonly snapshot: string;
}

/** Fills a world: deposits, savings, debts, payments, a refusal, an application that waits, a loan, faults, a snapshot. */
export async function buildTown(sim: Simulator, texts: Texts = PLAIN): Promise<Town> {
  const [ann, bea, shop] = [sim.agent(0), sim.agent(1), sim.agent(2)];
  for (const agent of [ann, bea, shop]) await agent.fund(500, 'USDC');
  await ann.fund(2, 'SOL');
  await ann.depositSavings({ amount: 300, token: 'USDC' });
  await ann.borrow({ amount: 50 });
  await ann.pay({
    recipient: shop.wallet.address,
    amount: 1.5,
    token: 'USDC',
    memo: texts.memo,
    service_url: texts.service,
  });
  await shop.requestPayment({ amount: 2, token: 'USDC', description: texts.description });
  const lent = await ann.applyForLoan({ amount: 150, purpose: 'task' });
  await sim.advance('20d');
  await sim.reviews.approve(lent.application.id, texts.reason);
  const { application } = await bea.applyForLoan({ amount: 120, purpose: 'trading' });
  const { address: made } = await sim.createFundedWallet({ SOL: 1, USDC: 20 });
  await sim.faucet(made, 5, 'USDC');
  sim.faults.add({
    endpoint: 'collateralBorrow',
    effect: 'replace-response',
    code: 'oops',
    message: texts.fault,
    when: { nth: 1 },
  });
  sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { probability: 0.1 } });
  await bea.borrow({ amount: 10 }).catch(() => null);
  const refusal = (await sim.fetch('/api/v1/agent/account/withdraw', {
    method: 'POST',
    body: JSON.stringify({ amount: 10_000, token: 'USDC' }),
    headers: { authorization: `Bearer ${(await bea.signIn()).token}` },
  })) satisfies Response;
  const snapshot = await sim.snapshot();
  return {
    payer: ann.wallet.address,
    shop: shop.wallet.address,
    loan: application.id,
    refused: refusal.headers.get('x-request-id') ?? '',
    ...paymentOf(sim),
    paid: sim.books.page({ kind: 'outflow.pending', order: 'oldest' }).entries[0]?.entry ?? 0,
    snapshot,
  };
}

function paymentOf(sim: Simulator): Pick<Town, 'payment' | 'signature'> {
  const { events } = sim.events.page({ after: 0, limit: 1_000 });
  const payment = events.find(({ body }) => body.kind === 'request' && body.operation === 'x402Pay');
  const own = sim.events.ofRequest(payment?.requestId ?? '');
  const [signature = ''] = own.flatMap(({ body }) =>
    body.kind === 'transaction' ? [body.record.signature] : [],
  );
  return { payment: payment?.requestId ?? '', signature };
}

/** The addresses of all views of a town. */
export function viewsOf({ payer, loan, refused, paid, payment, signature }: Town): string[] {
  return [
    '',
    'agents',
    `agents/${payer}`,
    'loans',
    `loans/${loan}`,
    'journal',
    `journal/${paid}`,
    'timeline',
    `requests/${refused}`,
    `requests/${payment}`,
    'x402',
    `x402/${paid}`,
    'transactions',
    `transactions/${signature}`,
    `accounts/${payer}`,
    'faults',
    'worlds',
    'compare',
    'no-such-view',
  ];
}
