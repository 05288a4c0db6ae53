import { z } from 'zod';
import { parseDuration } from '../../../core/domain/calendar.js';
import { badMatcher } from '../expecting/matchers.js';
import { hasReference, referencesIn } from '../references.js';
import type { Step } from '../scenario.js';
import { AGENT_VERBS, FIXED_REFERENCES, FLOW, WORLD_VERBS } from '../verbs/verbs.js';
import { type Expectations, expectationsSchema, stepMembers } from './schema.js';
import { misplaced } from './write.js';

/** An invalid step: what is wrong, and the path. */
export class BrokenStep extends Error {
  override readonly name = 'BrokenStep';

  constructor(
    readonly path: readonly (string | number)[],
    reason: string,
  ) {
    super(reason);
  }
}

type RawStep = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Context from the scenario for parsing its steps. */
export interface Reading {
  readonly agents: ReadonlySet<string>;
  readonly lineOf: (path: Path) => number | null;
}

const MEMBERS = new Set(Object.keys(stepMembers));
const members = z.looseObject(stepMembers);

/** The names closest to an unknown one, for a message: those with the longest common prefix. */
function nearest(name: string, known: readonly string[]): string {
  const first = known.filter((each) => each.startsWith(name.slice(0, 3)));
  return (first.length > 0 ? first : known).join(', ');
}

/** The relevant issue: the deepest one of the closest alternative. */
export function firstIssue(issues: readonly z.core.$ZodIssue[]): {
  path: (string | number)[];
  message: string;
} {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: 'not valid' };
  const path = issue.path as (string | number)[];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const inner = issue.errors
      .map((each) => firstIssue(each))
      .toSorted((a, b) => b.path.length - a.path.length);
    const [deepest] = inner;
    if (deepest !== undefined && deepest.path.length > 0)
      return { path: [...path, ...deepest.path], message: deepest.message };
    const messages = [...new Set(inner.map(({ message }) => message))];
    return { path, message: messages.join(', or ') };
  }
  if (issue.code === 'unrecognized_keys') {
    return {
      path: [...path, issue.keys[0] ?? ''],
      message: `there is no member ${issue.keys.join(', ')} here`,
    };
  }
  return { path, message: issue.message };
}

function valueIn(value: unknown, path: Path): unknown {
  let at = value;
  for (const part of path) at = (at as Record<string | number, unknown> | undefined)?.[part];
  return at;
}

/** Validates arguments as far as possible before references are resolved. */
function checkArgs(schema: z.ZodType, args: unknown, path: Path): void {
  const parsed = schema.safeParse(args);
  if (parsed.success) return;
  const unknownYet = (issue: z.core.$ZodIssue): boolean =>
    hasReference(valueIn(args, issue.path as (string | number)[])) ||
    (issue.code === 'invalid_union' && issue.errors.some((errors) => errors.every(unknownYetIn(issue.path))));
  const unknownYetIn = (prefix: readonly PropertyKey[]) => (issue: z.core.$ZodIssue) =>
    unknownYet({ ...issue, path: [...prefix, ...issue.path] });
  const known = parsed.error.issues.filter((issue) => !unknownYet(issue));
  if (known.length === 0) return;
  const { path: at, message } = firstIssue(known);
  throw new BrokenStep([...path, ...at], message);
}

/** Validates the matchers in an expected value. Throws BrokenStep. */
export function checkExpected(expected: unknown, path: Path): void {
  const bad = badMatcher(expected, (value) => referencesIn(value).length > 0);
  if (bad !== null) throw new BrokenStep([...path, ...bad.path], bad.message);
}

/** Validates the expectations of a step or a scenario. Throws BrokenStep. */
export function checkExpectations(expectations: unknown, path: Path): void {
  for (const [name, member] of Object.entries(expectations ?? {})) {
    // Member names here are agents and accounts.
    if (name === 'chain' || name === 'journal') checkExpectations(member, [...path, name]);
    else checkExpected(member, [...path, name]);
  }
}

function durationIn(value: unknown, path: Path): string {
  if (typeof value === 'string' && (parseDuration(value) ?? 0) > 0) return value;
  throw new BrokenStep(path, 'must be a duration such as 1s or 10m');
}

