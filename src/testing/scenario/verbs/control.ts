import { z } from 'zod';
import { type ControlClient, ControlError } from '../../../api/control/client.js';
import { COMMANDS, type Command, type CommandId } from '../../../api/control/commands.js';
import { TOKENS } from '../../../core/domain/money.js';
import { faultInput } from '../../../runtime/faults-api.js';
import { accountSchema, oracleValues } from '../file/schema.js';
import { type Outcome, done, refusedWith } from '../outcome.js';
import type { ScenarioContext } from '../play/scenario-context.js';
import { CannotPlay } from '../target.js';
import { type VerbContext, type WorldVerb, worldVerb } from './verb.js';

/** Input of any command of the control interface. */
type AnyAsk = { body?: unknown; query?: unknown; id?: string };

function controlOf(context: ScenarioContext, { recorder }: Pick<VerbContext, 'recorder'>): ControlClient {
  const { control } = context.world;
  if (control === null) throw new CannotPlay('the world of a deployed service cannot be controlled');
  return control.through((fetcher) => recorder.listening((url, init = {}) => fetcher(url, init), 'control'));
}

/** Executes one command. A refusal is also an outcome. */
async function doing(what: VerbContext, id: CommandId, ask: AnyAsk = {}): Promise<Outcome> {
  try {
    return done(await controlOf(what.context, what).do(id, ask as never));
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return refusedWith(error.code, error.message, { status: error.status });
  }
}

/** A verb that maps to one command. */
function controlled<A>(
  id: CommandId,
  args: z.ZodType<A>,
  ask: (args: A, context: ScenarioContext) => AnyAsk,
): WorldVerb<A> {
  return worldVerb<A>({
    summary: (COMMANDS[id] as Command).summary,
    args,
    requires: ['control'],
    run: (given, what) => doing(what, id, ask(given, what.context)),
  });
}

/** Executes commands until one is refused; returns the outcome of the last command. */
async function allOf(what: VerbContext, asks: readonly (readonly [CommandId, AnyAsk])[]): Promise<Outcome> {
  let outcome = done({});
  for (const [id, ask] of asks) {
    outcome = await doing(what, id, ask);
    if (!outcome.isOk) break;
  }
  return outcome;
}

const NOTHING = z.union([z.strictObject({}), z.null()]).default({});
const text = z.string();
const reason = text.optional().describe('why');
const blocks = z.strictObject({ blocks: z.int().min(1) });
const until = z.strictObject({ until: text, within: text.optional() });

const TIME = {
  'time.advance': controlled(
    'advance',
    z.union([text, z.strictObject({ by: text }), z.strictObject({ to: text }), blocks, until]),
    (to) => ({ body: typeof to === 'string' ? { by: to } : to }),
  ),
  'time.freeze': controlled('freeze', NOTHING, () => ({})),
  'time.run': controlled('run', NOTHING, () => ({})),
  'time.scale': controlled('scale', z.number(), (factor) => ({ body: { factor } })),
};

const beginning = {
  from: text.optional().describe('when it takes effect (default: now)'),
  in: text.optional().describe('or a delay from now, such as 30d'),
};

const ORACLE = {
  oracle: controlled('oracle', NOTHING, () => ({})),
  'oracle.set': worldVerb({
    summary: 'Set rates and prices, now or at a later instant',
    args: z
      .strictObject({ ...oracleValues, ...beginning })
      .refine(
        ({ from: _from, in: _in, ...values }) => Object.keys(values).length > 0,
        'give at least one of usdc, sol, usdcUsd and solUsd',
      ),
    requires: ['control'],
    run: (args, what) =>
      allOf(
        what,
        TOKENS.flatMap((token) => {
          const name = token === 'USDC' ? 'usdc' : 'sol';
          const asks: [CommandId, AnyAsk][] = [];
          const apy = args[name];
          const usd = args[`${name}Usd`];
          const later = { from: args.from, in: args.in };
          if (apy !== undefined) asks.push(['setApy', { body: { token, source: apy, ...later } }]);
          if (usd !== undefined) asks.push(['setPrice', { body: { token, source: usd, ...later } }]);
          return asks;
        }),
      ),
  }),
  'oracle.series': controlled('loadSeries', z.looseObject({}), (body) => ({ body })),
  'oracle.outage': controlled('setOutage', z.boolean(), (out) => ({ body: { out } })),
  'oracle.stale': controlled('setStale', z.boolean(), (stale) => ({ body: { stale } })),
  'oracle.history': controlled('oracleHistory', z.looseObject({}), (query) => ({ query })),
};

const application = z.union([text, z.strictObject({ loan: text, reason })]);
const judged = (given: z.output<typeof application>): AnyAsk =>
  typeof given === 'string'
    ? { id: given, body: {} }
    : { id: given.loan, body: given.reason === undefined ? {} : { reason: given.reason } };
const onLoan = z.looseObject({ loan: text.describe('its id') });
const withLoan = ({ loan, ...body }: z.output<typeof onLoan>): AnyAsk => ({ id: loan, body });

