import { z } from 'zod';
import { parseDuration } from '../../../core/domain/calendar.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { isObject } from '../../../core/json.js';
import { hintOrLikely, likely, suggestion, unknownMemberText } from '../../../core/suggestion.js';
import { hasReference } from '../references.js';
import type { Step } from '../scenario.js';
import { AGENT_VERBS, FIXED_REFERENCES, FLOW, WORLD_VERBS } from '../verbs/verbs.js';
import { stepMembers } from './schema.js';
import { misplaced } from './write.js';

type Path = readonly (string | number)[];

/** An invalid step: the problem and its path. */
export class BrokenStep extends Error {
  override readonly name = 'BrokenStep';

  constructor(
    readonly path: Path,
    reason: string,
  ) {
    super(reason);
  }

  /** The problem, after its path. */
  get located(): string {
    return this.path.length === 0 ? this.message : `${this.path.join('.')}: ${this.message}`;
  }
}

/** The message for a missing member begins so, and ends with the type that is expected. */
const MISSING = 'is missing: expected ';

/** The relevant issue: an unknown member, which explains a missing one, or the deepest issue of the closest alternative. */
function firstIssue(issues: readonly z.core.$ZodIssue[]): {
  path: (string | number)[];
  message: string;
} {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return { path: [], message: 'not valid' };
  const path = issue.path as (string | number)[];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // An alternative that has all the members is closer than one that lacks a member.
    const inner = issue.errors
      .map((each) => ({
        ...firstIssue(each),
        isOther: each.some(({ code }) => code === 'unrecognized_keys'),
      }))
      .toSorted((a, b) => b.path.length - a.path.length || Number(a.isOther) - Number(b.isOther));
    const [deepest] = inner;
    if (deepest !== undefined && deepest.path.length > 0)
      return { path: [...path, ...deepest.path], message: deepest.message };
    const messages = [...new Set(inner.map(({ message }) => message))];
    const [first = '', ...others] = messages;
    const rest = others.map((each) => (first.startsWith(MISSING) ? each.replace(MISSING, '') : each));
    return { path, message: [first, ...rest].join(', or ') };
  }
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], message: issue.message };
  return { path, message: issue.message };
}

/** The message for an unknown name: a suggestion and the known names. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `there is no ${what} ${name}${suggestion(name, known) || '.'} There are: ${known.join(', ')}`;
}

/** The message for a number out of range, and for an unknown member. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'number' && issue.inclusive !== false)
    return `must be ${String(issue.minimum)} or more`;
  if (issue.code === 'too_big' && issue.origin === 'number' && issue.inclusive !== false)
    return `must be ${String(issue.maximum)} or less`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return MISSING + issue.expected;
  return unknownMemberText(issue);
}

function brokenBy(issues: readonly z.core.$ZodIssue[], path: Path): BrokenStep {
  const { path: at, message } = firstIssue(issues);
  return new BrokenStep([...path, ...at], message);
}

/** Parses a value by its schema. `path` is the path of the value in the file. Throws BrokenStep. */
export function readValue<T>(schema: z.ZodType<T>, value: unknown, path: Path = []): T {
  const parsed = schema.safeParse(value, { error: messageOf });
  if (parsed.success) return parsed.data;
  throw brokenBy(parsed.error.issues, path);
}

/** Whether an issue can disappear when references are resolved. */
function isOpen(issue: z.core.$ZodIssue): boolean {
  if (hasReference(issue.input)) return true;
  return issue.code === 'invalid_union' && issue.errors.some((errors) => errors.every(isOpen));
}

/** Checks arguments with references, which are parsed once these are resolved. null is not a value. Throws BrokenStep. */
function checkArguments(schema: z.ZodType, value: unknown, path: Path): void {
  const { error } = schema.safeParse(value ?? undefined, { reportInput: true, error: messageOf });
  const issues = (error?.issues ?? []).filter((each) => !isOpen(each));
  if (issues.length > 0) throw brokenBy(issues, path);
}

/** A reference in place of a value that is not a string, as JSON Schema. */
export const REFERENCE_JSON = {
  type: 'string',
  pattern: '\\$\\{',
  description: 'a reference such as ${bob}',
};

const NO_STEP = 'must be a step such as alice.account or { time.advance: 1d }';
/** A step within another one, which is read after it. */
export const innerStep = z.unknown().meta({ id: 'step' });
const steps = z.array(innerStep, 'must be a list of steps').min(1, 'must be a list of steps');
const MOST_ROUNDS = 100_000;
const duration = z
  .string()
  .refine((given) => (parseDuration(given) ?? 0) > 0, 'must be a duration such as 1s or 10m');

/** The arguments of steps that contain other steps. */
export const flowArguments = {
  repeat: z
    .strictObject(
      {
        times: z
          .unknown()
          .refine(
            (given) => hasReference(given) || z.int().min(1).max(MOST_ROUNDS).safeParse(given).success,
            `must be a whole number from 1 to ${MOST_ROUNDS}`,
          )
          .meta({ anyOf: [{ type: 'integer', minimum: 1, maximum: MOST_ROUNDS }, REFERENCE_JSON] }),
        steps,
      },
      'repeat needs times and steps',
    )
    .describe('Repeat steps; ${round} is the number of the round'),
  parallel: steps.describe('Run calls concurrently'),
  wait: z
    .strictObject(
      {
        until: innerStep.nonoptional(NO_STEP),
        every: duration.default('1s').describe('interval between attempts (default 1s)'),
        within: duration.default('10m').describe('timeout (default 10m)'),
      },
      'wait needs until (a step with expectations); every and within are optional',
    )
    .describe('Retry a step until its response is as expected'),
};

