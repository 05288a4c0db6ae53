import { z } from 'zod';
import { address, amount, command, count, duration, instant } from './command.js';
import { LOAN_STATUSES } from '../../core/domain/state.js';

const text = z.string().max(1_024);
const reason = z.strictObject({ reason: text.optional() });
const policy = z.union([
  z.string(),
  z.strictObject({
    script: z
      .array(
        z.union([z.string(), z.strictObject({ approve: text }), z.strictObject({ deny: text })]),
        'must be a text such as script:approve,deny, or {script: ["approve", {"deny": "reason"}, "manual"], after: "auto"}',
      )
      .min(1),
    after: z.string().optional(),
  }),
]);

/** Credit applications, the review policy, and the state of loans. */
export const REVIEWS = {
  reviews: command({
    method: 'GET',
    path: '/reviews',
    summary: 'Applications for credit that wait for a decision, oldest first',
    run: (world) => ({ reviews: world.reviews.list() }),
  }),
  approve: command({
    method: 'POST',
    path: '/reviews/{id}/approve',
    summary: 'Approve an application',
    body: reason,
    run: (world, { id, body }) => {
      world.reviews.approve(id, body.reason);
      return { loanId: id, decision: 'approved' };
    },
  }),
  deny: command({
    method: 'POST',
    path: '/reviews/{id}/deny',
    summary: 'Deny an application',
    body: reason,
    run: (world, { id, body }) => {
      world.reviews.deny(id, body.reason);
      return { loanId: id, decision: 'denied' };
    },
  }),
  reviewPolicy: command({
    method: 'GET',
    path: '/reviews/policy',
    summary: 'Who decides now; of a script also how many steps it has taken',
    run: (world) => world.reviews.policy(),
  }),
  setReviewPolicy: command({
    method: 'POST',
    path: '/reviews/policy',
    summary: 'Who decides from now on: manual, auto, delay:<duration>, or a script of decisions in order',
    body: z.strictObject({ policy }),
    run: (world, { body }) => {
      world.reviews.setPolicy(body.policy);
      return world.reviews.policy();
    },
  }),
  loans: command({
    method: 'GET',
    path: '/loans',
    summary: 'Loans and applications with what is owed on them, newest first',
    query: z.strictObject({
      wallet: address.optional(),
      status: z.enum(LOAN_STATUSES).optional(),
      limit: count(1, 1_000).optional().describe('100 when left out'),
      offset: count(0, 1e9).optional(),
    }),
    run: (world, { query }) => world.reviews.loans(query),
  }),
  overdueLoan: command({
    method: 'POST',
    path: '/loans/{id}/overdue',
    summary: 'Make an active loan due and overdue now',
    body: reason,
    run: (world, { id, body }) => world.reviews.setOverdue(id, body.reason),
  }),
  defaultLoan: command({
    method: 'POST',
    path: '/loans/{id}/default',
    summary: 'Make an active or overdue loan defaulted now',
    body: reason,
    run: (world, { id, body }) => world.reviews.default(id, body.reason),
  }),
  cureLoan: command({
    method: 'POST',
    path: '/loans/{id}/cure',
    summary: 'Let an overdue or defaulted loan go on with another due date',
    body: z.strictObject({
      dueDate: instant.optional().describe("the loan's own duration from now when left out"),
      dueIn: duration.optional(),
      forgive: z.boolean().optional().describe("whether the miss leaves the agent's record too"),
      reason: text.optional(),
    }),
    run: (world, { id, body }) => world.reviews.cure(id, body),
  }),
  payLoan: command({
    method: 'POST',
    path: '/loans/{id}/pay',
    summary:
      'Pay on a loan from outside: USDC from the faucet to the treasury, counted as paid by the borrower',
    isGated: true,
    body: z.strictObject({ amount }),
    run: (world, { id, body, cause }) => world.reviews.pay(id, body.amount, cause),
  }),
  linkIdentity: command({
    method: 'POST',
    path: '/identities',
    summary: "Say which of an operator's accounts are linked to a wallet",
    body: z.strictObject({ wallet: address, x: z.boolean(), github: z.boolean() }),
    run: (world, { body: { wallet, ...links } }) => {
      world.linkIdentity(wallet, links);
      return { wallet, ...links };
    },
  }),
};
