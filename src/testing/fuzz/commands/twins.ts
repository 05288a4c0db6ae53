import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import { RENT_MINIMUM } from '../model/amounts.js';
import type { Answer } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import { type Draw, composed } from '../draw.js';
import type { Call, Json } from '../step.js';
import { callWithout } from './calls.js';
import type { Command, Drawn } from './command.js';
import { callOf } from './play-call.js';

/**
 * Two executions that must have the same result, without a model: with and without a state file in between, or on both engines. Each starts
 * from the same snapshot, which is restored afterwards. Compares the responses, then what every agent can read.
 */
type RuleName = 'reload' | 'engine';

const OPERATIONS: readonly EndpointId[] = [
  'savingsDeposit',
  'savingsWithdraw',
  'collateralBorrow',
  'collateralRepay',
  'withdraw',
  'x402Pay',
  'loanApply',
  'loanRepay',
  'deposit',
];
const CALLS = 2;

/** The repeat of a call: with the caller's own wallet and token, without faults. */
function ownCall(draw: Draw, runner: ModelRunner): Call | null {
  const operation = draw(fc.constantFrom(...OPERATIONS));
  const call = callWithout(['mishap', 'auth', 'key', 'spelling'], operation, { draw, runner });
  if (call === null || !runner.isSignedIn(call.by)) return null;
  if (operation !== 'withdraw' || !isObject(call.with['body'])) return call;
  const { destination: _destination, ...body } = call.with['body'] as Record<string, Json>;
  return { ...call, with: { ...call.with, body } };
}

function drawTwin(draw: Draw, runner: ModelRunner): Drawn | null {
  if (runner.memory.isDrained) return null;
  const calls = Array.from({ length: CALLS }, () => ownCall(draw, runner)).filter((call) => call !== null);
  if (calls.length < CALLS) return null;
  const rule = draw(fc.constantFrom('reload', 'engine'));
  return { do: 'twin', with: { rule, calls: calls as unknown as Json } };
}

interface Way {
  readonly responses: readonly (Answer | null)[];
  /** What each agent can read at the end. */
  readonly shown: readonly string[];
}

async function go(calls: readonly Call[], runner: ModelRunner, other: RuleName | null): Promise<Way> {
  const { names } = runner;
  const world = other === 'engine' ? await runner.world.onOtherEngine() : runner.world;
  const responses: (Answer | null)[] = [];
  for (const [at, call] of calls.entries()) {
    if (other === 'reload' && at > 0) await world.reload();
    responses.push(await world.call(callOf(call.do, call, runner), null));
  }
  const shown: string[] = [];
  for (const by of names)
    for (const operation of ['account', 'loans'] as const) {
      const response = await world.call(callOf(operation, { by, with: {} }, runner), null);
      if (response?.status === 200) shown.push(`${by}.${operation} ${JSON.stringify(response.body)}`);
    }
  return { responses, shown };
}

function bodyText(response: Answer | null): string {
  return response?.status === 200
    ? JSON.stringify(response.body)
    : String((response?.body as { code?: unknown } | null)?.code);
}

/** How two executions differ although they must not; null if they match. */
function differenceOf(rule: RuleName, one: Way, other: Way): string | null {
  const [mine, others] = [one, other].map(({ responses }) => responses.map(bodyText).join());
  if (mine !== others) return `${rule}: responses should be equal, but ${mine} became ${others}`;
  const at = one.shown.findIndex((text, place) => text !== other.shown[place]);
  if (at < 0) return null;
  return `${rule}: both executions should end equally, but ${one.shown[at]} became ${other.shown[at]}`;
}

/** Whether an account holds less than the rent minimum: the engines' Solana versions differ in which credits they then accept. */
function hasAddressBelowRent(runner: ModelRunner): boolean {
  const { world, names, strangers } = runner;
  const wallets = names.map((name) => runner.address(name));
  return [...wallets, ...wallets.map((wallet) => world.modelConfig.collectionOf(wallet)), ...strangers].some(
    (address) => {
      const { SOL } = world.holdings(address);
      return SOL > 0n && SOL < RENT_MINIMUM;
    },
  );
}

export const TWIN: Command = {
  name: 'twin',
  weight: 0.4,
  draw: (runner) => composed((draw) => drawTwin(draw, runner)),
  play: async ({ with: args }, runner) => {
    const { rule, calls } = args as unknown as { rule: RuleName; calls: readonly Call[] };
    if (runner.memory.isDrained || (rule === 'engine' && hasAddressBelowRent(runner)))
      return { outcome: 'idle', deviation: null };
    const { world } = runner;
    const before = await world.snapshot();
    const one = await go(calls, runner, null);
    await world.restore(before);
    const other = await go(calls, runner, rule);
    await world.restore(before);
    world.deleteSnapshot(before);
    return { outcome: 'ok', deviation: differenceOf(rule, one, other) };
  },
};