const VERBS_OF_AGENTS = Object.keys(AGENT_VERBS);

function unknownTitle(title: string, agents: ReadonlySet<string>): string {
  const [agent = '', ...rest] = title.split('.');
  const verb = rest.join('.');
  if (agents.has(agent))
    return `an agent cannot ${verb === '' ? 'do nothing' : verb}${suggestion(verb, VERBS_OF_AGENTS) || `; it can ${likely(verb, VERBS_OF_AGENTS)}`}`;
  const hint = VERBS_OF_AGENTS.includes(verb)
    ? suggestion(agent, [...agents])
    : suggestion(title, [...Object.keys(WORLD_VERBS), ...FLOW]);
  if (hint !== '') return `unknown step ${title}${hint}`;
  const known = agents.size === 0 ? 'no agents' : `the agents ${[...agents].join(', ')}`;
  return `unknown step ${title}; there are ${known} and ${likely(agent, Object.keys(WORLD_VERBS))}, ${FLOW.join(', ')}`;
}

const MEMBERS = Object.keys(stepMembers);
const MEMBERS_SCHEMA = z.object(stepMembers);

/** The action of a step by its title: exactly one, or only expect. */
function titlesIn(step: object): string[] {
  const titles = Object.keys(step).filter((name) => !MEMBERS.includes(name));
  return titles.length === 0 && 'expect' in step ? ['expect'] : titles;
}

/** The first name in an expectation of the chain that is neither an agent nor an address; null if there is none. */
export function strangerOnChain(expected: unknown, agents: ReadonlySet<string>): BrokenStep | null {
  const chain = isObject(expected) ? expected['chain'] : undefined;
  const known = [...agents, 'treasury'];
  const name = Object.keys(isObject(chain) ? chain : {}).find(
    (each) => !known.includes(each) && !isAddress(each) && !hasReference(each),
  );
  if (name === undefined) return null;
  const reason = `${name} is neither an agent nor an address${hintOrLikely(name, known)}`;
  return new BrokenStep(['chain', name], reason);
}

/** The title of a step. Throws BrokenStep for a problem that depends on neither its arguments nor its members. */
function titleOf(step: Readonly<Record<string, unknown>>, agents: ReadonlySet<string>, path: Path): string {
  const refused = (at: Path, message: string) => new BrokenStep([...path, ...at], message);
  const [title, another] = titlesIn(step);
  if (title === undefined) throw refused([], 'the step has no action');
  const stranger = strangerOnChain(step['expect'], agents);
  if (stranger !== null) throw refused(['expect', ...stranger.path], stranger.message);
  const beside = MEMBERS.join(', ');
  if (another !== undefined)
    throw refused([another], `a step has one action, here ${title}; the step can also have ${beside}`);
  const inside = misplaced(step[title]);
  if (inside !== undefined)
    throw refused([title, inside], `${inside} belongs beside ${title}, not in it: indent it less`);
  const { save } = step;
  const names = typeof save === 'string' ? [save] : Object.keys(isObject(save) ? save : {});
  if (title === 'expect' && names.length > 0)
    throw refused(['save'], 'a step without an action has no response to save');
  const taken = names.find((name) => agents.has(name) || FIXED_REFERENCES.includes(name));
  if (taken !== undefined) throw refused(['save'], `${taken} already has another meaning; use another name`);
  return title;
}

type Verbs = Readonly<Record<string, { readonly args: z.ZodType }>>;

type LineOf = (path: Path) => number | null;

/** Reads the step at a path of a file. Throws BrokenStep. */
export type ReadStep = (raw: unknown, path: Path) => Step;

/** Reads steps in which `agents` act. */
export function stepReader(agents: ReadonlySet<string>, lineOf: LineOf): ReadStep {
  const inside = (list: readonly unknown[], path: Path) => list.map((each, at) => read(each, [...path, at]));
  const actionOf = (title: string, args: unknown, at: Path): Step['does'] => {
    if (title === 'parallel')
      return { kind: 'parallel', steps: inside(readValue(flowArguments.parallel, args, at), at) };
    if (title === 'repeat') {
      const { times, steps: repeated } = readValue(flowArguments.repeat, args, at);
      return { kind: 'repeat', times: times as number | string, steps: inside(repeated, [...at, 'steps']) };
    }
    if (title === 'wait') {
      const { until, ...times } = readValue(flowArguments.wait, args, at);
      return { kind: 'wait', step: read(until, [...at, 'until']), ...times };
    }
    const isOfWorld = Object.hasOwn(WORLD_VERBS, title);
    const [agent = '', ...rest] = title.split('.');
    const verb = isOfWorld ? title : rest.join('.');
    const verbs: Verbs = isOfWorld ? WORLD_VERBS : agents.has(agent) ? AGENT_VERBS : {};
    const schema = Object.hasOwn(verbs, verb) ? verbs[verb]?.args : undefined;
    if (schema === undefined) throw new BrokenStep(at, unknownTitle(title, agents));
    checkArguments(schema, args, at);
    return isOfWorld ? { kind: 'world', verb, args } : { kind: 'agent', agent, verb, args };
  };
  const read: ReadStep = (raw, path) => {
    const step = typeof raw === 'string' ? { [raw]: null } : raw;
    if (!isObject(step)) throw new BrokenStep(path, NO_STEP);
    const title = titleOf(step, agents, path);
    const { expect, ...members } = readValue(MEMBERS_SCHEMA, step, path);
    const line = lineOf(path);
    if (title === 'expect')
      return { title, does: { kind: 'expect', expectations: expect ?? {} }, ...members, line };
    const does = actionOf(title, step[title] ?? undefined, [...path, title]);
    return { title, does, expect, ...members, line };
  };
  return read;
}
