import canonicalize from 'canonicalize';
import { isCollection, isKeyed } from 'immutable';
import { isoOf } from '../../src/core/domain/calendar.js';
import { dueItems } from '../../src/core/domain/due.js';
import { TOKENS } from '../../src/core/domain/money.js';
import type { Oracle } from '../../src/world/oracle.js';
import type { WorldSnapshot } from '../../src/runtime/snapshot-store.js';
import type { Simulator } from '../../src/simulator/simulator.js';

// Feeds are told apart by this many upcoming changes.
const CHANGES_AHEAD = 8;
// The most past changes of a rate or price to include.
const CHANGES_BEHIND = 10_000;

/** The names of an object's members, including members that its class computes on access, as in an engine's executions. */
function membersOf(value: object): string[] {
  const prototype = Object.getPrototypeOf(value) as object;
  const own = Object.keys(value);
  if (prototype === Object.prototype) return own;
  const inherited = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  return [...own, ...inherited.flatMap(([name, member]) => ('get' in member ? [name] : []))];
}

/** A value as JSON: unbounded numbers and bytes become text, collections become arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isKeyed(value) || value instanceof Map)
    return Object.fromEntries([...value.entries()].map(([key, member]) => [String(key), plain(member)]));
  if (isCollection(value)) return [...value.valueSeq()].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  return Object.fromEntries(
    membersOf(value)
      .map((name) => [name, plain(value[name as keyof object])] as const)
      .filter(([, member]) => member !== undefined),
  );
}

function oracleOf(oracle: Oracle, snapshot: WorldSnapshot): object {
  const { nowMs } = snapshot.clock;
  const ahead: object[] = [];
  for (let atMs = nowMs; ahead.length < CHANGES_AHEAD;) {
    const changes = oracle.nextChanges(atMs);
    const [first] = changes;
    if (first === undefined) break;
    atMs = first.atMs;
    const told = changes.map(({ kind, token }) => ({
      kind,
      token,
      value: kind === 'yield.changed' ? oracle.apyPpm(token, atMs) : oracle.priceE8(token, atMs),
    }));
    ahead.push({ at: isoOf(atMs), told });
  }
  const now = TOKENS.map((token) => ({
    token,
    apyPpm: oracle.apyPpm(token, nowMs),
    priceE8: oracle.priceE8(token, nowMs),
    indexRay: oracle.yieldIndex(token, nowMs),
  }));
  const past = TOKENS.flatMap((token) =>
    (['apy', 'usd'] as const).map((kind) => {
      const line = oracle.timeline(kind, token);
      return { token, kind, ...line.changes(line.startMs, nowMs, CHANGES_BEHIND) };
    }),
  );
  return {
    now,
    ahead,
    planned: oracle.plannedAfter(nowMs),
    past,
    out: snapshot.oracle.out,
    staleSinceMs: snapshot.oracle.stale?.sinceMs ?? null,
  };
}

function textOf(snapshot: WorldSnapshot, oracle: Oracle): string {
  const { bank, ground, clock, ...surroundings } = snapshot;
  const { books, ...bankRest } = bank;
  const { chain, ...groundRest } = ground;
  const { history, ...chainRest } = chain;
  const { due, ...state } = books.state;
  const world = {
    ...surroundings,
    clock: { ...clock, turns: undefined },
    books: { entries: books.entries, state: { ...state, due: dueItems(due) } },
    bank: bankRest,
    chain: { ...chainRest, reverts: undefined, log: history.log },
    ...groundRest,
    oracle: oracleOf(oracle, snapshot),
  };
  return canonicalize(plain(world)) ?? '';
}

/**
 * The whole world as JSON with sorted members (RFC 8785), without the clock's earlier readings and the count of reverts, in which a world
 * differs from its copies. Equal worlds give equal text.
 */
export function dumpOf(sim: Simulator): Promise<string> {
  return sim.capture(textOf);
}
