import fc from 'fast-check';
import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { isObject } from '../../../core/json.js';
import { type Draw, chance, composed } from '../draw.js';
import { isOpen, loanById } from '../model/loan.js';
import { type ModelToken, SPELLINGS } from '../model/types.js';
import type { KnownTransaction, ModelRunner } from '../play/model-runner.js';
import { type Member, membersOf, queryText, wrongType } from '../shapes.js';
import type { Args, Call, Json } from '../step.js';
import type { Mishap } from '../world.js';
import { type Aim, requested, valuesFor } from './aims.js';
import { SPENDS, actorFor, freshFor, hasLoan, hasUnderWay, isOpenLoan, isPending } from './actors.js';
import type { Command, Drawn } from './command.js';
import { atEdge } from './edges.js';
import { ABOUT_TRANSACTIONS, playCall } from './play-call.js';
import { isLastOfDay } from './surroundings.js';

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

interface Drawing {
  readonly draw: Draw;
  readonly runner: ModelRunner;
}

type Form = ReturnType<typeof formOf>;

function formOf(id: EndpointId, endpoint: Endpoint) {
  return { id, endpoint, body: membersOf(endpoint.body), query: membersOf(endpoint.query) };
}

function aimOf(operation: EndpointId, by: string, { draw, runner }: Drawing): Aim {
  const { loans, drained } = runner.memory;
  const accountState = runner.accountState(by);
  const mine = loans.filter(({ of }) => of === by);
  const open = mine.filter(({ reference }) => isOpenLoan(accountState, runner.resolve(reference)));
  const own = open.length > 0 && draw(chance(80)) ? open : mine;
  const wanted = own.length > 0 && draw(chance(90)) ? own : loans;
  const loan = wanted.length > 0 ? draw(fc.constantFrom(...wanted)).reference : null;
  const transaction = draw(transactionsFor(operation, by, runner));
  const moved = transaction?.transfers.find(({ token }) => token === 'USDC' || token === 'SOL')?.token;
  const usual =
    moved !== undefined && draw(chance(90)) ? (moved as ModelToken) : draw(chance(75)) ? 'USDC' : 'SOL';
  // A short treasury must first be supplied from elsewhere.
  const token =
    drained.size > 0 && SPENDS.has(operation) && draw(chance(60)) ? draw(fc.constantFrom(...drained)) : usual;
  const known = loan === null ? null : loanById(accountState, runner.resolve(loan));
  return {
    operation,
    by,
    token,
    accountState,
    transaction,
    loan: loan === null ? null : { reference: loan, outstandingBase: known?.outstandingBase ?? 0n },
  };
}

/** Mostly unrecorded transactions that fit this call; sometimes any; null before there are any. */
function transactionsFor(
  operation: EndpointId,
  by: string,
  runner: ModelRunner,
): fc.Arbitrary<KnownTransaction | null> {
  const { transactions } = runner.memory;
  if (transactions.length === 0) return fc.constant(null);
  const any = fc.constantFrom(...transactions);
  const ofCaller = transactions.filter((each) => each.by === by);
  const own = ofCaller.length > 0 ? fc.constantFrom(...ofCaller) : any;
  const fresh = freshFor(operation, by, runner);
  const likely = fresh.length > 0 ? fc.constantFrom(...fresh) : own;
  const some = fc.oneof(
    { weight: 75, arbitrary: likely },
    { weight: 17, arbitrary: own },
    { weight: 8, arbitrary: any },
  );
  if (operation !== 'loanRepay') return some;
  return fc.oneof({ weight: 70, arbitrary: some }, { weight: 30, arbitrary: fc.constant(null) });
}

/** Numbers in a query; the service decides whether some of them are numbers. */
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

function asQuery(value: Json): fc.Arbitrary<string> {
  const text = queryText(value);
  if (typeof value !== 'number') return fc.constant(text);
  return fc.oneof(
    { weight: 88, arbitrary: fc.constant(text) },
    { weight: 12, arbitrary: fc.constantFrom(...NUMBERS).map((spelled) => spelled(text)) },
  );
}

