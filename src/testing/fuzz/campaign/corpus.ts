import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Random } from '../random.js';
import type { Json, Step } from '../step.js';

/** A sequence that reached new coverage, and which. */
export interface CorpusEntry {
  readonly steps: readonly Step[];
  readonly reached: readonly string[];
  /** The run of the campaign that found it; left out for one that it has begun with. */
  readonly run?: number;
  /** The name of the part of the campaign that drew it. */
  readonly part?: string;
}

/** An entry as processes send it to each other: its steps, compressed, in base64. */
export interface SentEntry extends Omit<CorpusEntry, 'steps'> {
  readonly packed: string;
}

const PACKED = Symbol('compressed steps');
interface PackedEntry extends CorpusEntry {
  readonly [PACKED]: string;
}

/**
 * An entry whose steps are kept compressed, and unpacked whenever they are read: a long campaign holds tens of thousands of entries, each in
 * its coordinator and its workers.
 */
export function packed(entry: CorpusEntry): CorpusEntry {
  if (PACKED in entry) return entry;
  const { steps, ...rest } = entry;
  return withPacked(rest, deflateRawSync(JSON.stringify(steps)));
}

function withPacked(rest: Omit<CorpusEntry, 'steps'>, bytes: Buffer): PackedEntry {
  // As a text, which takes its own length and no more: a buffer of zlib is part of a larger one.
  const text = bytes.toString('latin1');
  const entry = {
    get steps() {
      return JSON.parse(inflateRawSync(Buffer.from(text, 'latin1')).toString()) as Step[];
    },
    ...rest,
  };
  return Object.defineProperty(entry, PACKED, { value: text }) as unknown as PackedEntry;
}

/** An entry to be sent. */
export function sent(entry: CorpusEntry): SentEntry {
  const { [PACKED]: text, reached, run, part } = packed(entry) as PackedEntry;
  return {
    packed: Buffer.from(text, 'latin1').toString('base64'),
    reached,
    ...(run === undefined ? {} : { run }),
    ...(part === undefined ? {} : { part }),
  };
}

/** An entry that was sent. */
export function received({ packed: text, ...rest }: SentEntry): CorpusEntry {
  return withPacked(rest, Buffer.from(text, 'base64'));
}

/** Renumbers steps and the step numbers in their references. */
export function renumbered(steps: readonly Step[], numberOf: (id: number) => number): Step[] {
  return steps.map((step) => ({
    ...step,
    id: numberOf(step.id),
    with: JSON.parse(
      JSON.stringify(step.with).replace(/\$\{s(\d+)\./g, (_, id: string) => `\${s${numberOf(Number(id))}.`),
    ) as Step['with'],
  }));
}

/** Steps numbered from 1 on. */
export function numberedFrom1(steps: readonly Step[]): Step[] {
  const numbers = new Map(steps.map(({ id }, at) => [id, at + 1]));
  return renumbered(steps, (id) => numbers.get(id) ?? id);
}

function lastId(steps: readonly Step[]): number {
  return steps.reduce((last, { id }) => Math.max(last, id), 0);
}

const NUDGES: readonly ((value: number) => number)[] = [
  (value) => value * 2,
  (value) => value / 2,
  (value) => value + 0.000001,
  (value) => value - 0.000001,
  (value) => value * 10,
  (value) => Math.round(value),
];

function nudged(json: Json, random: Random): Json {
  if (typeof json === 'number') return Number(random.pick(NUDGES)(json).toPrecision(15));
  if (Array.isArray(json)) {
    const list = json as readonly Json[];
    const at = random.below(list.length);
    return list.map((each, place) => (place === at ? nudged(each, random) : each));
  }
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json as Record<string, Json>);
  if (members.length === 0) return json;
  const at = random.below(members.length);
  return Object.fromEntries(
    members.map(([name, value], place) => [name, place === at ? nudged(value, random) : value]),
  );
}

/** Derives a sequence from one or two corpus entries: truncated, thinned, partly duplicated, joined, or with a number changed. */
export function mutated(entries: readonly CorpusEntry[], random: Random): Step[] {
  const { steps } = random.pick(entries);
  const at = random.below(steps.length);
  switch (random.below(5)) {
    case 0:
      return steps.slice(0, at + 1);
    case 1:
      return steps.filter((_, place) => place !== at);
    case 2: {
      const part = steps.slice(at, at + 1 + random.below(4));
      const offset = lastId(steps);
      return [...steps, ...renumbered(part, (id) => (id >= (part[0]?.id ?? 0) ? id + offset : id))];
    }
    case 3: {
      const other = random.pick(entries).steps;
      const offset = lastId(steps);
      return [...steps.slice(0, at + 1), ...renumbered(other, (id) => id + offset)];
    }
    default:
      // Arguments of commands that configure the world must stay valid.
      return steps.map((step, place) =>
        place === at && 'body' in step.with
          ? { ...step, with: { ...step.with, body: nudged(step.with['body'] ?? null, random) } }
          : step,
      );
  }
}

/** A small set of entries with the same coverage as all of them: chosen greedily, short ones first. */
export function minimized(entries: readonly CorpusEntry[]): CorpusEntry[] {
  const missing = new Set(entries.flatMap(({ reached }) => reached));
  const kept: CorpusEntry[] = [];
  const left = [...entries].toSorted((a, b) => a.steps.length - b.steps.length);
  while (missing.size > 0) {
    let best: CorpusEntry | null = null;
    let most = 0;
    for (const entry of left) {
      const gain = entry.reached.filter((key) => missing.has(key)).length / (entry.steps.length + 1);
      if (gain > most) [best, most] = [entry, gain];
    }
    if (best === null) break;
    for (const key of best.reached) missing.delete(key);
    kept.push(best);
  }
  return kept;
}
