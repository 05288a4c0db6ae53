import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { isObject } from '../../../core/json.js';
import type { Random } from '../random.js';
import { type ModelToken, SPELLINGS } from '../model/types.js';
import type { KnownTransaction } from '../play/memory.js';
import type { ModelRunner } from '../play/model-runner.js';
import { type Member, membersOf, valueOf, wrongType } from '../shapes.js';
import type { Args, Json } from '../step.js';
import type { Mishap } from '../world.js';
import { type Aim, LEFT_OUT, aimedValue, requested } from './aims.js';
import { actorFor, freshFor, hasLoan, isOpen, isOpenLoan, isPending } from './actors.js';
import type { Command, Drawn } from './command.js';
import { atEdge } from './edges.js';
import { playCall } from './play-call.js';
import { isLastOfDay } from './surroundings.js';

/** Relative frequency of each operation. */
const WEIGHTS: Readonly<Record<EndpointId, number>> = {
  challenge: 1,
  verify: 1,
  profile: 2,
  eligibility: 2,
  account: 6,
  deposit: 10,
  withdraw: 10,
  transactions: 4,
  savingsDeposit: 8,
  savingsWithdraw: 8,
  yieldRates: 1,
  collateralBorrow: 8,
  collateralRepay: 7,
  x402Pay: 10,
  x402Receive: 7,
  x402Request: 3,
  loans: 2,
  loanApply: 6,
  loan: 2,
  loanRepay: 8,
  onboard: 1,
};

/** Values of the Idempotency-Key header, including one that is too long. */
const KEYS = ['', 'k1', 'k2', 'k3', 'key of ann', 'ü'.normalize(), 'k'.repeat(255), 'k'.repeat(256)];

interface With {
  readonly random: Random;
  readonly runner: ModelRunner;
}

interface Form {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly body: readonly Member[];
  readonly query: readonly Member[];
}

function formOf(id: EndpointId, endpoint: Endpoint): Form {
  return { id, endpoint, body: membersOf(endpoint.body), query: membersOf(endpoint.query) };
}

/** Operations that send money from the treasury. */
const SENDS: ReadonlySet<EndpointId> = new Set(['withdraw', 'x402Pay']);

function aimOf(
  operation: EndpointId,
  by: string,
  { random, runner }: { random: Random; runner: ModelRunner },
): Aim {
  const { transactions, loans, drained } = runner.memory;
  const accountState = runner.accountState(by);
  const mine = loans.filter(({ of }) => of === by);
  const open = mine.filter(({ reference }) => isOpenLoan(accountState, runner.resolve(reference)));
  const own = open.length > 0 && random.chance(80) ? open : mine;
  const wanted = own.length > 0 && random.chance(90) ? own : loans;
  const loan = wanted.length > 0 ? random.pick(wanted).reference : null;
  const transaction = transactions.length > 0 ? pickTransaction(operation, by, { random, runner }) : null;
  const moved = transaction?.transfers.find(({ token }) => token === 'USDC' || token === 'SOL')?.token;
  const usual =
    moved !== undefined && random.chance(90) ? (moved as ModelToken) : random.chance(75) ? 'USDC' : 'SOL';
  // What the treasury is short of has to come from elsewhere first.
  const token =
    drained.size > 0 && SENDS.has(operation) && random.chance(60) ? random.pick([...drained]) : usual;
  const id = loan === null ? null : runner.resolve(loan);
  const known = accountState.loans.find((each) => each.id !== null && each.id === id);
  return {
    operation,
    by,
    token,
    accountState,
    transaction,
    loan: loan === null ? null : { reference: loan, outstandingBase: known?.outstandingBase ?? 0n },
  };
}

