import { z } from 'zod';
import { instant } from '../../../contract/common.js';
import { parseDuration } from '../../../core/domain/calendar.js';
import { issueText } from '../../../core/json.js';
import { InvalidCampaign } from '../invalid-campaign.js';
import { SPELLINGS } from '../model/types.js';
import type { Step } from '../step.js';
import { KILLED_AT, MISHAPS } from '../world.js';
import { CALLS } from './calls.js';
import type { Command } from './command.js';
import { COMMANDS } from './commands.js';

const text = z.string();
const perhaps = text.optional();
const coin = z.enum(['USDC', 'SOL', 'other', 'wrapped']);
const address = text.regex(/^\$\{|^\w{32}/, 'must be an address such as ${ann}');
const amount = z.number().min(0).multipleOf(1e-6);
const duration = text.refine(
  (given) => !/[P.]/.test(given) && (parseDuration(given) ?? 0) > 0,
  'must be a duration such as 10m, in whole numbers',
);
/** As the fraction 0.05, or as a percentage. */
const rate = z.union([z.number(), text]).optional();
const price = z.number().optional();
const when = { in: duration.optional(), from: instant.optional() };
const decision = { loan: text, reason: perhaps };
const gift = { to: address, usdc: amount.optional(), sol: z.number().min(0).multipleOf(1e-9).optional() };
const members = z.record(text, z.json()).optional();

/** Arguments of an operation. What its body and query contain is for the service to check. */
const operation = z.strictObject({
  auth: perhaps,
  params: members,
  query: members,
  body: z.json().optional(),
  key: perhaps,
  spelling: z.enum(SPELLINGS).optional(),
  mishap: z.enum(Object.keys(MISHAPS)).optional(),
});
const call = z.strictObject({ do: text, by: text, with: operation });
const calls = z.array(call);

/** The arguments of every command of the fuzzer that is not an operation. */
const OTHERS = {
  signIn: {},
  verify: { wallet: text, message: text, signature: perhaps },
  send: {
    transfers: z.array(z.strictObject({ to: text, token: coin, amount: z.number().positive(), of: perhaps })),
    cosigners: z.array(text).optional(),
  },
  allow: { delegate: address, amount },
  'time.advance': { by: duration },
  'oracle.set': { usdc: rate, sol: rate, usdcUsd: price, solUsd: price, ...when },
  oracle: { state: z.enum(['out', 'fresh', 'stale']) },
  'review.approve': decision,
  'review.deny': decision,
  'review.policy': { policy: text },
  'loan.overdue': decision,
  'loan.default': decision,
  'loan.cure': { ...decision, dueIn: when.in, dueDate: when.from, forgive: z.boolean().optional() },
  'loan.pay': { loan: text, amount },
  'identity.link': { of: address, x: z.boolean().optional(), github: z.boolean().optional() },
  'balance.set': gift,
  'faucet.give': gift,
  control: { do: z.enum(['faucet', 'reviewPolicy']), body: members },
  drain: { token: z.enum(['USDC', 'SOL']), left: z.int().min(0) },
  overlap: { calls, order: z.int().min(0) },
  snapshot: {},
  revert: { to: text },
  reload: {},
  kill: { call, at: z.enum(KILLED_AT), again: z.boolean().optional() },
  twin: { rule: z.enum(['reload', 'engine']), calls },
};

/** Whether a step sets what its verb can set. */
const sets = (shape: object) => (given: object) =>
  !('usdc' in shape) || Object.keys(given).some((member) => /^(usdc|sol)/.test(member));

const ARGUMENTS: ReadonlyMap<string, z.ZodObject> = new Map([
  ...CALLS.map(({ name }) => [name, operation] as const),
  ...Object.entries(OTHERS).map(
    ([name, shape]) => [name, z.strictObject(shape).refine(sets(shape), 'give usdc or sol')] as const,
  ),
]);

/**
 * Checks the arguments of steps that users wrote. The service itself refuses what it should in drawn steps, and commands of users have
 * arguments of their own. Throws InvalidCampaign.
 */
export function checkArguments(
  steps: readonly Step[],
  { commands }: { readonly commands: ReadonlyMap<string, Command> },
): void {
  for (const { do: name, with: args } of steps) {
    if (!COMMANDS.some((command) => command === commands.get(name))) continue;
    const error = ARGUMENTS.get(name)?.safeParse(args, {
      error: ({ input }) => (input === undefined ? 'is missing' : undefined),
    }).error;
    if (error !== undefined) throw new InvalidCampaign(`${name}: ${issueText(error, 'with')}`);
  }
}
