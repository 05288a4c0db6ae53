import { TOKENS, iso, millionths, priceE8, units } from './amounts.js';
import { textWith } from './checks.js';
import type { Tree } from './compare.js';
import { Growth, INDEX_ONE } from './growth.js';
import type { ModelConfig, ModelToken, Published, Trouble } from './types.js';
import { type Refused, refused } from './verdict.js';

export type Kind = Published['kind'];
type PerToken<T> = Readonly<Record<ModelToken, T>>;
type Values<T> = Readonly<Record<Kind, PerToken<T>>>;

const NAMES = perToken((token) => textWith(new RegExp(token)));
const ALL: readonly Published[] = TOKENS.flatMap((token) => [
  { kind: 'apy', token },
  { kind: 'usd', token },
]);

function perToken<T>(of: (token: ModelToken) => T): PerToken<T> {
  return { USDC: of('USDC'), SOL: of('SOL') };
}

function valuesOf<T>(of: (kind: Kind, token: ModelToken) => T): Values<T> {
  return { apy: perToken((token) => of('apy', token)), usd: perToken((token) => of('usd', token)) };
}

/** The growth of a value at an APY, at the end of each second since the epoch. */
function grown(
  growth: Growth,
  value: bigint,
  apyPpm: bigint,
  [fromMs, toMs]: readonly [number, number],
): bigint {
  const seconds = Math.floor(toMs / 1000) - Math.floor(fromMs / 1000);
  return seconds === 0 ? value : (value * growth.over(apyPpm, seconds)) / INDEX_ONE;
}

/** An APY in millionths, or a price in hundred-millionths of a USD, from an instant on. */
interface Change {
  readonly fromMs: number;
  readonly value: bigint;
}

/**
 * Rates and prices, and the growth of savings since the world began. All members are immutable. Source: docs/reference/fidelity.md, Oracle
 * and Savings, and docs/reference/rates.md.
 */
export class OracleView {
  /** Shared by copies, since it only stores powers. */
  readonly growth = new Growth();
  readonly maxAgeMs: number | null;
  /** Past and planned changes of each value, in order. */
  changes: Values<readonly Change[]>;
  /** In `INDEX_ONE`: the value at an instant of one base unit saved when the world began. */
  indexes: PerToken<{ readonly atMs: number; readonly value: bigint }>;
  isOutage = false;
  /** Since when the data is stale, and what is published meanwhile. */
  stale: { readonly sinceMs: number; readonly values: Values<bigint> } | null = null;

  constructor({ apy, price, oracleMaxAgeMs, startMs }: ModelConfig) {
    this.maxAgeMs = oracleMaxAgeMs;
    const valueOf = (kind: Kind, token: ModelToken) =>
      kind === 'apy' ? millionths(apy[token]) : priceE8(price[token]);
    this.changes = valuesOf((kind, token) => [{ fromMs: startMs, value: valueOf(kind, token) }]);
    this.indexes = perToken(() => ({ atMs: startMs, value: INDEX_ONE }));
  }

  /** The published value at an instant that is not before the latest change of the oracle's state. */
  at(kind: Kind, token: ModelToken, atMs: number): bigint {
    if (this.stale !== null) return this.stale.values[kind][token];
    const changes = this.changes[kind][token];
    const now = changes.findLast(({ fromMs }) => fromMs <= atMs) ?? changes[0];
    return (now as Change).value;
  }

  isOut(trouble: Trouble): boolean {
    return this.isOutage || trouble.oracleIsOut;
  }

  /** Why a token has no valid price now; null if it has one. */
  refusal(token: ModelToken, nowMs: number, trouble: Trouble): Refused | null {
    const needed = { needed_for: NAMES[token] };
    if (this.isOut(trouble)) return refused('oracle_unavailable', needed);
    if (this.stale === null || this.maxAgeMs === null) return null;
    const { sinceMs } = this.stale;
    if (nowMs - sinceMs <= this.maxAgeMs) return null;
    const age = { price_as_of: iso(sinceMs), max_age_seconds: this.maxAgeMs / 1000 };
    return refused('oracle_unavailable', { ...needed, ...age });
  }

  /** The current value, in `INDEX_ONE`, of one base unit saved when the world began. */
  index(token: ModelToken, nowMs: number): bigint {
    let { atMs, value } = this.indexes[token];
    if (atMs >= nowMs) return value;
    let rate = this.at('apy', token, atMs);
    for (const change of this.stale === null ? this.changes.apy[token] : []) {
      if (change.fromMs <= atMs || change.fromMs > nowMs || change.value === rate) continue;
      value = grown(this.growth, value, rate, [atMs, change.fromMs]);
      [atMs, rate] = [change.fromMs, change.value];
    }
    value = grown(this.growth, value, rate, [atMs, nowMs]);
    this.indexes = { ...this.indexes, [token]: { atMs: nowMs, value } };
    return value;
  }

  /** Sets a value from an instant on, and removes later changes; while the data is stale, it takes effect when it is fresh again. */
  follow(
    { kind, token }: Published,
    value: bigint,
    { fromMs, nowMs }: { fromMs: number; nowMs: number },
  ): void {
    for (const each of TOKENS) this.index(each, nowMs);
    const before = this.changes[kind][token].filter((change) => change.fromMs < fromMs);
    const changed = { ...this.changes[kind], [token]: [...before, { fromMs, value }] };
    this.changes = { ...this.changes, [kind]: changed };
  }

  setStale(isStale: boolean, nowMs: number): void {
    if (isStale === (this.stale !== null)) return;
    for (const token of TOKENS) this.index(token, nowMs);
    const values = valuesOf((kind, token) => this.at(kind, token, nowMs));
    this.stale = isStale ? { sinceMs: nowMs, values } : null;
  }

  /** The changes at the next instant that has any; `atMs` is Infinity when there are none. */
  nextChanges(afterMs: number): { readonly atMs: number; readonly of: readonly Published[] } {
    const planned = this.stale === null ? plannedAfter(this, afterMs) : [];
    const atMs = Math.min(...planned.map((change) => change.atMs));
    return { atMs, of: planned.filter((change) => change.atMs === atMs) };
  }

  /** Rates and prices as the operator sees them. */
  shown(nowMs: number): Tree {
    const planned = plannedAfter(this, nowMs);
    const now = (kind: Kind) =>
      perToken((token) => {
        const value = this.at(kind, token, nowMs);
        return kind === 'apy' ? units('USDC', value) : Number(value) / 1e8;
      });
    return {
      apy: now('apy'),
      usd: now('usd'),
      outage: this.isOutage,
      stale: this.stale !== null,
      asOf: iso(this.stale?.sinceMs ?? nowMs),
      planned: planned
        .toSorted((a, b) => a.atMs - b.atMs || a.kind.localeCompare(b.kind))
        .map(({ atMs, kind, token }) => ({ at: iso(atMs), kind, token })),
    };
  }
}

function plannedAfter({ changes }: OracleView, afterMs: number): (Published & { readonly atMs: number })[] {
  return ALL.flatMap((of) =>
    changes[of.kind][of.token]
      .filter(({ fromMs }) => fromMs > afterMs)
      .map(({ fromMs }) => ({ ...of, atMs: fromMs })),
  );
}
