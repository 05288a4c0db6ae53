import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import { amountOf, unitsOf } from '../amounts.js';
import { RENT_MINIMUM } from '../model/amounts.js';
import type { Answer, ModelToken } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { FuzzWorld } from '../world.js';
import type { Random } from '../random.js';
import type { Args, Json } from '../step.js';
import { drawOperation } from './calls.js';
import type { Command, Drawn } from './command.js';
import { callOf } from './play-call.js';

/**
 * Rules that need no model: two ways that must end in the same place. Each is played from the same snapshot, which is restored afterwards.
 * The answers of both are compared as far as the rule says, then what every agent is shown.
 */
type RuleName = 'split' | 'swap' | 'order' | 'wait' | 'again' | 'reload' | 'engine';

interface Call {
  readonly do: EndpointId;
  readonly by: string;
  readonly with: Args;
}

interface Twin {
  readonly rule: RuleName;
  readonly calls: readonly Call[];
  /** Of the amount in the first part, or of the time until the first stop: thousandths. */
  readonly share: number;
  readonly ms: number;
}

/** Something done to the world; `engine`: from here on, it is the one of the other engine with the same state. */
type Act = Call | { readonly ms: number } | 'reload' | 'engine';

/** Operations whose effect depends on their whole amount only, and on nobody but their caller. */
const OWN: readonly EndpointId[] = ['savingsDeposit', 'collateralBorrow', 'collateralRepay', 'withdraw'];
const DAY = 86_400_000;
const WAITS = [60_000, 3_600_000, DAY, 30 * DAY + 1_000, 365 * DAY];

/** A call as a repeat of it would be: of the caller's own wallet and token, without faults. */
function ownCall(random: Random, runner: ModelRunner, operations: readonly EndpointId[]): Call | null {
  const operation = random.pick(operations);
  const drawn = drawOperation(operation)(random, runner);
  if (drawn?.by === undefined || !runner.isSignedIn(drawn.by)) return null;
  const { mishap: _mishap, auth: _auth, key: _key, spelling: _spelling, ...calm } = drawn.with;
  if (operation !== 'withdraw' || !isObject(calm['body'])) return { do: operation, by: drawn.by, with: calm };
  const { destination: _destination, ...body } = calm['body'] as Record<string, Json>;
  return { do: operation, by: drawn.by, with: { ...calm, body } };
}

const RULES: readonly RuleName[] = ['split', 'swap', 'order', 'wait', 'again', 'reload', 'engine'];
/** Rules about calls that do not depend on each other. */
const INDEPENDENT: ReadonlySet<RuleName> = new Set(['split', 'swap', 'order']);
const IN_PAIRS: ReadonlySet<RuleName> = new Set(['swap', 'reload', 'engine']);
const REPEATED: readonly EndpointId[] = [
  ...OWN,
  'savingsWithdraw',
  'x402Pay',
  'loanApply',
  'loanRepay',
  'deposit',
];

function oneOfEach(calls: readonly Call[]): readonly Call[] {
  return calls.filter(({ by }, at) => calls.findIndex((call) => call.by === by) === at);
}

function drawTwin(random: Random, runner: ModelRunner): Drawn | null {
  if (runner.memory.isDrained) return null;
  const rule = random.pick(RULES);
  const operations = INDEPENDENT.has(rule) ? OWN : REPEATED;
  const count = rule === 'order' ? runner.names.length : IN_PAIRS.has(rule) ? 2 : 1;
  const drawn = Array.from({ length: count }, () => ownCall(random, runner, operations));
  const all = drawn.filter((call) => call !== null);
  const calls = rule === 'order' ? oneOfEach(all) : all;
  if (calls.length < Math.min(count, 2) || (rule === 'swap' && calls[0]?.by === calls[1]?.by)) return null;
  const share = 1 + random.below(999);
  return { do: 'twin', with: { rule, calls: calls as unknown as Json, share, ms: random.pick(WAITS) } };
}

/** The call in two parts; null when its amount has none. */
function splitCall(call: Call, share: number): readonly Call[] | null {
  const { body } = call.with;
  if (!isObject(body) || typeof body['amount'] !== 'number' || !(body['amount'] > 0) || body['amount'] > 1e12)
    return null;
  const token: ModelToken = body['token'] === 'SOL' ? 'SOL' : 'USDC';
  const units = unitsOf(body['amount'], token);
  const first = (units * BigInt(share)) / 1_000n;
  // Noise of a float is another matter.
  if (first <= 0n || first >= units || amountOf(units, token) !== body['amount']) return null;
  const part = (of: bigint): Call => ({
    ...call,
    with: { ...call.with, body: { ...(body as Record<string, Json>), amount: amountOf(of, token) } },
  });
  return [part(first), part(units - first)];
}