function flow(verb: string, given: unknown, path: Path, reading: Reading): Step['does'] {
  const inner = typeof given === 'object' && given !== null ? (given as RawStep) : {};
  switch (verb) {
    case 'expect': {
      checkArgs(expectationsSchema, given, path);
      checkExpectations(given, path);
      return { kind: 'expect', expectations: given as Expectations };
    }
    case 'parallel': {
      const steps = Array.isArray(given) ? given : null;
      if (steps === null || steps.length === 0) throw new BrokenStep(path, 'must be a list of steps');
      return { kind: 'parallel', steps: readSteps(steps, path, reading) };
    }
    case 'repeat': {
      const { times, steps, ...rest } = inner;
      const more = Object.keys(rest)[0];
      if (more !== undefined) throw new BrokenStep([...path, more], 'repeat has times and steps');
      if (!Array.isArray(steps) || steps.length === 0)
        throw new BrokenStep(path, 'must have times and a list of steps');
      const isCount = typeof times === 'number' && Number.isInteger(times) && times >= 1 && times <= 100_000;
      if (!isCount && !hasReference(times))
        throw new BrokenStep([...path, 'times'], 'must be a whole number from 1 to 100000');
      return {
        kind: 'repeat',
        times: times as number | string,
        steps: readSteps(steps, [...path, 'steps'], reading),
      };
    }
    default: {
      const { until, every = '1s', within = '10m', ...rest } = inner;
      const more = Object.keys(rest)[0];
      if (more !== undefined)
        throw new BrokenStep(
          [...path, more],
          'wait has until (a step with what to expect), every and within',
        );
      return {
        kind: 'wait',
        step: readStep(until, [...path, 'until'], reading),
        every: durationIn(every, [...path, 'every']),
        within: durationIn(within, [...path, 'within']),
      };
    }
  }
}

function doesOf(title: string, args: unknown, path: Path, reading: Reading): Step['does'] {
  const at = [...path, title];
  const inside = misplaced(args);
  if (inside !== undefined)
    throw new BrokenStep([...at, inside], `${inside} stands beside ${title}, not in it: indent it less`);
  if ((FLOW as readonly string[]).includes(title)) return flow(title, args, at, reading);
  if (Object.hasOwn(WORLD_VERBS, title)) {
    checkArgs(WORLD_VERBS[title as keyof typeof WORLD_VERBS].args as z.ZodType, args ?? undefined, at);
    return { kind: 'world', verb: title, args: args ?? undefined };
  }
  const [agent = '', ...rest] = title.split('.');
  const verb = rest.join('.');
  if (!reading.agents.has(agent)) {
    const agents = reading.agents.size === 0 ? 'no agents' : `the agents ${[...reading.agents].join(', ')}`;
    throw new BrokenStep(
      at,
      `nothing is called ${title}; there are ${agents} and ${nearest(agent, Object.keys(WORLD_VERBS))}, ${FLOW.join(', ')}`,
    );
  }
  if (!Object.hasOwn(AGENT_VERBS, verb)) {
    throw new BrokenStep(
      at,
      `an agent cannot ${verb === '' ? 'do nothing' : verb}; it can ${nearest(verb, Object.keys(AGENT_VERBS))}`,
    );
  }
  checkArgs(AGENT_VERBS[verb as keyof typeof AGENT_VERBS].args as z.ZodType, args ?? undefined, at);
  return { kind: 'agent', agent, verb, args: args ?? undefined };
}

function savedNames(save: Step['save']): string[] {
  if (save === null) return [];
  return typeof save === 'string' ? [save] : Object.keys(save);
}

/** Parses one step. Throws BrokenStep. */
export function readStep(raw: unknown, path: Path, reading: Reading): Step {
  if (typeof raw === 'string') return readStep({ [raw]: null }, path, reading);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new BrokenStep(path, 'must be a step such as alice.account or { time.advance: 1d }');
  const step = raw as RawStep;
  const isLooking = Object.keys(step).every((name) => MEMBERS.has(name)) && step['expect'] !== undefined;
  const titles = isLooking ? ['expect'] : Object.keys(step).filter((name) => !MEMBERS.has(name));
  const [title, another] = titles;
  if (title === undefined) throw new BrokenStep(path, 'the step does nothing');
  if (another !== undefined)
    throw new BrokenStep(
      [...path, another],
      `a step does one thing, here ${title}; beside it may stand ${[...MEMBERS].join(', ')}`,
    );
  checkArgs(members, Object.fromEntries(Object.entries(step).filter(([name]) => MEMBERS.has(name))), path);
  checkExpectations(step['expect'], [...path, 'expect']);
  const { expect = null, save = null, note = null, key, headers = {} } = step as z.output<typeof members>;
  if (isLooking && save !== null)
    throw new BrokenStep([...path, 'save'], 'a step that only looks has no answer to save');
  for (const name of savedNames(save))
    if (reading.agents.has(name) || FIXED_REFERENCES.includes(name))
      throw new BrokenStep([...path, 'save'], `${name} means something else already; use another name`);
  return {
    title,
    does: doesOf(title, step[title], path, reading),
    expect: isLooking ? null : expect,
    save,
    note,
    key,
    headers,
    line: reading.lineOf(path),
  };
}

/** Parses a list of steps. Throws BrokenStep. */
export function readSteps(raw: readonly unknown[], path: Path, reading: Reading): Step[] {
  return raw.map((step, index) => readStep(step, [...path, index], reading));
}