/** Mostly a transaction that this call could be about and that is not recorded yet; sometimes any. */
function pickTransaction(
  operation: EndpointId,
  by: string,
  { random, runner }: { random: Random; runner: ModelRunner },
): KnownTransaction | null {
  if (operation === 'loanRepay' && random.chance(30)) return null;
  const fresh = freshFor(operation, by, runner);
  if (fresh.length > 0 && random.chance(75)) return random.pick(fresh);
  const own = runner.memory.transactions.filter((each) => each.by === by);
  return own.length > 0 && random.chance(70) ? random.pick(own) : random.pick(runner.memory.transactions);
}

/** Numbers in a query: of some, the service decides whether they are numbers. */
const NUMBERS: readonly ((text: string) => string)[] = [
  (text) => Number(text).toExponential(),
  (text) => `${text}e+00`,
  (text) => `${Number(text) / 10}E1`,
  (text) => `${text}.0`,
  (text) => `0${text}`,
  (text) => `+${text}`,
  (text) => `${text}.`,
  (text) => ` ${text}`,
  (text) => `0x${text}`,
  (text) => `${text},5`,
  () => '',
  () => 'NaN',
];

function asQuery(value: Json, random: Random): string {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return typeof value === 'number' && random.chance(12) ? random.pick(NUMBERS)(text) : text;
}

function drawMembers(
  members: readonly Member[],
  aim: Aim,
  { random, runner }: { random: Random; runner: ModelRunner },
): Record<string, Json> {
  const drawn: Record<string, Json> = {};
  for (const member of members) {
    if (!member.isRequired && random.chance(55)) continue;
    const value = aimedValue(member, aim, { random, runner }) ?? random.draw(valueOf(member.shape));
    if (value !== LEFT_OUT) drawn[member.name] = value;
  }
  return drawn;
}

/** Now and then a member that may be missing is null instead. */
function withNulls(
  body: Record<string, Json>,
  members: readonly Member[],
  random: Random,
): Record<string, Json> {
  const missing = members.filter(({ name, isRequired }) => !isRequired && !Object.hasOwn(body, name));
  if (missing.length === 0 || !random.chance(5)) return body;
  return { ...body, [random.pick(missing).name]: null };
}

/** Damages a body: a member is missing, of another type, or superfluous. */
function spoiled(body: Record<string, Json>, random: Random): Json {
  const names = Object.keys(body);
  const how = random.below(5);
  if (how === 0) return random.draw(wrongType);
  if (how === 1) return { ...body, unheard_of: 'x' };
  if (names.length === 0) return body;
  const name = random.pick(names);
  if (how === 2) return { ...body, [name]: random.draw(wrongType) };
  return Object.fromEntries(Object.entries(body).filter(([each]) => each !== name));
}

/** Spellings of the Authorization header, right and wrong. */
const SCHEMES = [
  'bearer TOKEN',
  'BEARER TOKEN',
  'Bearer   TOKEN',
  'Bearer',
  'Basic TOKEN',
  'BearerTOKEN',
  'Bearer TOKEN x',
  'Basic Bearer TOKEN',
];

function authFor(by: string, random: Random, runner: ModelRunner): string | undefined {
  if (random.chance(97)) return undefined;
  const { oldTokens } = runner.memory;
  const how = random.below(10);
  if (how >= 7) return random.pick(SCHEMES).replace('TOKEN', `\${${by}.token}`);
  if (how === 0) return 'none';
  if (how === 1) return 'Bearer nonsense';
  if (how === 2) return `\${${by}.token}`;
  if (how === 3 && oldTokens.length > 0) return `Bearer ${random.pick(oldTokens)}`;
  return `Bearer \${${random.pick(runner.names)}.token}`;
}