/** The two ways; null when the rule says nothing here. */
function waysOf({ rule, calls, share, ms }: Twin): readonly [readonly Act[], readonly Act[]] | null {
  const [one, two] = calls;
  if (one === undefined) return null;
  switch (rule) {
    case 'split': {
      const parts = splitCall(one, share);
      return parts && [[one], parts];
    }
    case 'swap':
      return two === undefined || one.by === two.by
        ? null
        : [
            [one, two],
            [two, one],
          ];
    case 'order':
      return new Set(calls.map(({ by }) => by)).size < calls.length ? null : [calls, calls.toReversed()];
    case 'wait': {
      const first = Math.floor((ms * share) / 1_000);
      return [
        [one, { ms }],
        [one, { ms: first }, { ms: ms - first }],
      ];
    }
    case 'again': {
      const keyed = { ...one, with: { ...one.with, key: 'twin' } };
      return [[keyed], [keyed, keyed]];
    }
    case 'reload':
      return two === undefined
        ? null
        : [
            [one, two],
            [one, 'reload', two],
          ];
    case 'engine':
      return [calls, ['engine', ...calls]];
  }
}

interface Way {
  readonly answers: readonly (Answer | null)[];
  /** What each agent is shown at the end. */
  readonly shown: readonly string[];
}

const OPEN = { authorization: null, params: {}, query: {}, key: null } as const;

/** A new token of an agent: its own may have expired on the way. */
async function signedIn(by: string, runner: ModelRunner, world: FuzzWorld): Promise<string | null> {
  const wallet = runner.wallet(by);
  const { address } = wallet;
  const asked = await world.call({ ...OPEN, operation: 'challenge', body: { wallet: address } }, null);
  const { challenge: message = '' } = (asked?.body ?? {}) as { challenge?: string };
  const body = { wallet: address, message, signature: wallet.signText(message) };
  const answer = await world.call({ ...OPEN, operation: 'verify', body }, null);
  const { token } = (answer?.body ?? {}) as { token?: string };
  return token === undefined ? null : `Bearer ${token}`;
}

async function go(acts: readonly Act[], runner: ModelRunner): Promise<Way> {
  const { names } = runner;
  let { world } = runner;
  const answers: (Answer | null)[] = [];
  for (const act of acts) {
    if (act === 'reload') await world.reload();
    else if (act === 'engine') world = await world.onOtherEngine();
    else if ('ms' in act) await world.advance(act.ms);
    else answers.push(await world.call(callOf(act.do, act, runner), null));
  }
  const shown: string[] = [];
  const isLong = acts.some((act) => typeof act === 'object' && 'ms' in act);
  for (const by of names)
    for (const operation of ['account', 'loans'] as const) {
      const call = callOf(operation, { by, with: {} }, runner);
      const answer = await world.call(
        isLong ? { ...call, authorization: await signedIn(by, runner, world) } : call,
        null,
      );
      if (answer?.status === 200) shown.push(`${by}.${operation} ${JSON.stringify(answer.body)}`);
    }
  return { answers, shown };
}

function isDone(answer: Answer | null | undefined): boolean {
  return answer?.status === 200;
}

function bodyText(answer: Answer | null | undefined): string {
  return isDone(answer)
    ? JSON.stringify(answer?.body)
    : String((answer?.body as { code?: unknown } | null)?.code);
}

/** How two ways differ that should not; null if they do not. */
function differenceOf(rule: RuleName, one: Way, other: Way): string | null {
  // Parts of what is refused may be done, and rounding may refuse parts of what is done.
  if (rule === 'split' && ![...one.answers, ...other.answers].every(isDone)) return null;
  const [first, ...more] = one.answers.map(bodyText);
  const others = other.answers.map(bodyText);
  if (rule === 'again' && isDone(one.answers[0]) && others.some((text) => text !== first))
    return `${rule}: an answer under a key should be repeated, but ${first} became ${others.join(' and ')}`;
  if ((rule === 'reload' || rule === 'engine') && [first, ...more].join() !== others.join())
    return `${rule}: answers should be the same, but ${[first, ...more].join()} became ${others.join()}`;
  const at = one.shown.findIndex((text, place) => text !== other.shown[place]);
  return at < 0
    ? null
    : `${rule}: both ways should end alike, but ${one.shown[at]} became ${other.shown[at]}`;
}

/** Whether somebody holds less than the rent minimum: what may be added to it differs between the versions of Solana in the engines. */
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

/** Two ways that must end alike. */
export const TWIN: Command = {
  name: 'twin',
  weight: 0.4,
  draw: drawTwin,
  play: async ({ with: args }, runner) => {
    const twin = args as unknown as Twin;
    const isLeftOut = runner.memory.isDrained || (twin.rule === 'engine' && hasAddressBelowRent(runner));
    const ways = isLeftOut ? null : waysOf(twin);
    if (ways === null) return { outcome: 'idle', deviation: null };
    const { world } = runner;
    const before = await world.snapshot();
    const one = await go(ways[0], runner);
    await world.restore(before);
    const other = await go(ways[1], runner);
    await world.restore(before);
    world.deleteSnapshot(before);
    return { outcome: 'ok', deviation: differenceOf(twin.rule, one, other) };
  },
};
