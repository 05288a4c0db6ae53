import { z } from 'zod';
import { parseDuration } from '../../../core/domain/calendar.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { isObject } from '../../../core/json.js';
import { hintOrLikely, likely, suggestion, unknownMemberText } from '../../../core/suggestion.js';
import { hasReference } from '../references.js';
import type { Step } from '../scenario.js';
import type { WorldVerb } from '../verbs/verb.js';
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

/** Parses a value by its schema. `path` is the path of the value in the file. Throws BrokenStep. */
export function readValue<T>(schema: z.ZodType<T>, value: unknown, path: Path = []): T {
  const parsed = schema.safeParse(value, { error: messageOf });
  if (parsed.success) return parsed.data;
  const { path: at, message } = firstIssue(parsed.error.issues);
  throw new BrokenStep([...path, ...at], message);
}

/** Schemas that accept references, by the schema of the value without references. */
export const REFERABLE = z.registry<{ readonly plain: unknown }>();

/** Whether an issue can disappear when references are resolved. */
function isOpen(issue: z.core.$ZodIssue): boolean {
  if (hasReference(issue.input)) return true;
  return issue.code === 'invalid_union' && issue.errors.some((errors) => errors.every(isOpen));
}

/** Accepts references anywhere in a value, which is parsed once they are resolved. null is not a value. `message` replaces the messages of issues. */
function referable<A>(plain: z.ZodType<A>, message?: string): z.ZodType<A | string> {
  const schema = z.unknown().check(({ value, issues }) => {
    const { error } = plain.safeParse(value ?? undefined, { reportInput: true, error: messageOf });
    for (const issue of (error?.issues ?? []).filter((each) => !isOpen(each)))
      issues.push({ ...issue, message: message ?? issue.message } as z.core.$ZodRawIssue);
  });
  return schema.register(REFERABLE, { plain }) as z.ZodType<A | string>;
}

function argumentsOf(verbs: Readonly<Record<string, unknown>>): Record<string, z.ZodType> {
  const entries = Object.entries(verbs as Record<string, WorldVerb>);
  return Object.fromEntries(
    entries.map(([name, { args, summary }]) => [name, referable(args).describe(summary).optional()]),
  );
}

const WORLD_ARGUMENTS: object = argumentsOf(WORLD_VERBS);
const AGENT_ARGUMENTS = Object.entries(argumentsOf(AGENT_VERBS));

const duration = z
  .string()
  .refine((given) => (parseDuration(given) ?? 0) > 0, 'must be a duration such as 1s or 10m');

/** A step as written, with its action under its title. */
interface ParsedStep extends z.output<ReturnType<typeof stepObject>> {}

function stepObject(agents: ReadonlySet<string>, step: z.ZodType<ParsedStep>) {
  const steps = z.array(step, 'must be a list of steps').min(1, 'must be a list of steps');
  const agentArguments: object = Object.fromEntries(
    [...agents].flatMap((agent) => AGENT_ARGUMENTS.map(([verb, args]) => [`${agent}.${verb}`, args])),
  );
  const shape = {
    ...stepMembers,
    ...WORLD_ARGUMENTS,
    repeat: z
      .strictObject(
        {
          times: referable(z.int().min(1).max(100_000), 'must be a whole number from 1 to 100000'),
          steps,
        },
        'repeat needs times and steps',
      )
      .optional()
      .describe('Repeat steps; ${round} is the number of the round'),
    parallel: steps.optional().describe('Run calls concurrently'),
    wait: z
      .strictObject(
        {
          until: step.nonoptional(),
          every: duration.default('1s').describe('interval between attempts (default 1s)'),
          within: duration.default('10m').describe('timeout (default 10m)'),
        },
        'wait needs until (a step with expectations); every and within are optional',
      )
      .optional()
      .describe('Retry a step until its response is as expected'),
    ...agentArguments,
  };
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownTitle(issue.keys[0] ?? '', agents)
        : 'must be a step such as alice.account or { time.advance: 1d }',
  });
}

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

/** Reports problems of a step that do not depend on its arguments. */
function checkTitles(
  step: Readonly<Record<string, unknown>>,
  agents: ReadonlySet<string>,
  refuse: (path: Path, message: string) => void,
): void {
  const [title, another] = titlesIn(step);
  if (title === undefined) return refuse([], 'the step has no action');
  const stranger = strangerOnChain(step['expect'], agents);
  if (stranger !== null) return refuse(['expect', ...stranger.path], stranger.message);
  const beside = MEMBERS.join(', ');
  if (another !== undefined)
    return refuse([another], `a step has one action, here ${title}; the step can also have ${beside}`);
  const inside = misplaced(step[title]);
  if (inside !== undefined)
    return refuse([title, inside], `${inside} belongs beside ${title}, not in it: indent it less`);
  const { save } = step;
  const names = typeof save === 'string' ? [save] : Object.keys(isObject(save) ? save : {});
  if (title === 'expect' && names.length > 0)
    return refuse(['save'], 'a step without an action has no response to save');
  const taken = names.find((name) => agents.has(name) || FIXED_REFERENCES.includes(name));
  if (taken !== undefined) refuse(['save'], `${taken} already has another meaning; use another name`);
}

/** The schema of a step in which `agents` act. */
export function stepSchema(agents: ReadonlySet<string>): z.ZodType<ParsedStep> {
  const step = z.lazy((): z.ZodType<ParsedStep> =>
    z.preprocess(
      (given, context) => {
        const written = typeof given === 'string' ? { [given]: null } : given;
        const refuse = (path: Path, message: string) =>
          context.addIssue({ code: 'custom', path: [...path], message });
        if (isObject(written)) checkTitles(written, agents, refuse);
        return written;
      },
      stepObject(agents, step),
    ),
  );
  return step;
}

type LineOf = (path: Path) => number | null;

function actionOf(title: string, step: ParsedStep, path: Path, lineOf: LineOf): Step['does'] {
  const { expect = {}, repeat, parallel, wait } = step;
  const at = [...path, title];
  const inside = (steps: readonly ParsedStep[], where: Path) =>
    steps.map((each, index) => stepOf(each, [...where, index], lineOf));
  if (title === 'expect') return { kind: 'expect', expectations: expect };
  if (repeat !== undefined)
    return { kind: 'repeat', times: repeat.times, steps: inside(repeat.steps, [...at, 'steps']) };
  if (parallel !== undefined) return { kind: 'parallel', steps: inside(parallel, at) };
  if (wait !== undefined) {
    const { until, every, within } = wait;
    return { kind: 'wait', step: stepOf(until, [...at, 'until'], lineOf), every, within };
  }
  const args = (step as Readonly<Record<string, unknown>>)[title] ?? undefined;
  if (Object.hasOwn(WORLD_VERBS, title)) return { kind: 'world', verb: title, args };
  const [agent = '', ...verb] = title.split('.');
  return { kind: 'agent', agent, verb: verb.join('.'), args };
}

function stepOf(step: ParsedStep, path: Path, lineOf: LineOf): Step {
  const [title = ''] = titlesIn(step);
  const { expect, save, note, key, headers } = step;
  const does = actionOf(title, step, path, lineOf);
  const line = lineOf(path);
  return { title, does, expect: title === 'expect' ? undefined : expect, save, note, key, headers, line };
}

/** Reads the step at a path of a file. Throws BrokenStep. */
export type ReadStep = (raw: unknown, path: Path) => Step;

export function stepReader(agents: ReadonlySet<string>, lineOf: LineOf): ReadStep {
  const schema = stepSchema(agents);
  return (raw, path) => stepOf(readValue(schema, raw, path), path, lineOf);
}
