import { z } from 'zod';
import { address, amount, duration, get, post } from './command.js';
import { instant, loanQuery } from '../../runtime/inspection/queries.js';

const text = z.string().max(1_024);
const reason = text.optional().describe('recorded in the journal');
const decide = (verb: 'approve' | 'deny', summary: string, decision: 'approved' | 'denied') =>
  post(`/reviews/{id}/${verb}`, {
    summary,
    body: z.strictObject({ reason: text.optional().describe('recorded with the decision') }),
    run: async (world, { id, body, cause }) => {
      await world.reviews[verb](id, body.reason, cause);
      return { loanId: id, decision };
    },
  });

/** Commands about credit applications, the review policy, and loans. */
export const REVIEWS = {
  reviews: get('/reviews', {
    summary: 'List pending credit applications, oldest first',
    run: (world) => ({ reviews: world.reviews.list() }),
  }),
  approve: decide('approve', 'Approve an application', 'approved'),
  deny: decide('deny', 'Deny an application', 'denied'),
  reviewPolicy: get('/reviews/policy', {
    summary: 'Show the review policy',
    run: (world) => world.reviews.policy(),
  }),
  setReviewPolicy: post('/reviews/policy', {
    summary: 'Set the review policy',
    body: z.strictObject({ policy: z.string().describe('manual, auto or delay:2h') }),
    run: (world, { body }) => {
      world.reviews.setPolicy(body.policy);
      return world.reviews.policy();
    },
  }),
  loans: get('/loans', {
    summary: 'List loans and applications with their outstanding amounts, newest first',
    query: loanQuery,
    run: (world, { query }) => world.reviews.loans(query),
  }),
  overdueLoan: post('/loans/{id}/overdue', {
    summary: 'Make an active loan overdue now',
    body: z.strictObject({ reason }),
    run: (world, { id, body, cause }) => world.reviews.setOverdue(id, body.reason, cause),
  }),
  defaultLoan: post('/loans/{id}/default', {
    summary: 'Make an active or overdue loan default now',
    body: z.strictObject({ reason }),
    run: (world, { id, body, cause }) => world.reviews.default(id, body.reason, cause),
  }),
  cureLoan: post('/loans/{id}/cure', {
    summary: 'Reactivate an overdue or defaulted loan with a new due date',
    body: z.strictObject({
      dueDate: instant.optional().describe('the new due date, ISO 8601'),
      dueIn: duration.optional().describe("or a duration from now (default: the loan's duration)"),
      forgive: z.boolean().optional().describe("also remove the missed payment from the agent's record"),
      reason,
    }),
    run: (world, { id, body, cause }) => world.reviews.cure(id, body, cause),
  }),
  payLoan: post('/loans/{id}/pay', {
    summary:
      "Repay a loan on the borrower's behalf: USDC from the faucet to the treasury, credited to the borrower",
    isGated: true,
    body: z.strictObject({ amount }),
    run: (world, { id, body, cause }) => world.reviews.pay(id, body.amount, cause),
  }),
  linkIdentity: post('/identities', {
    summary: 'Set the operator accounts linked to a wallet',
    body: z.strictObject({ wallet: address, x: z.boolean(), github: z.boolean() }),
    run: async (world, { body: { wallet, ...links }, cause }) => {
      await world.linkIdentity(wallet, links, cause);
      return { wallet, ...links };
    },
  }),
};
