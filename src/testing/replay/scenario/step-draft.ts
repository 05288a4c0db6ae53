/** A scenario step under construction, from a line of a recording. */
export interface StepDraft {
  readonly number: number;
  /** `alice.withdraw`, or a verb of the world. */
  readonly title: string;
  readonly args: unknown;
  readonly key?: string;
  /** Status and body of the recorded answer, with aliases for generated values; null when nothing is to be expected. */
  readonly told: { readonly status: number | null; readonly body: unknown } | null;
  /** Whether it only reads, and may be dropped if nothing refers to it. */
  readonly isRead: boolean;
  /** World time at which it must run. */
  readonly atMs: number;
  /** Saved members of its answer that other steps refer to, by name. */
  readonly saves: Map<string, string>;
}

/** A line without a step, and why. */
export interface LeftOut {
  readonly number: number;
  readonly why: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Yields every string in a value, with its path. */
export function* textsIn(
  value: unknown,
  path = '',
): Generator<{ readonly path: string; readonly text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      yield* textsIn(member, path === '' ? name : `${path}.${name}`);
  }
}

/** Maps every string in a value, including member names. */
export function withTexts(
  value: unknown,
  change: (text: string) => unknown,
  rename: (name: string) => string,
): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((element) => withTexts(element, change, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), withTexts(member, change, rename)]),
  );
}
