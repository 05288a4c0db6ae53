import { z } from 'zod';
import { type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { parseInstant } from '../../../core/domain/calendar.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { isTooDeep } from '../line-check.js';
import { UnreadableRecording } from '../recording-error.js';
import { operationAt } from '../../../contract/match-path.js';

const named = z.object({ name: z.string(), value: z.string() });

/** The parts of a HAR file that are read. Source: HTTP Archive 1.2. */
const harFile = z.object({
  log: z.object({
    entries: z.array(
      z.object({
        startedDateTime: z.string(),
        request: z.object({
          method: z.string(),
          url: z.string(),
          headers: z.array(named).nullish(),
          postData: z.object({ text: z.string().nullish() }).nullish(),
        }),
        response: z.object({
          status: z.int(),
          content: z.object({ text: z.string().nullish(), encoding: z.string().nullish() }).nullish(),
        }),
      }),
    ),
  }),
});

/** A call of the service in a HAR file. */
export interface HarCall {
  /** Number of its entry, from 1. */
  readonly number: number;
  readonly atMs: number;
  readonly operation: EndpointId;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | null;
  readonly key: string | null;
  /** Undefined if absent or not JSON. */
  readonly body: unknown;
  /** 0 when there was no answer, such as for a cancelled call. */
  readonly status: number;
  /** Undefined if not JSON. */
  readonly answer: unknown;
}

/** The calls of a service in a HAR file, in order of time, and its address. */
export interface HarSession {
  /** Path of the file. */
  readonly path: string;
  readonly baseUrl: string;
  readonly calls: readonly HarCall[];
  /** Number of entries that are not calls of an operation. */
  readonly others: number;
}

/** The year 10000, the first that ISO timestamps cannot express. */
const END_MS = Date.UTC(10_000, 0);

type Entry = z.output<typeof harFile>['log']['entries'][number];

const TABLE = endpoints(DEFAULT_VARIANTS);

/** Whether a text is a HAR file. */
export function isHar(text: string): boolean {
  return /"log"\s*:/.test(text.slice(0, 65_536)) && /"entries"\s*:/.test(text);
}

const UNDEFINED = { value: undefined };

/** Parses JSON, undefined if invalid; null if nested too deeply. */
function json(text: string | null | undefined): { readonly value: unknown } | null {
  if (text === undefined || text === null || text === '') return UNDEFINED;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text) ? null : { value };
  } catch {
    return UNDEFINED;
  }
}

/** A decoded path segment; null if its encoding is invalid. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The operation of a method and a path under the base URL, with its path parameter. */
function operationOf(
  method: string,
  path: string,
): { id: EndpointId; params: Record<string, string> } | null {
  const found = operationAt(TABLE, method, path);
  if (found === null) return null;
  if (found.id === null) return { id: found.operation, params: {} };
  const id = decoded(found.id);
  return id === null || id === '' ? null : { id: found.operation, params: { id } };
}

/** Address of a service. */
interface Base {
  readonly origin: string;
  /** Without a trailing slash. */
  readonly path: string;
}

function baseText({ origin, path }: Base): string {
  return origin + path;
}

/** Parses an HTTP URL; null for anything else. */
function addressOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}

function instantOf(text: string): number | null {
  const atMs = parseInstant(text);
  return atMs !== null && atMs >= 0 && atMs < END_MS ? atMs : null;
}

function callOf(entry: Entry, number: number, base: Base): HarCall | null {
  const { request, response } = entry;
  const url = addressOf(request.url);
  if (url?.origin !== base.origin || !url.pathname.startsWith(`${base.path}/`)) return null;
  const found = operationOf(request.method, url.pathname.slice(base.path.length));
  const atMs = instantOf(entry.startedDateTime);
  const { text, encoding } = response.content ?? {};
  const isEncoded = encoding === 'base64' && typeof text === 'string';
  const answer = json(isEncoded ? Buffer.from(text, 'base64').toString('utf8') : text);
  const body = json(request.postData?.text);
  if (found === null || atMs === null || answer === null || body === null) return null;
  const header = (name: string) =>
    request.headers?.find((each) => each.name.toLowerCase() === name)?.value ?? null;
  return {
    number,
    atMs,
    operation: found.id,
    params: found.params,
    query: Object.fromEntries(url.searchParams),
    authorization: header('authorization'),
    key: header('idempotency-key'),
    body: body.value,
    status: Math.max(0, response.status),
    answer: answer.value,
  };
}

/** The base URL: everything before `/agent/` in the first URL of an operation. */
function baseIn(entries: readonly Entry[]): Base | null {
  for (const { request } of entries) {
    const url = addressOf(request.url);
    const at = url?.pathname.lastIndexOf('/agent/') ?? -1;
    if (url === null || at < 0 || operationOf(request.method, url.pathname.slice(at)) === null) continue;
    return { origin: url.origin, path: url.pathname.slice(0, at) };
  }
  return null;
}

function baseOf(text: string): Base {
  const url = addressOf(text);
  if (url === null)
    throw new UnreadableRecording(
      `the base URL "${text}" is no address of a service, such as https://bank.example/api/v1`,
    );
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

/** Parses a file; `baseUrl` is detected if omitted. Throws UnreadableRecording. */
export function readHar(text: string, path: string, baseUrl?: string): HarSession {
  const parsed = harFile.safeParse(json(text)?.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnreadableRecording(
      `${path} is no HAR file: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const { entries } = parsed.data.log;
  const base = baseUrl === undefined ? baseIn(entries) : baseOf(baseUrl);
  if (base === null)
    throw new UnreadableRecording(`${path} holds no call of the service: no path with /agent/ in it`);
  const found = entries.map((entry, at) => callOf(entry, at + 1, base));
  const calls = found
    .filter((call) => call !== null)
    .toSorted((a, b) => a.atMs - b.atMs || a.number - b.number);
  if (calls.length === 0) throw new UnreadableRecording(`${path} holds no call under ${baseText(base)}`);
  return { path, baseUrl: baseText(base), calls, others: entries.length - calls.length };
}
