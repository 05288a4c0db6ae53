import fc from 'fast-check';
import type { Played, ModelRunner } from '../play/model-runner.js';
import { hasUnderWay } from './actors.js';
import type { Command, Drawn } from './command.js';
import type { EndpointId } from '../../../contract/endpoints.js';
import { type Draw, chance, composed } from '../draw.js';
import type { Call } from '../step.js';
import { KILLED_AT, type KilledAt } from '../world.js';
import { callWithout } from './calls.js';
import { NO_OUTAGE, callOf, keepRepeatable, playCall } from './play-call.js';

const DONE: Played = { outcome: 'ok', deviation: null };
const IDLE: Played = { outcome: 'idle', deviation: null };

/** A reference to a snapshot step, as text: references are renumbered with the steps. */
const SNAPSHOT_REFERENCE = /^\$\{s(\d+)\.snapshot\}$/;

/** Takes a snapshot of the world and its model for `revert`. */
export const SNAPSHOT: Command = {
  name: 'snapshot',
  weight: 1,
  draw: () => fc.constant({ do: 'snapshot', with: {} }),
  play: async ({ id }, runner) => {
    await runner.keepSnapshot(id);
    return DONE;
  },
};

/** Mostly while the bank does not know the outcome of a transfer: then a state file contains the most. */
export const RELOAD: Command = {
  name: 'reload',
  weight: 0.5,
  times: (runner) => (hasUnderWay(runner) ? 6 : 1),
  draw: () => fc.constant({ do: 'reload', with: {} }),
  play: async (_step, { world }) => {
    await world.reload();
    return DONE;
  },
};

/** Reverts the world to a snapshot of this sequence: any later difference survived the revert. */
export const REVERT: Command = {
  name: 'revert',
  weight: 3,
  draw: ({ snapshots }) =>
    snapshots.length === 0
      ? fc.constant(null)
      : fc.constantFrom(...snapshots).map((id) => ({ do: 'revert', with: { to: `\${s${id}.snapshot}` } })),
  play: async ({ with: { to } }, runner) => {
    const [, id] = SNAPSHOT_REFERENCE.exec(to as string) ?? [];
    return (await runner.revertTo(Number(id))) ? DONE : IDLE;
  },
};

/** Operations that move money, on chain or on the books. */
const KILLED: readonly EndpointId[] = [
  'withdraw',
  'withdraw',
  'x402Pay',
  'x402Pay',
  'x402Request',
  'savingsDeposit',
  'collateralBorrow',
  'deposit',
  'loanApply',
];
/** Operations that fail when their process ends before the transfer. */
const SENDS: ReadonlySet<EndpointId> = new Set(['withdraw', 'x402Pay', 'x402Request']);

/** Maximum draws until a call should succeed: a kill takes as long as hundreds of calls, and killing a refused call shows little. */
const MOST_DRAWS = 8;

function drawCall(draw: Draw, runner: ModelRunner): Call | null {
  const operation = draw(fc.constantFrom(...KILLED));
  const call = callWithout(['mishap', 'auth'], operation, { draw, runner });
  if (call === null || !runner.isSignedIn(call.by)) return null;
  const isKeyed = call.with['body'] !== undefined && draw(chance(SENDS.has(operation) ? 80 : 40));
  return isKeyed ? { ...call, with: { ...call.with, key: 'k1' } } : call;
}

function drawKill(draw: Draw, runner: ModelRunner): Drawn | null {
  if (runner.memory.isDrained) return null;
  let call: Call | null = null;
  for (let left = MOST_DRAWS; left > 0; left -= 1) {
    call = drawCall(draw, runner) ?? call;
    if (call === null) continue;
    if (runner.model.copy().expect(callOf(call.do, call, runner), NO_OUTAGE).code === null) break;
  }
  if (call === null) return null;
  // What agents do without a response.
  const again = call.with['key'] !== undefined && draw(chance(75)) ? { again: true } : {};
  // After the transfer, only the chain shows it.
  const at = draw(fc.constantFrom(...([...KILLED_AT, 'after'] as const)));
  return { do: 'kill', with: { call: { ...call }, at, ...again } };
}

/** A call during which the service's process is killed. Its caller never learns the result, or repeats the call. */
export const KILL: Command = {
  name: 'kill',
  weight: 0.2,
  draw: (runner) => composed((draw) => drawKill(draw, runner)),
  play: async ({ id, with: args }, runner) => {
    if (runner.memory.isDrained) return { outcome: 'idle', deviation: null };
    const { call, at, again } = args as unknown as { call: Call; at: KilledAt; again?: true };
    const made = callOf(call.do, call, runner);
    const chainIsOut = at === 'before' && SENDS.has(call.do);
    runner.model.expect(made, { ...NO_OUTAGE, chainIsOut, isKilled: at !== 'answered' }).judge(null);
    await runner.world.kill(made, at);
    if (again) return playCall(call.do, { ...call, id }, runner);
    keepRepeatable(call.do, { ...call, id }, { runner, outcome: 'lost' });
    return { outcome: 'ok', deviation: null };
  },
};
