import fc from 'fast-check';
import type { EndpointId } from '../../contract/endpoints.js';
import { amountNear, noisyAmount, roundAmount } from './amounts.js';
import { CALLS, FORMS } from './commands/calls.js';
import { Generated } from './draw.js';
import type { Drawn } from './commands/command.js';
import { InvalidCampaign } from './invalid-campaign.js';
import type { ModelToken } from './model/types.js';
import { AGENT_NAMES } from './play/model-runner.js';
import { type Sequence, sequences } from './play/sequences.js';
import { rounder } from './play/shrinks.js';
import { type Member, queryText, valueOf } from './shapes.js';
import { SPANS } from './spans.js';
import type { Args, Json } from './step.js';

/** The default agents of a world, which are rich, moderate and new. */
const AGENTS = 3;

/** Numbers that shrink to rounder ones, the roundest first. */
function readable(numbers: fc.Arbitrary<number>, name: 'amount' | 'ms'): fc.Arbitrary<number> {
  return new Generated(
    (random, bias) => numbers.generate(random, bias).value,
    (value) => (typeof value === 'number' ? rounder(value, name).filter((each) => each > 0) : []),
  );
}

/**
 * Amounts of a token, in token units: round amounts, amounts with binary rounding noise, and amounts at or next to `edges`, such as a
 * balance or a limit. All are positive, have at most the token's decimals, and shrink to rounder amounts.
 */
export function amount(token: ModelToken = 'USDC', edges: readonly number[] = []): fc.Arbitrary<number> {
  const digits = token === 'SOL' ? 9 : 6;
  const units = edges.map((edge) => BigInt(Math.round(edge * 10 ** digits)));
  const some = fc.oneof(
    { weight: edges.length === 0 ? 0 : 6, arbitrary: amountNear(units, token) },
    { weight: 3, arbitrary: roundAmount },
    { weight: 1, arbitrary: noisyAmount },
  );
  return readable(
    some.map((value) => Number(value.toFixed(digits))),
    'amount',
  );
}

/** Names of a world's agents: ann, ben and cem, or up to eight. */
export function wallet(agents: number = AGENTS): fc.Arbitrary<string> {
  return fc.constantFrom(...AGENT_NAMES.slice(0, agents));
}

/** Time spans in milliseconds at whose ends something expires, falls due or resets. They shrink to rounder spans. */
export function span(): fc.Arbitrary<number> {
  return readable(fc.constantFrom(...SPANS), 'ms');
}

function memberOf({ name, shape }: Member): fc.Arbitrary<Json> {
  if (name.endsWith('amount') && shape.type !== 'string') return amount();
  if (name.endsWith('token')) return fc.constantFrom('USDC', 'SOL');
  if (['recipient', 'destination', 'wallet'].includes(name)) return wallet().map((each) => `\${${each}}`);
  return valueOf(shape);
}

function argsOf(members: readonly Member[]): fc.Arbitrary<Args> {
  const values = Object.fromEntries(members.map((member) => [member.name, memberOf(member)]));
  const requiredKeys = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return fc.record(values, { requiredKeys });
}

/**
 * Calls of one operation, or of any, by any agent, with bodies and queries from its schema. Use `sequence` for calls that succeed more
 * often.
 */
export function operation(...names: EndpointId[]): fc.Arbitrary<Drawn> {
  const some = names.length === 0 ? CALLS.map((command) => command.name as EndpointId) : names;
  return fc.oneof(...some.map(callsOf));
}

function callsOf(name: EndpointId): fc.Arbitrary<Drawn> {
  const { endpoint, body, query } = FORMS[name];
  const texts = argsOf(query).map((args) =>
    Object.fromEntries(Object.entries(args).map(([key, value]) => [key, queryText(value)])),
  );
  return fc.record({
    do: fc.constant(name),
    by: wallet(),
    with: fc.record<Record<string, Json>>({
      ...(endpoint.params === undefined ? {} : { params: fc.constant({ id: 'loan_of_nobody' }) }),
      ...(endpoint.body === undefined ? {} : { body: argsOf(body) }),
      ...(endpoint.query === undefined ? {} : { query: texts }),
    }),
  });
}

/** Sequences that are drawn while they are played, for `check` or a custom property. Has no options; throws InvalidCampaign for one. */
export function sequence(options: Readonly<Record<string, never>> = {}): fc.Arbitrary<Sequence> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined) throw new InvalidCampaign(`sequence has no option ${unknown}: pass it to check`);
  return sequences;
}
