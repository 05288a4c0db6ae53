import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Variants } from '../../../core/domain/variants.js';
import { FUZZ_LIMITS } from '../limits.js';
import type { Failure } from '../play/sequences.js';
import type { Json, Step } from '../step.js';
import { issueText } from '../../../core/json.js';

export const FAILURE_FORMAT = 'agent-bank-sim failure';
/** The version written, which alone can be read. */
export const FAILURE_VERSION = 3;

const json: z.ZodType<Json> = z.json();

const step = z.strictObject({
  id: z.int().min(0),
  do: z.string().min(1),
  by: z.exactOptional(z.string()),
  with: z.record(z.string(), json),
});

const failure = z.strictObject({
  at: z.int().min(0),
  kind: z.string(),
  text: z.string(),
  rule: z.exactOptional(z.string()),
});

/** Their values are checked when a world opens. */
const variants: z.ZodType<Partial<Variants>> = z.record(z.string(), z.any());

const world = z.strictObject({
  engine: z.enum(['litesvm', 'bankrun']),
  transport: z.enum(['direct', 'http']),
  seed: z.string(),
  variants,
  /** Limits of the bank and on callers that differ from the defaults. */
  limits: z.exactOptional(z.partialRecord(z.enum(FUZZ_LIMITS), z.number())),
});

/** A stored counterexample: every step with every choice made, so that it can be replayed anywhere. */
export const failureFile = z.strictObject({
  format: z.literal(FAILURE_FORMAT),
  version: z.int(),
  /** Also used as the file name. */
  name: z.string(),
  found: z.strictObject({ property: z.string(), seed: z.int(), run: z.int() }),
  software: z.record(z.string(), z.string()),
  world,
  agents: z.int().min(1).max(8),
  /** It was found with a custom model, which a replay needs. */
  ownModel: z.exactOptional(z.literal(true)),
  /** It failed only in the campaign: not in a fresh world, and not after the same sequences. */
  unrepeatable: z.exactOptional(z.literal(true)),
  failure,
  /** How it fails on the other engine; null if it does not. */
  confirmed: z.strictObject({ engine: z.enum(['litesvm', 'bankrun']), failure: failure.nullable() }),
  steps: z.array(step).min(1).readonly(),
});

export type FailureFile = Readonly<z.output<typeof failureFile>>;

/** The file is not a counterexample, or has another version. */
export class UnreadableFailure extends Error {
  override readonly name = 'UnreadableFailure';
}

/** Whether a text looks like a stored counterexample. */
export function isFailure(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"([^"]*)"/.exec(text)?.[1] === FAILURE_FORMAT;
}

/** Parses a file. Throws UnreadableFailure with the reason. */
export function readFailure(text: string, path: string): FailureFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFailure(`${path} is not JSON: ${(error as Error).message}`);
  }
  const { format, version } = (content ?? {}) as { format?: unknown; version?: unknown };
  if (format !== FAILURE_FORMAT)
    throw new UnreadableFailure(
      `${path} is not a counterexample of sim fuzz: its format is ${JSON.stringify(format ?? null)}`,
    );
  if (typeof version === 'number' && version !== FAILURE_VERSION)
    throw new UnreadableFailure(
      `${path} has version ${version}, and this agent-bank-sim reads ${FAILURE_VERSION}: find it again`,
    );
  const parsed = failureFile.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new UnreadableFailure(`${path} is damaged at ${issueText(parsed.error)}`);
}

/** Serializes a file with one member and one step per line, to keep diffs readable. */
export function writeFailure(file: FailureFile): string {
  const { steps, ...rest } = file;
  const members = Object.entries(rest).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const lines = steps.map((each) => `    ${JSON.stringify(each)}`);
  return `{\n${members.join(',\n')},\n  "steps": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** A name for a failure: its kind and a short hash of its steps. Equal steps have equal names. */
export function failureName({ kind }: Failure, steps: readonly Step[]): string {
  const words = kind
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  const digits = createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 6);
  return `${words}-${digits}`;
}