function drawMembers(
  members: readonly Member[],
  aim: Aim,
  { draw, runner, isWhole = false }: Drawing & { readonly isWhole?: boolean },
): Record<string, Json> {
  const drawn: Record<string, Json> = {};
  for (const member of members) {
    // A request to pay is mostly drawn together with its whole payment.
    const isLeftOut = member.name === 'payment_request' ? draw(chance(95)) : !isWhole && draw(chance(55));
    if (!member.isRequired && isLeftOut) continue;
    drawn[member.name] = draw(valuesFor(member, aim, runner));
  }
  return drawn;
}

/** Sometimes sets an optional member to null instead of omitting it. */
function withNulls(
  body: Record<string, Json>,
  members: readonly Member[],
): fc.Arbitrary<Record<string, Json>> {
  const missing = members.filter(({ name, isRequired }) => !isRequired && !Object.hasOwn(body, name));
  if (missing.length === 0) return fc.constant(body);
  return fc.oneof(
    { weight: 95, arbitrary: fc.constant(body) },
    { weight: 5, arbitrary: fc.constantFrom(...missing).map(({ name }) => ({ ...body, [name]: null })) },
  );
}

/** Damaged bodies: another value, a missing member, a wrong type, or an extra member. */
function spoiled(body: Record<string, Json>): fc.Arbitrary<Json> {
  const superfluous = fc.constant({ ...body, unheard_of: 'x' });
  const names = Object.keys(body);
  if (names.length === 0) return fc.oneof(wrongType, superfluous);
  const name = fc.constantFrom(...names);
  return fc.oneof(
    { weight: 1, arbitrary: wrongType },
    { weight: 1, arbitrary: superfluous },
    { weight: 1, arbitrary: fc.tuple(name, wrongType).map(([each, value]) => ({ ...body, [each]: value })) },
    {
      weight: 2,
      arbitrary: name.map((gone) =>
        Object.fromEntries(Object.entries(body).filter(([each]) => each !== gone)),
      ),
    },
  );
}

/** Valid and invalid notations of the Authorization header. */
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

/** Headers that replace the caller's. */
function wrongAuth(by: string, { memory, names }: ModelRunner): fc.Arbitrary<string> {
  const old = memory.oldTokens.length > 0 ? fc.constantFrom(...memory.oldTokens) : fc.constant('nonsense');
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...SCHEMES).map((each) => each.replace('TOKEN', `\${${by}.token}`)),
    },
    { weight: 1, arbitrary: fc.constant('none') },
    { weight: 1, arbitrary: fc.constant('Bearer nonsense') },
    { weight: 1, arbitrary: fc.constant(`\${${by}.token}`) },
    { weight: 1, arbitrary: old.map((token) => `Bearer ${token}`) },
    { weight: 3, arbitrary: fc.constantFrom(...names).map((name) => `Bearer \${${name}.token}`) },
  );
}

const ON_THE_WAY: readonly Mishap[] = ['drop-connection', 'lose-response', 'lose-response', 'oracle-outage'];
/** Faults between the bank and the chain: for its own transactions, and for transactions that it looks up. */
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

/** Mostly none. */
function mishapFor(
  id: EndpointId,
  { isBound, isDrained }: { isBound: boolean; isDrained: boolean },
): fc.Arbitrary<Mishap | undefined> {
  const troubles = SPENDS.has(id) ? OF_TRANSFERS : ABOUT_TRANSACTIONS.has(id) ? OF_LOOK_UPS : undefined;
  // An error costs more in calls that are bound to something that may be done only once.
  const percent = isBound ? 8 : troubles === undefined ? 1.5 : troubles === OF_TRANSFERS ? 5 : 3;
  const any = fc.constantFrom(...ON_THE_WAY);
  const some =
    troubles === undefined
      ? any
      : fc.oneof({ weight: 7, arbitrary: fc.constantFrom(...troubles) }, { weight: 3, arbitrary: any });
  const usual = chance(percent).chain((isTroubled) => (isTroubled ? some : fc.constant(undefined)));
  // Only a fault of the call that needs the money reaches the transfers that supply a short treasury.
  if (!isDrained || troubles !== OF_TRANSFERS) return usual;
  return fc.oneof(
    { weight: 80, arbitrary: usual },
    { weight: 20, arbitrary: fc.constantFrom(...OF_TRANSFERS) },
  );
}

