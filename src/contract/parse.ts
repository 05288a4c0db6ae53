import type { z } from 'zod';
import { isObject } from '../core/json.js';

/** The paths of issues, including the issues of each alternative of a union. */
function pathsOf(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): PropertyKey[][] {
  return issues.flatMap((issue) => {
    const path = [...before, ...issue.path];
    return issue.code === 'invalid_union' ? issue.errors.flatMap((each) => pathsOf(each, path)) : [path];
  });
}

/** A value without the member at a path, if that is null. */
function withoutNull(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (name === undefined || !isObject(value) || typeof name !== 'string') return value;
  const { [name]: member, ...others } = value;
  if (rest.length === 0) return member === null ? others : value;
  const lean = withoutNull(member, rest);
  return lean === member ? value : { ...value, [name]: lean };
}

/** The parameters of a query. A repeated parameter becomes a list, which the schema of a parameter rejects. */
export function queryOf(params: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const names = new Set(params.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** The parameters in the form of a recording: a list as one text, with commas. */
export function queryTexts(query: ReturnType<typeof queryOf>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

/** Parses JSON by a schema. `null` for an optional member counts as absent. */
export function parseBySchema<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed;
  const lean = pathsOf(parsed.error.issues).reduce(withoutNull, value);
  return lean === value ? parsed : schema.safeParse(lean, { reportInput: true });
}
