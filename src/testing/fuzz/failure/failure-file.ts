import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Failure } from '../play/sequence.js';
import type { Json, Step } from '../step.js';

/** The format's name, by which a file is known. */
export const FAILURE_FORMAT = 'agent-bank-sim failure';
/** The version that is written; older ones are read too. */
export const FAILURE_VERSION = 1;

const json: z.ZodType<Json> = z.json();

const step = z.strictObject({
  id: z.int().min(0),
  do: z.string().min(1),
  by: z.string().optional(),
  with: z.record(z.string(), json),
});

const failure = z.strictObject({ at: z.int().min(0), kind: z.string(), text: z.string() });

const world = z.strictObject({
  engine: z.enum(['litesvm', 'bankrun']),
  transport: z.enum(['direct', 'http']),
  seed: z.string(),
  variants: z.record(z.string(), json),
});

/** A counterexample as it is kept: every step with everything decided, so that anybody can play it. */
export const failureFile = z.strictObject({
  format: z.literal(FAILURE_FORMAT),
  version: z.int(),
  /** Also the file's name. */
  name: z.string(),
  /** What it was found with. */
  found: z.strictObject({ property: z.string(), seed: z.int(), run: z.int() }),
  software: z.record(z.string(), z.string()),
  world,
  agents: z.int().min(1).max(8),
  failure,
  /** How it fails on the other engine; null for not at all. */
  confirmed: z.strictObject({ engine: z.enum(['litesvm', 'bankrun']), failure: failure.nullable() }),
  steps: z.array(step).min(1),
});

export type FailureFile = Readonly<z.output<typeof failureFile>>;

/** The text of a file is no counterexample, or one of a newer version. */
export class UnreadableFailure extends Error {
  override readonly name = 'UnreadableFailure';
}

/** Reads the text of a file. Throws UnreadableFailure with what is wrong. */
export function readFailure(text: string, path: string): FailureFile {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFailure(`${path} is no JSON: ${(error as Error).message}`);
  }
  const { format, version } = (given ?? {}) as { format?: unknown; version?: unknown };
  if (format !== FAILURE_FORMAT)
    throw new UnreadableFailure(
      `${path} is no counterexample of sim fuzz: its format is ${JSON.stringify(format ?? null)}`,
    );
  if (typeof version === 'number' && version > FAILURE_VERSION)
    throw new UnreadableFailure(
      `${path} is of version ${version}, and this agent-bank-sim reads up to ${FAILURE_VERSION}: use a newer one`,
    );
  const parsed = failureFile.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnreadableFailure(
    `${path} is damaged at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

/** The text of a file: a member a line, a step a line, so that differences can be read. */
export function writeFailure(file: FailureFile): string {
  const { steps, ...rest } = file;
  const members = Object.entries(rest).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const lines = steps.map((each) => `    ${JSON.stringify(each)}`);
  return `{\n${members.join(',\n')},\n  "steps": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** A name for a failure, the same for the same steps: what fails, and a few digits of what is done. */
export function failureName({ kind }: Failure, steps: readonly Step[]): string {
  const words = kind
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  const digits = createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 6);
  return `${words}-${digits}`;
}