/** Few enough keys that a campaign can use all of them. */
const FEW_KEYS = 10;

/** Percentage of calls with an Idempotency-Key: operations that read or sign in ignore it. */
function keyPercent({ method, auth, params }: Endpoint, { world }: ModelRunner): number {
  if (method === 'GET' || auth === 'none') return 4;
  return params === undefined && world.modelConfig.callerLimits.idempotencyKeys > FEW_KEYS ? 8 : 40;
}

/** Percentage of calls with an amount at which the model's response changes: finding it costs as much as several calls. */
const EDGE_PERCENT = 3;

function drawCall(form: Form, { draw, runner }: Drawing): Drawn | null {
  const { id, endpoint } = form;
  const by = draw(actorFor(id, runner));
  if (by === null) return null;
  const args: Record<string, Json> = {};
  const aim = aimOf(id, by, { draw, runner });
  if (endpoint.params !== undefined) {
    if (aim.loan === null) return null;
    args['params'] = { id: draw(chance(97)) ? aim.loan.reference : 'loan_of_nobody' };
  }
  if (endpoint.body !== undefined) {
    const body = draw(withNulls(drawMembers(form.body, aim, { draw, runner }), form.body));
    const paying = id === 'x402Pay' && draw(chance(30)) ? requested(runner) : null;
    const whole = paying === null ? body : { ...body, ...draw(paying) };
    args['body'] = draw(chance(3)) ? draw(spoiled(whole)) : whole;
  }
  if (form.query.length > 0) {
    // Also all members at once: a filter and paging may not take each other into account.
    const isWhole = draw(chance(25));
    const query = drawMembers(form.query, aim, { draw, runner, isWhole });
    args['query'] = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, draw(asQuery(value))]),
    );
  }
  if (draw(chance(EDGE_PERCENT))) Object.assign(args, draw(atEdge({ do: id, by, with: args }, runner)).with);
  if (draw(chance(keyPercent(endpoint, runner)))) args['key'] = draw(fc.constantFrom(...KEYS));
  if (endpoint.auth === 'none') {
    // A fault for a wallet finds it in the body.
    if (id === 'challenge' && draw(chance(3))) args['mishap'] = draw(fc.constantFrom(...ON_THE_WAY));
    return { do: id, by, with: args };
  }
  if (draw(chance(3))) args['auth'] = draw(wrongAuth(by, runner));
  const isBound = isObject(args['body']) && args['body']['payment_request'] !== undefined;
  const mishap = draw(mishapFor(id, { isBound, isDrained: runner.memory.isDrained }));
  if (mishap !== undefined) {
    args['mishap'] = mishap;
    // An agent that expects lost responses sends a key, to repeat the call.
    if (endpoint.method !== 'GET' && draw(chance(50))) args['key'] ??= draw(fc.constantFrom(...KEYS));
  }
  if (draw(chance(3))) args['spelling'] = draw(fc.constantFrom(...SPELLINGS));
  return { do: id, by, with: args };
}

/** The same call written differently: members in another order, and one that the service does not know. */
function rewritten(args: Args): Args {
  const { body } = args;
  if (!isObject(body)) return args;
  return {
    ...args,
    body: Object.fromEntries([['unheard_of', 1], ...Object.entries(body).toReversed()]) as Json,
  };
}

/**
 * Another loan for a repeated call, mostly the caller's: the service never looks up a key for another agent's loan. Null for the same loan.
 */
function otherLoan({ params }: Args, who: string, { draw, runner }: Drawing): string | null {
  const { loans } = runner.memory;
  if (params === undefined || loans.length === 0 || draw(chance(50))) return null;
  const { id } = params as { id?: Json };
  const own = loans.filter(({ of, reference }) => of === who && reference !== id);
  return draw(fc.constantFrom(...(own.length > 0 && draw(chance(80)) ? own : loans))).reference;
}

