import { z } from 'zod';
import { type ControlClient, ControlError } from '../../../api/control/client.js';
import { COMMANDS, type Command, type CommandId } from '../../../api/control/commands.js';
import { hasId } from '../../../contract/match-path.js';
import { TOKENS } from '../../../core/domain/money.js';
import { faultInput } from '../../../runtime/faults-api.js';
import { accountSchema, oracleValues } from '../file/schema.js';
import { type Outcome, done, refusedWith } from '../outcome.js';
import type { ScenarioContext } from '../play/scenario-context.js';
import type { VerbContext, WorldVerb } from './verb.js';

type AnyAsk = { body?: unknown; query?: unknown; id?: string };

function controlVerb<A>(verb: WorldVerb<A>): WorldVerb<A> {
  return { ...verb, requires: ['control'] };
}

/** Executes one command. A refusal is also an outcome. */
async function doing({ context, recorder }: VerbContext, id: CommandId, ask: AnyAsk = {}): Promise<Outcome> {
  const control = (context.world.control as ControlClient).through((fetcher) =>
    recorder.listening((url, init = {}) => fetcher(url, init), 'control'),
  );
  try {
    return done(await control.do(id, ask as never));
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return refusedWith(error.code, error.message, { status: error.status });
  }
}

/** A verb that maps to one command, with arguments of its own. */
function controlled<A>(
  id: CommandId,
  args: z.ZodType<A>,
  ask: (args: A, context: ScenarioContext) => AnyAsk,
): WorldVerb<A> {
  return controlVerb({
    summary: (COMMANDS[id] as Command).summary,
    args,
    run: (given, what) => doing(what, id, ask(given, what.context)),
  });
}

/** How a verb takes the input of its command. */
interface Spelling {
  /** The member that is the whole argument: `time.scale: 60`. */
  readonly only?: string;
  /** The member that a text stands for: `time.advance: 30d`. */
  readonly short?: string;
  /** Name of the member for the id in the path of the command. */
  readonly id?: string;
}

/** A verb whose arguments are the input of its command, as the table of commands states it. */
function commandVerb(id: CommandId, { only, short, id: idName = 'id' }: Spelling = {}): WorldVerb {
  const { path, body, query }: Command = COMMANDS[id];
  const isInPath = hasId(path);
  const input = (body ?? query ?? z.strictObject({})) as z.ZodObject;
  const whole = isInPath ? input.extend({ [idName]: text }) : input;
  const named = whole.safeParse({}).success ? whole.default({}) : whole;
  const args = short === undefined ? named : z.union([text, named]);
  return controlled<unknown>(id, only === undefined ? args : (whole.shape[only] as z.ZodType), (given) => {
    const name = only ?? (typeof given === 'string' ? short : undefined);
    const members = (name === undefined ? given : { [name]: given }) as Record<string, unknown>;
    const { [idName]: inPath, ...rest } = members;
    const sent = isInPath ? rest : members;
    return {
      ...(isInPath ? { id: inPath as string } : {}),
      ...(body === undefined ? {} : { body: sent }),
      ...(query === undefined ? {} : { query: sent }),
    };
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

const text = z.string();

const LOAN = { id: 'loan', short: 'loan' } as const;

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
  return controlVerb({
    summary,
    args: gift,
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

const { shape } = faultInput;
/** A fault; an agent's name stands for its wallet. */
const faultByName = faultInput.extend({
  when: shape.when.unwrap().extend({ wallet: text.optional() }).optional(),
});

// Scenarios are textual, so commands with binary content are excluded.
const COMMAND_IDS = (Object.entries(COMMANDS) as [CommandId, Command][])
  .filter(([, { takes, gives }]) => takes === undefined && gives === undefined)
  .map(([id]) => id) as [CommandId, ...CommandId[]];

export const CONTROL = {
  'time.advance': commandVerb('advance', { short: 'by' }),
  'time.freeze': commandVerb('freeze'),
  'time.run': commandVerb('run'),
  'time.scale': commandVerb('scale', { only: 'factor' }),
  oracle: commandVerb('oracle'),
  'oracle.set': controlVerb({
    summary: 'Set rates and prices, now or at a later instant',
    args: z
      .strictObject({
        ...oracleValues,
        from: text.optional().describe('when it takes effect (default: now)'),
        in: text.optional().describe('or a delay from now, such as 30d'),
      })
      .refine(
        ({ from: _from, in: _in, ...values }) => Object.keys(values).length > 0,
        'give at least one of usdc, sol, usdcUsd and solUsd',
      ),
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
  'oracle.series': commandVerb('loadSeries'),
  'oracle.outage': commandVerb('setOutage', { only: 'out' }),
  'oracle.stale': commandVerb('setStale', { only: 'stale' }),
  review: commandVerb('reviews'),
  'review.approve': commandVerb('approve', LOAN),
  'review.deny': commandVerb('deny', LOAN),
  'review.policy': commandVerb('setReviewPolicy', { only: 'policy' }),
  'loan.list': commandVerb('loans'),
  'loan.overdue': commandVerb('overdueLoan', LOAN),
  'loan.default': commandVerb('defaultLoan', LOAN),
  'loan.cure': commandVerb('cureLoan', LOAN),
  'loan.pay': commandVerb('payLoan', { id: 'loan' }),
  'identity.link': controlled(
    'linkIdentity',
    z.strictObject({ of: text, x: z.boolean().default(false), github: z.boolean().default(false) }),
    ({ of, ...links }, context) => ({ body: { wallet: addressOf(context, of), ...links } }),
  ),
  'faucet.give': perToken('faucet', 'Give an agent or address tokens from the faucet'),
  'balance.set': perToken(
    'setBalance',
    'Set the balances of an agent or address on chain, bypassing transaction rules',
  ),
  account: controlled('account', text, (id, context) => ({ id: addressOf(context, id) })),
  'account.set': controlled(
    'setAccounts',
    z.union([accountSchema, z.array(accountSchema).min(1)]),
    (given) => ({
      body: { accounts: Array.isArray(given) ? given : [given] },
    }),
  ),
  'fault.add': controlled('addFault', faultByName, (body, context) => {
    const when = body.when?.wallet;
    return when === undefined
      ? { body }
      : { body: { ...body, when: { ...body.when, wallet: addressOf(context, when) } } };
  }),
  'fault.list': commandVerb('faults'),
  'fault.clear': controlVerb({
    summary: 'Remove one fault, or all',
    args: z.union([text, z.strictObject({})]).default({}),
    run: (id, what) =>
      typeof id === 'string' ? doing(what, 'clearFault', { id }) : doing(what, 'clearFaults'),
  }),
  snapshot: controlVerb({
    summary: 'Take a snapshot under a name',
    args: text,
    run: async (name, what) => {
      const outcome = await doing(what, 'snapshot');
      what.context.snapshots.set(name, (outcome.body as { id: string }).id);
      return outcome;
    },
  }),
  revert: controlVerb({
    summary: 'Restore a snapshot',
    args: text,
    run: (name, what) => doing(what, 'revert', { id: what.context.snapshots.get(name) ?? name }),
  }),
  explain: commandVerb('explain', { only: 'id' }),
  control: controlVerb({
    summary: 'Any command of the control interface',
    args: z.strictObject({
      do: z.enum(COMMAND_IDS),
      body: z.unknown().optional(),
      query: z.unknown().optional(),
      id: text.optional(),
    }),
    run: ({ do: id, ...ask }, what) => doing(what, id, ask as AnyAsk),
  }),
};
