import { z } from 'zod';
import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { SERIES_COLUMNS } from '../model/feeds.js';
import { SPELLINGS } from '../model/types.js';
import { DAMAGES, FLAWS } from '../rpc/message.js';
import { ENCODINGS } from '../rpc/attempt.js';
import type { Step } from '../step.js';
import { LOAN_WORK, POLICIES } from './operator.js';
import { KILLED_AT, MISHAPS, type Mishap, RPC_MISHAPS } from '../world.js';
import type { Command } from './command.js';
import { SERIES_FORMS } from './rates.js';
import { TWIN_ARGS } from './twins.js';

const TABLE: Readonly<Record<EndpointId, Endpoint>> = endpoints(DEFAULT_VARIANTS);
const DAY_MS = 86_400_000;

const amount = z.number().min(0);
const token = z.enum(['USDC', 'SOL']);

/** What a call may have besides what its endpoint requires. Bodies and queries are free: refusing them is the service's work. */
const callMembers = {
  auth: z.string().optional(),
  query: z.record(z.string(), z.string()).optional(),
  body: z.json().optional(),
  key: z.string().optional(),
  spelling: z.enum(SPELLINGS).optional(),
};

function callSchema({ params }: Endpoint) {
  return z.strictObject({
    ...callMembers,
    ...(params === undefined ? {} : { params: z.strictObject({ id: z.string() }) }),
    mishap: z.enum(Object.keys(MISHAPS) as [Mishap]).optional(),
  });
}

const CALLS = Object.fromEntries(
  (Object.entries(TABLE) as [EndpointId, Endpoint][]).map(([id, endpoint]) => [id, callSchema(endpoint)]),
) as Record<EndpointId, ReturnType<typeof callSchema>>;

const overlapped = z
  .strictObject({ do: z.enum(Object.keys(TABLE) as [EndpointId]), by: z.string(), with: z.unknown() })
  .superRefine(({ do: id, with: args }, context) => {
    for (const { path, message } of CALLS[id].safeParse(args).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['with', ...path], message });
  });

const instant = z.iso.datetime({ offset: true });
const delay = z
  .string()
  .regex(/^\d+(ms|[smhd])$/)
  .optional();
/** When a change takes effect. */
const beginning = { in: delay, from: z.iso.datetime().optional() };
const percentage = z.string().regex(/^\s*\d{1,3}(\.\d{1,4})?\s*%\s*$/);
const whole = z.string().regex(/^[1-9]\d{0,3}$/);
const cell = z.string().regex(/^(\d{1,6}(\.\d{1,12})?)?$/);

/** A value, a series of values, or a walk that begins at one. */
function sourceOf(value: z.ZodNumber) {
  const points = z.array(z.strictObject({ at: instant, value })).min(1);
  const walk = z.strictObject({
    start: value.gt(0),
    every: z.enum(['12h', '1d', '7d', '30d', '90d']),
    step: z.number().gt(0).max(1),
    min: z.number().min(0).optional(),
    max: z.number().gt(0).optional(),
  });
  return z.union([value, z.strictObject({ series: points }), z.strictObject({ walk })]);
}

const share = z.number().min(0).max(1);
const curve = z.strictObject({
  curve: z.strictObject({
    base: share,
    slope1: share,
    slope2: z.number().min(0).max(11),
    optimal: share,
    reserveFactor: share,
    utilization: z.union([
      share,
      z.strictObject({ series: z.array(z.strictObject({ at: instant, value: share })).min(1) }),
    ]),
  }),
});

const reason = z.string().min(1);
const verdict = z.union([
  z.enum(['approve', 'deny', 'approve:once']),
  z.strictObject({ approve: reason }),
  z.strictObject({ deny: reason }),
]);
const script = z.strictObject({
  script: z.array(verdict).min(1),
  after: z.enum(['auto', 'manual']).optional(),
});

const transfer = z.strictObject({
  to: z.string(),
  token: z.enum(['USDC', 'SOL', 'other', 'wrapped']),
  amount,
  of: z.string().optional(),
});