/** Repeats an earlier call under its key, sometimes by another agent or for another loan, or a call that failed. */
function repeated(id: EndpointId, { draw, runner }: Drawing): Drawn | null {
  const { keyed, failed } = runner.memory;
  const isAgain = draw(chance(25));
  const earlier = (isAgain ? failed : keyed).filter(({ operation }) => operation === id);
  // A key stores only successful responses.
  const done = earlier.filter(({ isDone }) => isDone);
  const isLikely = done.length > 0 && TABLE[id].params !== undefined;
  if (earlier.length === 0 || (!isAgain && !draw(chance(isLikely ? 50 : 14)))) return null;
  const { by, args } = draw(fc.constantFrom(...(done.length > 0 && draw(chance(75)) ? done : earlier)));
  const who = draw(chance(85)) ? by : draw(fc.constantFrom(...runner.names));
  const loan = otherLoan(args, who, { draw, runner });
  const again = loan === null ? args : { ...args, params: { id: loan } };
  return { do: id, by: who, with: draw(chance(30)) ? rewritten(again) : again };
}

const TABLE: Readonly<Record<EndpointId, Endpoint>> = endpoints(DEFAULT_VARIANTS);

/** Spends more in the last millisecond of a day, and while another transfer may still fail. */
function timesOfSend(runner: ModelRunner): number {
  if (isLastOfDay(runner)) return 4;
  return hasUnderWay(runner) ? 3 : 1;
}

/** Rare opportunities: an open loan, which the score counts, and spending at such times. */
const TIMES: Readonly<Partial<Record<EndpointId, Command['times']>>> = {
  loanRepay: (runner) => (hasLoan(runner, isOpen) ? 4 : 1),
  profile: (runner) => (hasLoan(runner, isOpen) ? 4 : 1),
  withdraw: timesOfSend,
  x402Pay: timesOfSend,
  x402Receive: (runner) => (hasUnderWay(runner) ? 3 : 1),
};

/** Mostly lets an agent with a pending application apply again, until it exceeds the limit. */
function appliedAgain({ draw, runner }: Drawing): Drawn | null {
  const waiting = runner.names.filter((name) => runner.accountState(name).loans.some(isPending));
  if (waiting.length === 0 || draw(chance(25))) return null;
  const body = { amount: draw(fc.constantFrom(100, 100.5, 250)), purpose: 'task' };
  return { do: 'loanApply', by: draw(fc.constantFrom(...waiting)), with: { body } };
}

export const FORMS = Object.fromEntries(
  Object.entries(TABLE).map(([id, endpoint]) => [id, formOf(id as EndpointId, endpoint)]),
) as Readonly<Record<EndpointId, Form>>;

export function callsOf(id: EndpointId, runner: ModelRunner): fc.Arbitrary<Drawn | null> {
  return composed((draw) => {
    const drawing = { draw, runner };
    const again = id === 'loanApply' ? appliedAgain(drawing) : null;
    return again ?? repeated(id, drawing) ?? drawCall(FORMS[id], drawing);
  });
}

/** A call of an operation without some of its arguments; null when none can be drawn. */
export function callWithout(
  leftOut: readonly string[],
  operation: EndpointId,
  { draw, runner }: Drawing,
): Call | null {
  const drawn = draw(callsOf(operation, runner));
  if (drawn?.by === undefined) return null;
  const args = Object.entries(drawn.with).filter(([name]) => !leftOut.includes(name));
  return { do: operation, by: drawn.by, with: Object.fromEntries(args) };
}

/** All operations of the contract except sign-in, which needs a signature: bodies and queries from the schema, amounts at edges. */
export const CALLS: readonly Command[] = (Object.keys(TABLE) as EndpointId[])
  .filter((id) => id !== 'verify')
  .map((id) => ({
    name: id,
    weight: WEIGHTS[id],
    times: TIMES[id],
    draw: (runner) => callsOf(id, runner),
    play: (step, runner) => playCall(id, step, runner),
  }));
