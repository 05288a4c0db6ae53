import { iso, ratePpm } from './amounts.js';
import type { Books } from './books.js';
import { TextOf } from './checks.js';
import { Check } from './compare.js';
import type { Outcome } from './expected-control.js';
import {
  type GivenPoint,
  type GivenSource,
  type Kind,
  type Point,
  SERIES_VALUES,
  type SeriesColumn,
  given,
  instantMs,
  isImpossible,
  series,
  seriesByColumn,
  seriesFile,
} from './feeds.js';
import { durationMs } from './review-policy.js';
import type { Answer, ModelToken, Span } from './types.js';

/** Instants of a history, unless the query says otherwise. */
const INSTANTS = 1_000;

type Members = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** Rates and prices as the operator sees them. */
export function rates(books: Books): Outcome {
  return () => books.oracle.shown(books.nowMs);
}

/** When a change takes effect; null for an instant that has passed. */
function beginningMs({ nowMs }: Books, { in: delay, from }: Members): number | null {
  if (typeof from !== 'string') return nowMs + (typeof delay === 'string' ? durationMs(delay) : 0);
  const fromMs = Date.parse(from);
  return fromMs < nowMs ? null : fromMs;
}

/** Follows another source of a rate or a price. */
export function setSource(books: Books, kind: Kind, body: Members): Outcome {
  const source = body['source'] as GivenSource;
  const wantedMs = beginningMs(books, body);
  if (isImpossible(source) || wantedMs === null) return 'invalid_request';
  const points: readonly GivenPoint[] = typeof source === 'object' && 'series' in source ? source.series : [];
  const fromMs = Math.max(
    wantedMs,
    Math.min(...points.map(({ at }) => instantMs(at)), Number.POSITIVE_INFINITY),
  );
  const beginMs = points.length === 0 ? wantedMs : fromMs;
  const of = { kind, token: body['token'] as ModelToken };
  books.oracle.follow(of, given(kind, source, beginMs), { fromMs: beginMs, nowMs: books.nowMs });
  return rates(books);
}

/** Follows the columns of a series. */
export function loadSeries(books: Books, body: Members): Outcome {
  const beginMs = beginningMs(books, body);
  const loaded =
    'csv' in body
      ? seriesFile(String(body['csv']))
      : { columns: seriesByColumn(body['series'] as Record<string, GivenPoint[]>) };
  if (beginMs === null) return 'invalid_request';
  if ('wrong' in loaded) return { code: 'invalid_request', error: new TextOf(loaded.wrong) };
  const columns = loaded.columns.filter(({ points }) => points.length > 0);
  if (columns.length === 0) return 'invalid_request';
  for (const { kind, token, points } of columns) {
    const fromMs = Math.max(beginMs, Math.min(...points.map(({ atMs }) => atMs)));
    books.oracle.follow({ kind, token }, series(points), { fromMs, nowMs: books.nowMs });
  }
  return rates(books);
}

/** The span of a history, within that of the world; null when it has none there. */
function spanOf({ nowMs, modelConfig: { startMs } }: Books, { from, to }: Query): Span | null {
  const fromMs = Math.max(startMs, from === undefined ? startMs : Date.parse(from));
  const toMs = Math.min(nowMs, to === undefined ? nowMs : Date.parse(to));
  return fromMs > toMs ? null : { fromMs, toMs };
}

/** A page of what was published of one value. */
export function history(books: Books, query: Query): Outcome {
  const of = { kind: query['kind'] as Kind, token: query['token'] as ModelToken };
  const span = spanOf(books, query);
  if (span === null) return 'invalid_request';
  return () => books.oracle.history(of, span, Number(query['limit'] ?? INSTANTS));
}

/** A series file that has certain points, and no others. */
class SeriesText extends Check {
  readonly #columns: readonly SeriesColumn[];

  constructor(columns: readonly SeriesColumn[]) {
    super();
    this.#columns = columns.filter(({ points }) => points.length > 0);
  }

  see(actual: unknown): string | null {
    const written = (file: ReturnType<typeof seriesFile>) =>
      JSON.stringify(file, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    const wanted = written({ columns: this.#columns });
    return typeof actual === 'string' && written(seriesFile(actual)) === wanted
      ? null
      : `a series file with ${wanted}`;
  }
}

/** Histories as a series file: all until the first that does not fit into its page. */
export function historyCsv(books: Books, query: Query): Outcome {
  const span = spanOf(books, query);
  if (span === null) return 'invalid_request';
  const { kind, token } = query;
  const wanted = SERIES_VALUES.filter(
    (of) => of.kind === (kind ?? of.kind) && of.token === (token ?? of.token),
  );
  return () => {
    const pages = wanted.map((of) => ({
      ...of,
      ...books.oracle.changes(of, span, Number(query['limit'] ?? INSTANTS)),
    }));
    const nextMs = Math.min(...pages.map((page) => page.nextMs ?? Number.POSITIVE_INFINITY));
    const columns = pages.map(({ points, ...of }) => ({
      kind: of.kind,
      token: of.token,
      points: points.filter(({ atMs }) => atMs < nextMs),
    }));
    return { csv: new SeriesText(columns), next: Number.isFinite(nextMs) ? iso(nextMs) : null };
  };
}

/** The points of a history as the world tells them. */
export function pointsOf(kind: Kind, answer: Answer): Point[] {
  const { changes } = answer.body as { changes: readonly { at: string; value: number }[] };
  const inUnits = (value: number) =>
    kind === 'apy' ? ratePpm(value) : BigInt(value.toFixed(8).replace('.', ''));
  return changes.map(({ at, value }) => ({ atMs: Date.parse(at), value: inUnits(value) }));
}
