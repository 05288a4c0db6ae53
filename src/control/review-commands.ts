import { z } from 'zod';
import { address, command } from './command.js';

const reason = z.strictObject({ reason: z.string().max(1_024).optional() });

/** The review desk: applications for credit, who decides them, and what becomes of loans. */
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
  setReviewPolicy: command({
    method: 'POST',
    path: '/reviews/policy',
    summary: 'Who decides from now on: manual, auto or delay:<duration>',
    body: z.strictObject({ policy: z.string() }),
    run: (world, { body }) => {
      world.reviews.setPolicy(body.policy);
      return { policy: body.policy };
    },
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
