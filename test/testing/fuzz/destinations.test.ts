import { expect, it } from 'vitest';
import { replay } from '../../../src/testing/fuzz-library.js';
import { failureByHand } from './by-hand.js';

const PLACES = ['${ann.tokens}', '${cem.tokens}', '${cem.collection}', '${treasury.tokens}', '${mint}'];

it.each(['before', 'after'])('the model knows token accounts %s their owner is a customer', async (when) => {
  const pay = ['USDC', 'SOL'].flatMap((token) =>
    PLACES.flatMap((place) => [
      { do: 'x402Pay', by: 'ann', with: { body: { recipient: place, amount: 1, token } } },
      { do: 'withdraw', by: 'ann', with: { body: { destination: place, amount: 1, token } } },
    ]),
  );
  const cem = { do: 'signIn', by: 'cem', with: {} };
  const steps = [{ do: 'signIn', by: 'ann', with: {} }, ...(when === 'after' ? [cem] : []), ...pay];
  const file = { ...failureByHand(steps.map((step, at) => ({ ...step, id: at + 1 }))), agents: 3 };
  expect(await replay(file)).toEqual({ verdict: 'FIXED', failure: null });
});
