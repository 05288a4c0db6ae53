import { expect, it } from 'vitest';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { TWIN } from '../../../src/testing/fuzz/commands/twins.js';
import { opening } from '../../../src/testing/fuzz/play/opening.js';
import { playSequence } from '../../../src/testing/fuzz/play/sequence.js';
import {
  type Args,
  COMMANDS,
  type FuzzWorld,
  Model,
  ModelRunner,
} from '../../../src/testing/fuzz-library.js';

/** What a broken world remembers of the way it is going. */
interface Way {
  readonly callers: string[];
  advances: number;
  reloads: number;
  /** Whether it has not gone on to another world. */
  readonly isHere: true;
}

/** What a broken world adds to what an agent is shown. */
type Flaw = (way: Way) => unknown;

/** A world that shows something about the way that led to its state. */
function broken(world: FuzzWorld, flaw: Flaw): FuzzWorld {
  let way: Way = { callers: [], advances: 0, reloads: 0, isHere: true };
  const own: Partial<FuzzWorld> = {
    call: async (...[call, mishap]: Parameters<FuzzWorld['call']>) => {
      const answer = await world.call(call, mishap);
      if (call.operation !== 'account') way.callers.push(call.authorization ?? '');
      return answer && { ...answer, body: { ...(answer.body as object), flaw: flaw(way) } };
    },
    advance: (ms: number) => {
      way.advances += 1;
      return world.advance(ms);
    },
    reload: () => {
      way.reloads += 1;
      return world.reload();
    },
    restore: (snapshot: string) => {
      way = { callers: [], advances: 0, reloads: 0, isHere: true };
      return world.restore(snapshot);
    },
  };
  return new Proxy(world, {
    get: (_, name: keyof FuzzWorld) => {
      const member: unknown = own[name] ?? world[name];
      return typeof member === 'function' ? (member.bind(world) as unknown) : member;
    },
  });
}

const save = (by: string, amount: number) => ({
  do: 'savingsDeposit',
  by,
  with: { body: { amount, token: 'USDC' } },
});
const [anns, bens] = [save('ann', 100.000001), save('ben', 7)];

const RULES: readonly (readonly [string, Args, Flaw])[] = [
  ['splitting an amount', { rule: 'split', calls: [anns] }, ({ callers }) => callers.length],
  ['swapping independent calls', { rule: 'swap', calls: [anns, bens] }, ({ callers }) => callers[0]],
  ['waiting in several jumps', { rule: 'wait', calls: [anns] }, ({ advances }) => advances],
  ['repeating under a key', { rule: 'again', calls: [anns] }, ({ callers }) => callers.length],
  ['another order of agents', { rule: 'order', calls: [anns, bens] }, ({ callers }) => callers[0]],
  ['a state file in the middle', { rule: 'reload', calls: [anns, bens] }, ({ reloads }) => reloads],
  ['the other engine', { rule: 'engine', calls: [anns, bens] }, ({ isHere }) => isHere],
];

it.each(RULES)('%s changes nothing, and a world where it does is found', async (_about, given, flaw) => {
  const options = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} } as const;
  const world = await inProcessFuzz.open(options);
  const runner = new ModelRunner(world, new Model(world.modelConfig), 2);
  const commands = new Map(COMMANDS.map((command) => [command.name, command]));
  const play = { runner, options: { commands, rules: [], proofEvery: 32 } };
  expect(await playSequence(opening(runner.names), play)).toBeNull();
  const step = { id: 99, do: 'twin', with: { ...given, share: 300, ms: 86_400_000 } };
  expect(await TWIN.play(step, runner)).toEqual({ outcome: 'ok', deviation: null });
  // The world is as before, so that the model needs not know.
  expect(await playSequence([{ id: 100, do: 'account', by: 'ann', with: {} }], play)).toBeNull();
  Object.assign(runner, { world: broken(world, flaw) });
  expect((await TWIN.play(step, runner)).deviation).toMatch(/ should /);
  await world.close();
});
