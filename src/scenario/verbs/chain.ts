import { z } from 'zod';
import { done, refusedWith } from '../outcome.js';
import { agentVerb } from './verb.js';

const send = z.strictObject({
  to: z.string().describe('an address; ${bob} is that of the agent bob, ${treasury} the bank’s'),
  amount: z.number(),
  token: z.enum(['USDC', 'SOL']),
  untried: z.boolean().default(false).describe('without a trial run: one that fails is charged and kept'),
});

/** What an agent does on chain, past the bank. */
export const AGENT_SENDS = {
  send: agentVerb({
    summary: 'Send tokens from the wallet on chain; gives the signature',
    args: send,
    needs: ['chain'],
    run: async (actor, { untried, ...transfer }, { stage }) => {
      const { chain } = stage.world;
      if (chain === null) throw new Error('there is no chain to send on');
      try {
        const { usdcMint } = stage.facts;
        return done({
          signature: await actor.wallet.send(untried ? chain.untried : chain, { ...transfer, usdcMint }),
        });
      } catch (error) {
        // The chain's own words for why it takes no transaction are its code.
        const { message } = error as Error;
        return refusedWith(/\w+/.exec(message)?.[0] ?? 'refused', message);
      }
    },
  }),
};
