import canonicalize from 'canonicalize';
import { isCollection, isKeyed } from 'immutable';
import type { Execution } from '../chain/engine.js';
import type { ChainRecord } from '../chain/history.js';
import { isoOf } from '../core/domain/calendar.js';
import { type DueHeap, type DueItem, dropDue } from '../core/domain/due.js';
import { TOKENS } from '../core/domain/money.js';
import { allEntries } from '../core/journal/memory.js';
import type { Oracle } from '../world/oracle.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';

// Feeds are told apart by this many upcoming changes.
const CHANGES_AHEAD = 8;
// The most past changes of a rate or price to include.
const CHANGES_BEHIND = 10_000;

/** A value as JSON: unbounded numbers and bytes become text, collections become arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isCollection(value)) {
    return isKeyed(value)
      ? Object.fromEntries([...value.entries()].map(([key, member]) => [String(key), plain(member)]))
      : [...value.valueSeq()].map(plain);
  }
  if (Array.isArray(value)) return value.map(plain);
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, plain(member)]),
  );
}

function dueList(heap: DueHeap): DueItem[] {
  const items: DueItem[] = [];
  for (let rest = heap; rest !== null; rest = dropDue(rest)) items.push(rest.item);
  return items;
}

// Engines expose an execution through lazy getters.
function executionOf(execution: Execution): object {
  const { executed, error, logs, unitsConsumed, returnData, innerInstructions } = execution;
  return { executed, error, logs, unitsConsumed, returnData, innerInstructions };
}

// Records from a state file have getters, too.
function recordOf(record: ChainRecord): object {
  const { kind, slot, blockTimeSeconds, touched } = record;
  if (record.kind === 'write') return { kind, slot, blockTimeSeconds, touched };
  const { signature, bytes, requiredSignatures, accountKeys, error, feeLamports } = record;
  return {
    kind,
    signature,
    bytes,
    requiredSignatures,
    accountKeys,
    slot,
    blockTimeSeconds,
    error,
    feeLamports,
    execution: executionOf(record.execution),
    touched,
  };
}

// So do stored idempotent calls.
function callsOf({ calls: { order, values } }: WorldSnapshot['bank']['idempotency']): object {
  return { order, values: values.map(({ value, expiresMs }) => ({ value, expiresMs })) };
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

/** A snapshot as JSON with sorted members (RFC 8785). Equal worlds give equal text. */
export function dumpOf(snapshot: WorldSnapshot, oracle: Oracle): string {
  const { bank, ground, clock, faults, seenMs, walletsMade } = snapshot;
  const { books, idempotency, ...rest } = bank;
  const { due, ...state } = books.state;
  const { history, accounts, extraSlots } = ground.chain;
  const world = {
    books: { entries: allEntries(books.entries), state: { ...state, due: dueList(due) } },
    bank: { ...rest, idempotency: callsOf(idempotency) },
    chain: { log: history.log.map(recordOf), accounts, extraSlots },
    faucet: ground.faucet,
    fates: ground.fates,
    clock,
    oracle: oracleOf(oracle, snapshot),
    faults,
    seenMs,
    walletsMade,
  };
  return canonicalize(plain(world)) ?? '';
}