const ON_THE_WAY: readonly Mishap[] = [
  'drop-connection',
  'lose-answer',
  'lose-answer',
  'oracle-outage',
  'other-answer',
  'answer-replaced',
];
/** What happens between the bank and the chain: to its own transactions, and to those that it is asked to look up. */
const OF_TRANSFERS: readonly Mishap[] = [
  'chain-unavailable',
  'chain-unavailable',
  'expired-blockhash',
  'lost-transaction',
  'late-transaction',
  'stale-transaction',
  'late-confirmation',
  'no-confirmation',
];
const OF_LOOK_UPS: readonly Mishap[] = ['chain-unavailable', 'late-confirmation', 'no-confirmation'];
const TROUBLED: Readonly<Partial<Record<EndpointId, readonly Mishap[]>>> = {
  withdraw: OF_TRANSFERS,
  x402Pay: OF_TRANSFERS,
  deposit: OF_LOOK_UPS,
  x402Receive: OF_LOOK_UPS,
  loanRepay: OF_LOOK_UPS,
};

function mishapFor(
  id: EndpointId,
  { isBound, isDrained }: { isBound: boolean; isDrained: boolean },
  random: Random,
): Mishap | undefined {
  const troubles = TROUBLED[id];
  // Only faults of the call that needs them reach the transfers that fill a short treasury.
  if (isDrained && troubles === OF_TRANSFERS && random.chance(20)) return random.pick(OF_TRANSFERS);
  // What is bound to something that may be done once has more to lose.
  if (!random.chance(isBound ? 8 : troubles === undefined ? 1.5 : 3)) return undefined;
  return troubles !== undefined && random.chance(70) ? random.pick(troubles) : random.pick(ON_THE_WAY);
}

/** So few keys that a campaign can use them up. */
const FEW_KEYS = 10;

/** Percentage of calls with an Idempotency-Key: what reads or signs in does not look at one. */
function keyPercent({ method, auth, params }: Endpoint, { world }: ModelRunner): number {
  if (method === 'GET' || auth === 'none') return 4;
  return params === undefined && world.modelConfig.callerLimits.idempotencyKeys > FEW_KEYS ? 8 : 40;
}

/** Percentage of calls whose amount is where the model changes its answer: finding that costs as much as some calls. */
const EDGE_PERCENT = 3;

function drawCall(form: Form, random: Random, runner: ModelRunner): Drawn | null {
  const { id, endpoint } = form;
  const by = actorFor(id, random, runner);
  if (by === null) return null;
  const args: Record<string, Json> = {};
  const aim = aimOf(id, by, { random, runner });
  if (endpoint.params !== undefined) {
    if (aim.loan === null) return null;
    args['params'] = { id: random.chance(97) ? aim.loan.reference : 'loan_of_nobody' };
  }
  if (endpoint.body !== undefined) {
    const body = withNulls(drawMembers(form.body, aim, { random, runner }), form.body, random);
    const answers = id === 'x402Pay' && random.chance(30) ? requested(random, runner) : null;
    const whole = answers === null ? body : { ...body, ...answers };
    args['body'] = random.chance(3) ? spoiled(whole, random) : whole;
  }
  if (form.query.length > 0) {
    const query = drawMembers(form.query, aim, { random, runner });
    args['query'] = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, asQuery(value, random)]),
    );
  }
  if (random.chance(EDGE_PERCENT))
    Object.assign(args, atEdge({ do: id, by, with: args }, random, runner).with);
  if (random.chance(keyPercent(endpoint, runner))) args['key'] = random.pick(KEYS);
  if (endpoint.auth === 'none') {
    // A fault that names a wallet finds it in the body.
    const mishap = id === 'challenge' && random.chance(3) ? random.pick(ON_THE_WAY) : null;
    return { do: id, by, with: mishap === null ? args : { ...args, mishap } };
  }
  const auth = authFor(by, random, runner);
  if (auth !== undefined) args['auth'] = auth;
  const isBound = isObject(args['body']) && args['body']['payment_request'] !== undefined;
  const mishap = mishapFor(id, { isBound, isDrained: runner.memory.isDrained }, random);
  if (mishap !== undefined) args['mishap'] = mishap;
  if (random.chance(3)) args['spelling'] = random.pick(SPELLINGS);
  return { do: id, by, with: args };
}

