import { expect, it } from 'vitest';
import { TWIN } from '../../../src/testing/fuzz/commands/twins.js';
import { opening } from '../../../src/testing/fuzz/play/replay.js';
import type { Args, FuzzWorld, Json } from '../../../src/testing/fuzz-library.js';
import { withMethods } from './lying.js';
import { ann, by, numbered, opened } from './steps.js';

/** What a broken world adds to what an agent is shown, after it was read from so many files. */
type Flaw = (way: { reloads: number; isHere: true }) => unknown;

/** A world that shows something about the way that led to its state. */
function broken(world: FuzzWorld, flaw: Flaw): FuzzWorld {
  // The world of the other engine is another.
  const way = { reloads: 0, isHere: true as const };
  return withMethods(world, {
    call: async (call, mishap) => {
      const answer = await world.call(call, mishap);
      return answer && { ...answer, body: { ...(answer.body as object), flaw: flaw(way) } };
    },
    reload: () => {
      way.reloads += 1;
      return world.reload();
    },
    restore: (snapshot) => {
      way.reloads = 0;
      return world.restore(snapshot);
    },
  });
}

const save = (agent: string, amount: number) =>
  by(agent, 'savingsDeposit', { body: { amount, token: 'USDC' } });
const [anns, bens] = [save('ann', 100.000001), save('ben', 7)] as unknown as [Json, Json];

const RULES: readonly (readonly [string, Args, Flaw])[] = [
  ['a state file in the middle', { rule: 'reload', calls: [anns, bens] }, ({ reloads }) => reloads],
  ['the other engine', { rule: 'engine', calls: [anns, bens] }, ({ isHere }) => isHere],
];

it.each(RULES)('%s changes nothing, and a world where it does is found', async (_about, given, flaw) => {
  const { runner, play } = await opened();
  const { world } = runner;
  expect(await play(opening(runner.names))).toBeNull();
  const step = { id: 99, do: 'twin', with: given };
  expect(await TWIN.play(step, runner)).toEqual({ outcome: 'ok', deviation: null });
  // The world is as before, so that the model needs not know.
  expect(await play(numbered([ann('account')], 99))).toBeNull();
  Object.assign(runner, { world: broken(world, flaw) });
  expect((await TWIN.play(step, runner)).deviation).toMatch(/ should /);
  await world.close();
});
