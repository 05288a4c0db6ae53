/** A step of a scenario that is being made from a line of a recording. */
export interface StepDraft {
  readonly number: number;
  /** `alice.withdraw`, or a verb of the world. */
  readonly title: string;
  readonly args: unknown;
  readonly key?: string;
  /** The recorded answer's status and body, in which names stand for what the world made up; null when there is none to expect. */
  readonly told: { readonly status: number | null; readonly body: unknown } | null;
  /** Whether it only looks, so that it may be left out when nothing refers to it. */
  readonly isRead: boolean;
  /** The world's time, where it has to be brought about. */
  readonly atMs: number;
  /** Members of its answer that other steps refer to, by the names that they are saved under. */
  readonly saves: Map<string, string>;
}

/** Why a line has no step. */
export interface LeftOut {
  readonly number: number;
  readonly why: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Every text in a value, with its path. */
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

/** A value with every text in it made another, and every name of a member. */
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