/** The same call in other words: its members in another order, and one that the service does not know. */
function rewritten(args: Args): Args {
  const { body } = args;
  if (!isObject(body)) return args;
  return {
    ...args,
    body: Object.fromEntries([['unheard_of', 1], ...Object.entries(body).toReversed()]) as Json,
  };
}

/** Another loan for a repeated call, mostly of the caller: a key of somebody else's loan is never looked at. Null for the same one. */
function otherLoan({ params }: Args, who: string, { random, runner }: With): string | null {
  const { loans } = runner.memory;
  if (params === undefined || loans.length === 0 || random.chance(50)) return null;
  const { id } = params as { id?: Json };
  const own = loans.filter(({ of, reference }) => of === who && reference !== id);
  return random.pick(own.length > 0 && random.chance(80) ? own : loans).reference;
}

/** Repeats an earlier call under its key, sometimes by another agent or for another loan, or a call that failed. */
function repeated(id: EndpointId, random: Random, runner: ModelRunner): Drawn | null {
  const { keyed, failed } = runner.memory;
  const isAgain = random.chance(25);
  const earlier = (isAgain ? failed : keyed).filter(({ operation }) => operation === id);
  // Of a key, only a success is remembered.
  const done = earlier.filter(({ isDone }) => isDone);
  const isLikely = done.length > 0 && TABLE[id].params !== undefined;
  if (earlier.length === 0 || (!isAgain && !random.chance(isLikely ? 50 : 14))) return null;
  const { by, args } = random.pick(done.length > 0 && random.chance(75) ? done : earlier);
  const who = random.chance(85) ? by : random.pick(runner.names);
  const loan = otherLoan(args, who, { random, runner });
  const again = loan === null ? args : { ...args, params: { id: loan } };
  return { do: id, by: who, with: random.chance(30) ? rewritten(again) : again };
}

const TABLE: Readonly<Record<EndpointId, Endpoint>> = endpoints(DEFAULT_VARIANTS);

/** What a campaign seldom comes to: an open loan, and money spent in the last millisecond of a day. */
const TIMES: Readonly<Partial<Record<EndpointId, Command['times']>>> = {
  loanRepay: (runner) => (hasLoan(runner, isOpen) ? 4 : 1),
  withdraw: (runner) => (isLastOfDay(runner) ? 4 : 1),
  x402Pay: (runner) => (isLastOfDay(runner) ? 4 : 1),
};

/** An operation of the service as a command: bodies and queries from its schema, amounts at the edges of balances and limits. */
function callCommand(id: EndpointId, draw: Command['draw']): Command {
  return {
    name: id,
    weight: WEIGHTS[id],
    times: TIMES[id],
    draw,
    play: (step, runner) => playCall(id, step, runner),
  };
}

/** Mostly, an agent that waits for a decision applies again, until it has one application too many. */
function appliedAgain(random: Random, runner: ModelRunner): Drawn | null {
  const waiting = runner.names.filter((name) => runner.accountState(name).loans.some(isPending));
  if (waiting.length === 0 || random.chance(25)) return null;
  const body = { amount: random.pick([100, 100.5, 250]), purpose: 'task' };
  return { do: 'loanApply', by: random.pick(waiting), with: { body } };
}

export function drawOperation(id: EndpointId): Command['draw'] {
  const form = formOf(id, TABLE[id]);
  const special = id === 'loanApply' ? appliedAgain : () => null;
  return (random, runner) =>
    special(random, runner) ?? repeated(id, random, runner) ?? drawCall(form, random, runner);
}

/** All operations of the contract except sign-in, which needs a signature. */
export const CALLS: readonly Command[] = (Object.keys(TABLE) as EndpointId[])
  .filter((id) => id !== 'verify')
  .map((id) => callCommand(id, drawOperation(id)));
