import { parseInstant } from '../../../core/domain/calendar.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { isName } from '../../../api/recorder/id-aliases.js';
import { type ReplayOptions, replayRecording } from '../replay.js';
import type { CallLine, RecordedAnswer, Recording } from '../../../api/recorder/format.js';

/** The aspects in which a call of the service and of the simulator may differ. */
export const ASPECTS = ['status', 'code', 'shape', 'numbers', 'words'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** A single difference. */
export interface Unlike {
  readonly aspect: Aspect;
  readonly path: string;
  /** The service's value; undefined if absent. */
  readonly service: unknown;
  readonly simulator: unknown;
}

/** A call that differs. */
export interface UnlikeCall {
  /** Number of its entry in the HAR file, from 1. */
  readonly number: number;
  readonly operation: string;
  readonly unlike: readonly Unlike[];
}

/** How closely service and simulator agree, by endpoint. */
export interface Fidelity {
  readonly baseUrl: string;
  readonly calls: number;
  readonly same: number;
  readonly byEndpoint: Readonly<Record<string, Readonly<Record<Aspect | 'calls' | 'same', number>>>>;
  readonly different: readonly UnlikeCall[];
  /** Entries whose preconditions could not be set up, and why; later differences may be a consequence. */
  readonly unprepared: readonly { readonly number: number; readonly what: string }[];
}

/** Numbers that depend on rates, prices or an unpublished formula: only their presence is compared. */
const OF_RATES = /apy|apr|rate|yield|earned|price|score|interest|slot|blocktime|expires/i;
const TOLERANCE = 1e-6;
const LONGEST_WORD = 40;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Enumerated words, such as a status: not ids, sentences or instants. */
function isWord(text: string): boolean {
  return (
    text.length <= LONGEST_WORD &&
    /^[\w.:%/-]+$/.test(text) &&
    !isName(text) &&
    !isAddress(text) &&
    parseInstant(text) === null
  );
}

function compare(service: unknown, simulator: unknown, path: string, found: Unlike[]): void {
  const [a, b] = [typeOf(service), typeOf(simulator)];
  if (a !== b) {
    // A member may be null in one world and set in the other.
    if (a !== 'null' && b !== 'null') found.push({ aspect: 'shape', path, service: a, simulator: b });
    return;
  }
  if (typeof service === 'number' && typeof simulator === 'number') {
    const isFar = Math.abs(service - simulator) > TOLERANCE * Math.max(1, Math.abs(service));
    if (isFar && !OF_RATES.test(path)) found.push({ aspect: 'numbers', path, service, simulator });
  } else if (typeof service === 'string' && typeof simulator === 'string') {
    const isCompared = isWord(service) && isWord(simulator) && !OF_RATES.test(path);
    if (isCompared && service !== simulator) found.push({ aspect: 'words', path, service, simulator });
  } else if (typeof service === 'boolean') {
    if (service !== simulator) found.push({ aspect: 'words', path, service, simulator });
  } else if (Array.isArray(service) && Array.isArray(simulator)) {
    if (service.length !== simulator.length)
      found.push({
        aspect: 'numbers',
        path: at(path, 'length'),
        service: service.length,
        simulator: simulator.length,
      });
    for (const [index, element] of service.entries())
      if (index < simulator.length) compare(element, simulator[index], at(path, String(index)), found);
  } else if (typeof service === 'object' && service !== null)
    compareMembers(service as Record<string, unknown>, simulator as Record<string, unknown>, path, found);
}

function compareMembers(
  service: Readonly<Record<string, unknown>>,
  simulator: Readonly<Record<string, unknown>>,
  path: string,
  found: Unlike[],
): void {
  for (const [name, value] of Object.entries(service)) {
    const place = at(path, name);
    if (!Object.hasOwn(simulator, name))
      found.push({ aspect: 'shape', path: place, service: typeOf(value), simulator: undefined });
    else compare(value, simulator[name], place, found);
  }
  for (const [name, value] of Object.entries(simulator)) {
    if (!Object.hasOwn(service, name))
      found.push({ aspect: 'shape', path: at(path, name), service: undefined, simulator: typeOf(value) });
  }
}

function codeOf({ body }: RecordedAnswer): unknown {
  return typeof body === 'object' && body !== null ? (body as { code?: unknown }).code : undefined;
}

/** Differences of two answers. Refusals are compared by code only: sentences and details are the simulator's own. */
export function unlike(service: RecordedAnswer, simulator: RecordedAnswer): Unlike[] {
  const found: Unlike[] = [];
  if (service.status !== simulator.status)
    found.push({ aspect: 'status', path: 'status', service: service.status, simulator: simulator.status });
  const [a, b] = [codeOf(service), codeOf(simulator)];
  if (service.status >= 400 || simulator.status >= 400) {
    if (a !== undefined && b !== undefined && a !== b)
      found.push({ aspect: 'code', path: 'code', service: a, simulator: b });
    return found;
  }
  compare(service.body, simulator.body, '', found);
  return found;
}

function emptyCounts(): Record<Aspect | 'calls' | 'same', number> {
  return { calls: 0, same: 0, status: 0, code: 0, shape: 0, numbers: 0, words: 0 };
}

/** Replays a session of the deployed service in the simulator and measures how closely they agree. */
export async function fidelityOf(
  recording: Recording,
  options: Pick<ReplayOptions, 'engine' | 'log'> = {},
): Promise<Fidelity> {
  const byEndpoint: Record<string, Record<Aspect | 'calls' | 'same', number>> = {};
  const different: UnlikeCall[] = [];
  const unprepared: { number: number; what: string }[] = [];
  let calls = 0;
  const judge = (line: CallLine, number: number, played: RecordedAnswer) => {
    // A call without an answer from the service proves nothing.
    if (line.answer === null) return;
    const found = unlike(line.answer, played);
    const counts = (byEndpoint[line.operation] ??= emptyCounts());
    calls += 1;
    counts.calls += 1;
    for (const aspect of ASPECTS) if (found.some((each) => each.aspect === aspect)) counts[aspect] += 1;
    if (found.length === 0) counts.same += 1;
    else different.push({ number, operation: line.operation, unlike: found });
  };
  await replayRecording(recording, {
    ...options,
    onLine: ({ line, number, played }) => {
      const status = played !== null && 'status' in played ? played.status : null;
      if (line.setup === true) {
        const what =
          line.kind === 'control' ? line.command : 'operation' in line ? line.operation : line.kind;
        if (status !== null && status >= 400) unprepared.push({ number, what });
        return;
      }
      if (line.kind !== 'call' || played === null || !('status' in played)) return;
      judge(line, number, JSON.parse(JSON.stringify(played)) as RecordedAnswer);
    },
  });
  const baseUrl = recording.header.source?.baseUrl ?? '';
  return { baseUrl, calls, same: calls - different.length, byEndpoint, different, unprepared };
}