const REVIEWS = {
  review: controlled('reviews', NOTHING, () => ({})),
  'review.approve': controlled('approve', application, judged),
  'review.deny': controlled('deny', application, judged),
  'review.policy': controlled('setReviewPolicy', z.unknown(), (policy) => ({ body: { policy } })),
  'loan.list': controlled('loans', z.looseObject({}).default({}), (query) => ({ query })),
  'loan.overdue': controlled('overdueLoan', application, judged),
  'loan.default': controlled('defaultLoan', application, judged),
  'loan.cure': controlled('cureLoan', onLoan, withLoan),
  'loan.pay': controlled('payLoan', onLoan, withLoan),
  'identity.link': controlled(
    'linkIdentity',
    z.strictObject({ of: text, x: z.boolean().default(false), github: z.boolean().default(false) }),
    ({ of, ...links }, context) => ({ body: { wallet: addressOf(context, of), ...links } }),
  ),
};

/** Resolves an agent's name to its address. */
function addressOf(context: ScenarioContext, name: string): string {
  return context.actors.get(name)?.wallet.address ?? name;
}

const gift = z
  .strictObject({
    to: text.describe('an agent or an address'),
    usdc: z.number().nonnegative().optional(),
    sol: z.number().nonnegative().optional(),
  })
  .refine(({ usdc, sol }) => usdc !== undefined || sol !== undefined, 'give usdc, sol or both');

function perToken(id: CommandId, summary: string): WorldVerb<z.output<typeof gift>> {
  return worldVerb({
    summary,
    args: gift,
    requires: ['control'],
    run: ({ to, usdc, sol }, what) => {
      const address = addressOf(what.context, to);
      const given = [['USDC', usdc] as const, ['SOL', sol] as const];
      return allOf(
        what,
        given
          .filter(([, amount]) => amount !== undefined)
          .map(([token, amount]) => [id, { body: { address, amount, token } }] as const),
      );
    },
  });
}

const MONEY = {
  'faucet.give': perToken('faucet', 'Give an agent or address tokens from the faucet'),
  'balance.set': perToken(
    'setBalance',
    'Set the balances of an agent or address on chain, bypassing transaction rules',
  ),
};

const ACCOUNTS = {
  account: controlled('account', text, (id, context) => ({ id: addressOf(context, id) })),
  'account.set': controlled(
    'setAccounts',
    z.union([accountSchema, z.array(accountSchema).min(1)]),
    (given) => ({
      body: { accounts: Array.isArray(given) ? given : [given] },
    }),
  ),
};

const { shape } = faultInput;
/** A fault; an agent's name stands for its wallet. */
const faultByName = faultInput.extend({
  when: shape.when.unwrap().extend({ wallet: text.optional() }).optional(),
});

const FAULTS = {
  'fault.add': controlled('addFault', faultByName, (body, context) => {
    const when = body.when?.wallet;
    return when === undefined
      ? { body }
      : { body: { ...body, when: { ...body.when, wallet: addressOf(context, when) } } };
  }),
  'fault.list': controlled('faults', NOTHING, () => ({})),
  'fault.clear': worldVerb({
    summary: 'Remove one fault, or all',
    args: z.union([text, NOTHING]),
    requires: ['control'],
    run: (id, what) =>
      typeof id === 'string' ? doing(what, 'clearFault', { id }) : doing(what, 'clearFaults'),
  }),
};

const SNAPSHOTS = {
  snapshot: worldVerb({
    summary: 'Take a snapshot under a name',
    args: text,
    requires: ['control'],
    run: async (name, what) => {
      const outcome = await doing(what, 'snapshot');
      what.context.snapshots.set(name, (outcome.body as { id: string }).id);
      return outcome;
    },
  }),
  revert: worldVerb({
    summary: 'Restore a snapshot',
    args: text,
    requires: ['control'],
    run: (name, what) => doing(what, 'revert', { id: what.context.snapshots.get(name) ?? name }),
  }),
};

// Scenarios are textual, so commands with binary content are excluded.
const COMMAND_IDS = (Object.entries(COMMANDS) as [CommandId, Command][])
  .filter(([, { takes, gives }]) => takes === undefined && gives === undefined)
  .map(([id]) => id) as [CommandId, ...CommandId[]];

export const CONTROL = {
  ...TIME,
  ...ORACLE,
  ...REVIEWS,
  ...MONEY,
  ...ACCOUNTS,
  ...FAULTS,
  ...SNAPSHOTS,
  explain: controlled('explain', text, (id) => ({ id })),
  control: worldVerb({
    summary: 'Any command of the control interface',
    args: z.strictObject({
      do: z.enum(COMMAND_IDS),
      body: z.unknown().optional(),
      query: z.unknown().optional(),
      id: text.optional(),
    }),
    requires: ['control'],
    run: ({ do: id, ...ask }, what) => doing(what, id, ask as AnyAsk),
  }),
};
