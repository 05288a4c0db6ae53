import { z } from 'zod';
import { issueText } from '../../../core/json.js';
import { InvalidCampaign } from '../invalid-campaign.js';
import { SPELLINGS } from '../model/types.js';
import type { Step } from '../step.js';
import { KILLED_AT, MISHAPS } from '../world.js';
import { CALLS } from './calls.js';
import type { Command } from './command.js';
import { COMMANDS } from './commands.js';
import { LOAN_WORK } from './operator.js';

const text = z.string();
const perhaps = text.optional();
const token = z.enum(['USDC', 'SOL']);
const coin = z.enum(['USDC', 'SOL', 'other', 'wrapped']);
const amount = z.number().min(0);
/** Lamports, or millionths of a token. */
const units = z.int().min(0);
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
  verify: { wallet: text, message: text, change: perhaps },
  send: {
    transfers: z.array(z.strictObject({ to: text, token: coin, amount, of: perhaps })),
    cosigner: perhaps,
  },
  allow: { delegate: text, amount },
  advance: { ms: z.int().min(1) },
  setPrice: { token, usd: z.number(), in: perhaps, from: perhaps },
  setApy: { token, apy: z.union([z.number(), text]), in: perhaps, from: perhaps },
  oracle: { state: z.enum(['out', 'fresh', 'stale']) },
  desk: {
    what: z.enum(Object.keys(LOAN_WORK)),
    loan: text,
    dueIn: z.number().optional(),
    dueAt: z.number().optional(),
    reason: perhaps,
  },
  policy: { policy: perhaps },
  link: { x: z.boolean(), github: z.boolean() },
  setBalance: { to: text, token, units },
  faucet: { to: text, token: coin.exclude(['wrapped']), units },
  payLoan: { loan: text, units },
  drain: { token, left: units },
  overlap: { calls, order: units },
  snapshot: {},
  revert: { to: text },
  reload: {},
  kill: { call, at: z.enum(KILLED_AT), again: z.boolean().optional() },
  twin: { rule: z.enum(['reload', 'engine']), calls },
};

const ARGUMENTS: ReadonlyMap<string, z.ZodObject> = new Map([
  ...CALLS.map(({ name }) => [name, operation] as const),
  ...Object.entries(OTHERS).map(([name, shape]) => [name, z.strictObject(shape)] as const),
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
