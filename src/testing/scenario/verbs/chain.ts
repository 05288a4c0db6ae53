import { z } from 'zod';
import type { Outgoing } from '../../../sdk/client/outgoing.js';
import { KNOWN_USDC } from '../../../sdk/x402/paying/offer.js';
import { type Outcome, done, refusedWith } from '../outcome.js';
import type { Actor } from '../play/actor.js';
import type { ScenarioContext } from '../play/scenario-context.js';
import type { ChainAccess } from '../target.js';
import { agentVerb } from './verb.js';
import { baseUnits } from '../../../core/domain/money.js';

const transfer = z.strictObject({
  to: z
    .string()
    .describe('an address; ${bob} is the wallet of the agent bob, ${treasury} the treasury of the bank'),
  amount: z.number(),
  token: z
    .enum(['USDC', 'SOL', 'other', 'wrapped'])
    .describe('other: USDC of the network that the bank does not use; wrapped: SOL in a token account'),
  of: z.string().optional().describe('owner of the USDC, if the owner has approved the sender as delegate'),
});

type Transfer = z.output<typeof transfer>;

const send = transfer
  .partial()
  .extend({
    transfers: z.array(transfer).min(1).optional().describe('several transfers in one transaction'),
    cosigners: z.array(z.string()).default([]).describe('additional signers'),
    untried: z
      .boolean()
      .default(false)
      .describe('skip preflight: a failed transaction is charged and recorded'),
  })
  .superRefine((given, context) => {
    for (const name of ['to', 'amount', 'token'] as const) {
      const isThere = given[name] !== undefined;
      if (isThere === (given.transfers === undefined)) continue;
      const message = isThere ? 'belongs in transfers; or leave transfers out' : 'is required';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

function outgoingOf({ to, amount, token, of }: Transfer, { usdcMint }: ScenarioContext['facts']): Outgoing {
  if (token === 'SOL' || token === 'wrapped')
    return { kind: token === 'SOL' ? 'sol' : 'wrapped', to, amountBase: baseUnits(amount, 'SOL') };
  const other = KNOWN_USDC.find((mint) => mint !== usdcMint) ?? usdcMint;
  return {
    kind: 'token',
    to,
    amountBase: baseUnits(amount, 'USDC'),
    mint: token === 'other' ? other : usdcMint,
    ...(of === undefined ? {} : { from: of }),
  };
}

/** Sends all transfers in one transaction. A rejection by the chain is an outcome. */
async function transact(
  actor: Actor,
  context: ScenarioContext,
  outgoing: () => readonly Outgoing[],
  { cosigners = [], untried = false }: { cosigners?: readonly string[]; untried?: boolean } = {},
): Promise<Outcome> {
  const chain = context.world.chain as ChainAccess;
  const others = cosigners.map((name) => context.actor(name).wallet);
  try {
    const connection = untried ? chain.withoutPreflight : chain;
    return done({ signature: await actor.wallet.sendAll(connection, outgoing(), others) });
  } catch (error) {
    // The chain's message for a rejected transaction serves as the code.
    const { message } = error as Error;
    return refusedWith(/\w+/.exec(message)?.[0] ?? 'refused', message);
  }
}

export const AGENT_SENDS = {
  send: agentVerb({
    summary: 'Send tokens from the wallet on chain, in one transaction; returns its signature',
    args: send,
    requires: ['chain'],
    run: (actor, given, { context }) => {
      const { transfers = [given as Transfer] } = given;
      return transact(actor, context, () => transfers.map((each) => outgoingOf(each, context.facts)), given);
    },
  }),
  allow: agentVerb({
    summary: "Approve a delegate for an amount of the wallet's USDC on chain; returns the signature",
    args: z.strictObject({ delegate: z.string().describe('delegate'), amount: z.number() }),
    requires: ['chain'],
    run: (actor, { delegate, amount }, { context }) =>
      transact(actor, context, () => [
        { kind: 'approve', delegate, amountBase: baseUnits(amount, 'USDC'), mint: context.facts.usdcMint },
      ]),
  }),
};