/** The arguments of each built-in command. A step that does not fit could not have been drawn, and what it shows is no finding. */
export const STEP_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...CALLS,
  signIn: z.strictObject({}),
  verify: z.strictObject({
    wallet: z.string(),
    message: z.string(),
    change: z.enum(['message', 'signature', 'empty']).optional(),
  }),
  send: z.strictObject({ transfers: z.array(transfer).min(1), cosigner: z.string().optional() }),
  rpcSend: z.strictObject({
    version: z.literal(['legacy', 0]),
    transfers: z.array(z.strictObject({ to: z.string(), lamports: z.int().min(0) })),
    memo: z.string().min(1).optional(),
    fill: z.int().min(0).max(1).optional(),
    units: z.int().min(1).optional(),
    price: z.int().min(0).optional(),
    cosigner: z.string().optional(),
    lifetime: z.string().optional(),
    table: z.string().optional(),
    creates: z.enum(['nonce', 'table']).optional(),
    encoding: z.enum(ENCODINGS),
    skipPreflight: z.boolean(),
    flaw: z.enum([...FLAWS, ...Object.keys(DAMAGES)]).optional(),
    mishap: z.enum(RPC_MISHAPS).optional(),
    again: z.literal(true).optional(),
  }),
  allow: z.strictObject({ delegate: z.string(), amount }),
  advance: z.strictObject({
    ms: z
      .number()
      .min(0)
      .max(3_650 * DAY_MS),
  }),
  setPrice: z.strictObject({ token, usd: sourceOf(z.number().min(1e-8).max(1e9)), ...beginning }),
  setApy: z.strictObject({
    token,
    apy: z.union([sourceOf(z.number().min(0).max(10)), percentage, curve]),
    ...beginning,
  }),
  series: z
    .strictObject({
      columns: z.array(z.enum(SERIES_COLUMNS)).min(1),
      rows: z.array(z.tuple([instant], cell)).min(1),
      form: z.enum(SERIES_FORMS).optional(),
      ...beginning,
    })
    .refine(
      ({ columns, rows }) =>
        rows.every(({ length }) => length === columns.length + 1) && new Set(columns).size === columns.length,
    ),
  history: z
    .strictObject({
      csv: z.literal(true).optional(),
      token: token.optional(),
      kind: z.enum(['apy', 'usd']).optional(),
      from: z.iso.datetime().optional(),
      to: z.iso.datetime().optional(),
      limit: whole.optional(),
    })
    .refine(({ csv, token: of, kind }) => csv === true || (of !== undefined && kind !== undefined)),
  oracle: z.strictObject({ state: z.enum(['out', 'stale', 'fresh']) }),
  desk: z.strictObject({
    what: z.enum(Object.keys(LOAN_WORK)),
    loan: z.string(),
    dueIn: z.int().min(1_000).optional(),
    dueAt: z.int().min(0).optional(),
    reason: reason.optional(),
  }),
  loanList: z.strictObject({
    wallet: z.string(),
    status: z.string().optional(),
    limit: whole.optional(),
    offset: z
      .string()
      .regex(/^\d{1,3}$/)
      .optional(),
  }),
  policy: z.strictObject({ policy: z.union([z.enum(POLICIES), script]).optional() }),
  setBalance: z.strictObject({ to: z.string(), token, units: z.int().min(0) }),
  faucet: z.strictObject({ to: z.string(), token: z.enum(['USDC', 'SOL', 'other']), units: z.int().min(1) }),
  payLoan: z.strictObject({ loan: z.string(), units: z.int().min(1) }),
  drain: z.strictObject({ token, left: z.int().min(0) }),
  link: z.strictObject({ x: z.boolean(), github: z.boolean() }),
  overlap: z.strictObject({ calls: z.array(overlapped).min(1), order: z.int().min(0) }),
  snapshot: z.strictObject({}),
  revert: z.strictObject({ to: z.string() }),
  reload: z.strictObject({}),
  kill: z.strictObject({ call: overlapped, at: z.enum(KILLED_AT), again: z.literal(true).optional() }),
  twin: TWIN_ARGS,
};

/** Why a step does not fit the schema of its command; null if it does, or its command has none. */
export function misfit({ do: name, with: args }: Step, commands: readonly Command[]): string | null {
  const issue = commands.find((each) => each.name === name)?.args?.safeParse(args).error?.issues[0];
  return issue === undefined ? null : `${name}: ${[...issue.path, issue.message].join(': ')}`;
}
