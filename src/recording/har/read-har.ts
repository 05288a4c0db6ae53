import { z } from 'zod';
import { type Endpoint, type EndpointId, endpoints } from '../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../domain/variants.js';
import { UnreadableRecording } from '../recording-error.js';

const named = z.object({ name: z.string(), value: z.string() });

/** What is read of a HAR file. Source: HTTP Archive 1.2. */
const harFile = z.object({
  log: z.object({
    entries: z.array(
      z.object({
        startedDateTime: z.string(),
        request: z.object({
          method: z.string(),
          url: z.string(),
          headers: z.array(named).default([]),
          postData: z.object({ text: z.string().optional() }).optional(),
        }),
        response: z.object({
          status: z.int(),
          content: z.object({ text: z.string().optional(), encoding: z.string().optional() }).default({}),
        }),
      }),
    ),
  }),
});

/** A call of the service in a HAR file. */
export interface HarCall {
  /** Its place among the entries, from 1. */
  readonly number: number;
  readonly atMs: number;
  readonly operation: EndpointId;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | null;
  readonly key: string | null;
  /** Undefined for none, or for what is no JSON. */
  readonly body: unknown;
  readonly status: number;
  /** Undefined for what is no JSON. */
  readonly answer: unknown;
}

/** The calls of a service in a HAR file, in the order of time, and where it answered. */
export interface HarSession {
  /** The file. */
  readonly path: string;
  readonly baseUrl: string;
  readonly calls: readonly HarCall[];
  /** Entries that are no call of an operation. */
  readonly others: number;
}

type Entry = z.output<typeof harFile>['log']['entries'][number];

const TABLE = Object.entries(endpoints(DEFAULT_VARIANTS)) as [EndpointId, Endpoint][];

/** Whether a text is a HAR file. */
export function isHar(text: string): boolean {
  return /"log"\s*:/.test(text.slice(0, 65_536)) && /"entries"\s*:/.test(text);
}

function json(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The operation that a method and a path under the base URL are, with what stands in the path. */
function operationOf(
  method: string,
  path: string,
): { id: EndpointId; params: Record<string, string> } | null {
  for (const [id, endpoint] of TABLE) {
    if (endpoint.method !== method) continue;
    if (endpoint.path === path) return { id, params: {} };
    const [before, after] = endpoint.path.split('{id}');
    if (after === undefined || !path.startsWith(before as string) || !path.endsWith(after)) continue;
    const inPath = path.slice((before as string).length, path.length - after.length);
    if (inPath !== '' && !inPath.includes('/')) return { id, params: { id: decodeURIComponent(inPath) } };
  }
  return null;
}

function callOf(
  { startedDateTime, request, response }: Entry,
  number: number,
  baseUrl: string,
): HarCall | null {
  if (!request.url.startsWith(baseUrl)) return null;
  const url = new URL(request.url);
  const path = url.pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, '').length);
  const found = operationOf(request.method, path);
  const atMs = Date.parse(startedDateTime);
  if (found === null || Number.isNaN(atMs)) return null;
  const header = (name: string) =>
    request.headers.find((each) => each.name.toLowerCase() === name)?.value ?? null;
  const { text, encoding } = response.content;
  const told =
    encoding === 'base64' && text !== undefined ? Buffer.from(text, 'base64').toString('utf8') : text;
  return {
    number,
    atMs,
    operation: found.id,
    params: found.params,
    query: Object.fromEntries(url.searchParams),
    authorization: header('authorization'),
    key: header('idempotency-key'),
    body: json(request.postData?.text),
    status: response.status,
    answer: json(told),
  };
}

/** Where the service answers: what stands before `/agent/` in the first address that is of an operation. */
function baseOf(entries: readonly Entry[]): string | null {
  for (const { request } of entries) {
    const at = request.url.indexOf('/agent/');
    if (at < 0 || !URL.canParse(request.url)) continue;
    const path = new URL(request.url).pathname;
    if (operationOf(request.method, path.slice(path.indexOf('/agent/'))) !== null)
      return request.url.slice(0, at);
  }
  return null;
}

/** Reads the text of a HAR file; `baseUrl` is found when it is not given. Throws UnreadableRecording. */
export function readHar(text: string, path: string, baseUrl?: string): HarSession {
  const parsed = harFile.safeParse(json(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnreadableRecording(
      `${path} is no HAR file: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const { entries } = parsed.data.log;
  const base = baseUrl?.replace(/\/$/, '') ?? baseOf(entries);
  if (base === null)
    throw new UnreadableRecording(`${path} holds no call of the service: no path with /agent/ in it`);
  const found = entries.map((entry, at) => callOf(entry, at + 1, base));
  const calls = found
    .filter((call) => call !== null)
    .toSorted((a, b) => a.atMs - b.atMs || a.number - b.number);
  if (calls.length === 0) throw new UnreadableRecording(`${path} holds no call under ${base}`);
  return { path, baseUrl: base, calls, others: entries.length - calls.length };
}
