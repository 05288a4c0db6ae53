import { TOKENS, iso, priceE8, ratePpm, units } from './amounts.js';
import { TextWith } from './checks.js';
import type { Tree } from './compare.js';
import { type Growth, INDEX_ONE } from './growth.js';
import { type Kind, Line } from './line.js';
import type { ModelToken, ModelConfig, Published, Span, Trouble } from './types.js';
import { type Refused, refused } from './verdict.js';

const NAMES: Readonly<Record<ModelToken, TextWith>> = {
  USDC: new TextWith(/USDC/),
  SOL: new TextWith(/SOL/),
};
const KINDS: readonly Kind[] = ['apy', 'usd'];

type Lines = Readonly<Record<Kind, Readonly<Record<ModelToken, Line>>>>;

interface Index {
  readonly atMs: number;
  /** In `INDEX_ONE`. */
  readonly value: bigint;
}

function asNumber(kind: Kind, value: bigint): number {
  return kind === 'apy' ? units('USDC', value) : Number(value) / 1e8;
}

function perToken<T>(of: (token: ModelToken) => T): Record<ModelToken, T> {
  return { USDC: of('USDC'), SOL: of('SOL') };
}

function changed(lines: Lines, change: (line: Line, of: Published) => Line): Lines {
  const all = (kind: Kind) => perToken((token) => change(lines[kind][token], { kind, token }));
  return { apy: all('apy'), usd: all('usd') };
}

/** Rates and prices, and the growth of savings since the world began. Source: docs/reference/fidelity.md, Oracle and Savings, and docs/reference/rates.md. */
export class OracleView {
  readonly #growth: Growth;
  readonly #maxAgeMs: number | null;
  #lines: Lines;
  #index: Record<ModelToken, Index>;
  #isOut = false;
  /** Since when the data is stale, and what would be published otherwise. */
  #stale: { readonly sinceMs: number; readonly behind: Lines } | null = null;

  private constructor(
    growth: Growth,
    maxAgeMs: number | null,
    lines: Lines,
    index: Record<ModelToken, Index>,
  ) {
    this.#growth = growth;
    this.#maxAgeMs = maxAgeMs;
    this.#lines = lines;
    this.#index = index;
  }

  static begin({ apy, price, oracleMaxAgeMs, startMs }: ModelConfig, growth: Growth): OracleView {
    const line = (value: bigint) => new Line([{ fromMs: startMs, value, isPlanned: false }]);
    const lines = {
      apy: perToken((token) => line(ratePpm(apy[token]))),
      usd: perToken((token) => line(priceE8(price[token]))),
    };
    return new OracleView(
      growth,
      oracleMaxAgeMs,
      lines,
      perToken(() => ({ atMs: startMs, value: INDEX_ONE })),
    );
  }

  copy(): OracleView {
    const other = new OracleView(this.#growth, this.#maxAgeMs, this.#lines, this.#index);
    other.#isOut = this.#isOut;
    other.#stale = this.#stale;
    return other;
  }

  apyPpm(token: ModelToken, nowMs: number): bigint {
    return this.#lines.apy[token].at(nowMs);
  }

  /** In hundred-millionths of a USD, whatever its age. */
  priceE8(token: ModelToken, nowMs: number): bigint {
    return this.#lines.usd[token].at(nowMs);
  }

  isOut(trouble: Trouble): boolean {
    return this.#isOut || trouble.oracleIsOut;
  }

  /** Why a token has no valid price now; null if it has one. */
  refusal(token: ModelToken, nowMs: number, trouble: Trouble): Refused | null {
    const needed = { needed_for: NAMES[token] };
    if (this.isOut(trouble)) return refused('oracle_unavailable', needed);
    if (this.#stale === null || this.#maxAgeMs === null) return null;
    const { sinceMs } = this.#stale;
    if (nowMs - sinceMs <= this.#maxAgeMs) return null;
    return refused('oracle_unavailable', {
      ...needed,
      price_as_of: iso(sinceMs),
      max_age_seconds: this.#maxAgeMs / 1000,
    });
  }

  /** The current value, in `INDEX_ONE`, of one base unit saved when the world began. It grows at the end of each second since the epoch. */
  index(token: ModelToken, nowMs: number): bigint {
    const line = this.#lines.apy[token];
    let { atMs, value } = this.#index[token];
    if (atMs >= nowMs) return value;
    let rate = line.at(atMs);
    for (
      let change = line.nextAfter(atMs);
      change !== null && change <= nowMs;
      change = line.nextAfter(change)
    ) {
      const next = line.at(change);
      if (next === rate) continue;
      value = this.#grown(value, rate, { fromMs: atMs, toMs: change });
      [atMs, rate] = [change, next];
    }
    value = this.#grown(value, rate, { fromMs: atMs, toMs: nowMs });
    this.#index = { ...this.#index, [token]: { atMs: nowMs, value } };
    return value;
  }

  /** Publishes another value from an instant on; while the data is stale, it takes effect when it is fresh again. */
  follow(
    { kind, token }: Published,
    value: bigint,
    { fromMs, nowMs }: { fromMs: number; nowMs: number },
  ): void {
    this.#earn(nowMs);
    const follows = (lines: Lines) =>
      changed(lines, (line, of) =>
        of.kind === kind && of.token === token ? line.follow(value, fromMs, fromMs > nowMs) : line,
      );
    if (this.#stale === null) this.#lines = follows(this.#lines);
    else this.#stale = { ...this.#stale, behind: follows(this.#stale.behind) };
  }

  setOutage(isOut: boolean): void {
    this.#isOut = isOut;
  }

  setStale(isStale: boolean, nowMs: number): void {
    if (isStale === (this.#stale !== null)) return;
    this.#earn(nowMs);
    if (this.#stale === null) {
      this.#stale = { sinceMs: nowMs, behind: this.#lines };
      this.#lines = changed(this.#lines, (line) => line.held(nowMs));
      return;
    }
    const { behind } = this.#stale;
    this.#stale = null;
    this.#lines = changed(this.#lines, (line, { kind, token }) => line.resumed(behind[kind][token], nowMs));
  }

  /** The changes at the next instant that has reported ones; `atMs` is Infinity when there are none. */
  nextChanges(afterMs: number): { readonly atMs: number; readonly of: readonly Published[] } {
    const all = TOKENS.flatMap((token) =>
      KINDS.map((kind) => ({
        token,
        kind,
        atMs: this.#lines[kind][token].nextEventAfter(afterMs) ?? Infinity,
      })),
    );
    const atMs = Math.min(...all.map((change) => change.atMs));
    return { atMs, of: all.filter((change) => change.atMs === atMs) };
  }

  /** Rates and prices as the operator sees them. */
  shown(nowMs: number): Tree {
    const lines = this.#stale?.behind ?? this.#lines;
    const planned = KINDS.flatMap((kind) =>
      TOKENS.flatMap((token) =>
        lines[kind][token].plannedAfter(nowMs).map((atMs) => ({ atMs, kind, token })),
      ),
    );
    const now = (kind: Kind) => perToken((token) => asNumber(kind, this.#lines[kind][token].at(nowMs)));
    return {
      apy: now('apy'),
      usd: now('usd'),
      outage: this.#isOut,
      stale: this.#stale !== null,
      asOf: iso(this.#stale?.sinceMs ?? nowMs),
      planned: planned
        .toSorted((a, b) => a.atMs - b.atMs)
        .map(({ atMs, kind, token }) => ({ at: iso(atMs), kind, token })),
    };
  }

  #earn(nowMs: number): void {
    for (const token of TOKENS) this.index(token, nowMs);
  }

  #grown(value: bigint, apyPpm: bigint, { fromMs, toMs }: Span): bigint {
    const seconds = Math.floor(toMs / 1000) - Math.floor(fromMs / 1000);
    return seconds === 0 ? value : (value * this.#growth.over(apyPpm, seconds)) / INDEX_ONE;
  }
}
