// @module-tag slow
import fc from 'fast-check';
import { List, Map as PMap, OrderedMap, isCollection } from 'immutable';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/api/control/commands.js';
import { endpoints } from '../../../src/contract/endpoints.js';
import { type Simulator, createSimulator } from '../../../src/index.js';
import { readState, writeState } from '../../../src/persistence/state-file/file.js';
import { StateError } from '../../../src/persistence/state-file/state-error.js';
import type { WorldSnapshot } from '../../../src/runtime/snapshot-store.js';
import { rpcMessage } from '../../api/rpc/support.js';
import { dumpOf } from '../../support/dump.js';
import { world } from '../../support/world.js';
import { busyState } from './support.js';

const RUNS = 250;

type Path = readonly (string | number)[];

function childrenOf(value: unknown): readonly [string | number, unknown][] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if (isCollection(value)) return [...(value as PMap<string, unknown>).entries()];
  return value instanceof Map ? [] : Object.entries(value);
}

function allPaths(value: unknown, at: Path = []): Path[] {
  return childrenOf(value).flatMap(([name, child]) => [[...at, name], ...allPaths(child, [...at, name])]);
}

/** A copy of a value in which the one at the path is another. */
function withChange(value: unknown, [name, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  if (List.isList(value))
    return value.set(name as number, withChange(value.get(name as number), rest, change));
  if (PMap.isMap(value) || OrderedMap.isOrderedMap(value))
    return value.set(name, withChange(value.get(name), rest, change));
  if (Array.isArray(value))
    return value.map((member: unknown, at) =>
      at === Number(name) ? withChange(member, rest, change) : member,
    );
  const members = value as Record<string, unknown>;
  return { ...members, [name]: withChange(members[name], rest, change) };
}

/** What a value becomes: number `how` of some wrong values of its type. */
function wrong(value: unknown, how: number): unknown {
  const one = <T>(...all: readonly T[]): T => all[how % all.length] as T;
  if (typeof value === 'number')
    return one(-value - 1, 9e15, Number.MAX_VALUE, value + 0.5, Number.NaN, 999_999);
  if (typeof value === 'bigint') return one(-value - 1n, 10n ** 40n, value + 1n);
  if (typeof value === 'string') return one('', 'nobody', value.slice(1), '11111111111111111111111111111111');
  if (typeof value === 'boolean') return !value;
  if (List.isList(value)) return value.pop();
  if (isCollection(value)) return (value as PMap<string, unknown>).delete([...value.keys()].at(-1) as string);
  if (Array.isArray(value)) return value.slice(0, -1);
  return how % 2 === 0 ? null : value;
}

/** Paths by the part of the world that they lead to, so that small parts are changed as often as large ones. */
function pathsByPart(snapshot: WorldSnapshot): readonly Path[][] {
  const parts = new Map<string, Path[]>();
  for (const path of allPaths(snapshot)) {
    const part = path.slice(0, 4).join('.');
    parts.set(part, [...(parts.get(part) ?? []), path]);
  }
  return [...parts.values()];
}

/** Everything that can be read of a world: the responses' status by what was called. */
async function reads(sim: Simulator): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const { token } = await sim.agent(0).signIn();
  const wallet = sim.wallets[0]?.address ?? '';
  for (const path of controlPaths(wallet)) {
    const response = await sim.fetch(`/_sim/v1${path}`);
    statuses[path] = response.status;
    await response.arrayBuffer();
  }
  const query: Record<string, string> = {
    '/agent/eligibility': '?amount=100&purpose=task&duration=30',
    '/agent/account/x402/request': '?amount=1&token=USDC',
  };
  for (const { method, path } of Object.values(endpoints(sim.config.variants))) {
    if (method !== 'GET') continue;
    const response = await sim.fetch(`/api/v1${path.replace('{id}', 'loan-1')}${query[path] ?? ''}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // Published for worlds whose prices are not available.
    const isPublished = (await response.text()).includes('oracle_unavailable');
    statuses[path] = isPublished ? 200 : response.status;
  }
  for (const [method, ...params] of rpcCalls(wallet)) {
    const answer = await sim.rpc(rpcMessage(method, ...params));
    statuses[method] = answer.includes('-32603') ? 500 : 200;
  }
  await dumpOf(sim);
  return statuses;
}

function controlPaths(wallet: string): string[] {
  const queries: Record<string, string> = { '/journal/balance': '?account=treasury' };
  return Object.values(COMMANDS)
    .filter(({ method, path }) => method === 'GET' && path !== '/events')
    .map(({ path }) => path.replace('{id}', wallet) + (queries[path] ?? ''));
}

function rpcCalls(wallet: string): [method: string, ...params: unknown[]][] {
  return [
    ['getBalance', wallet],
    ['getSignaturesForAddress', wallet],
    ['getLatestBlockhash'],
    ['getSlot'],
    ['getEpochInfo'],
    ['getBlocks', 0],
    ['getBlock', 1],
    ['getSupply'],
    ['getTokenAccountsByOwner', wallet, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }],
  ];
}

const isFailure = ([, status]: [string, number]) => status >= 500;

describe('state file whose content was made up', () => {
  it('is refused, or is a world whose books hold and whose reads succeed', async () => {
    const state = readState(await busyState());
    const sim = await world({ variants: { withdrawals: 'queued' } });
    const before = await sim.snapshot();
    const parts = pathsByPart(state.snapshot);
    const wrongs: string[] = [];
    let [refusals, unwritable] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...parts).chain((paths) => fc.constantFrom(...paths)),
        fc.nat(11),
        async (path, how) => {
          let bytes: Uint8Array;
          try {
            const snapshot = withChange(state.snapshot, path, (value) => wrong(value, how)) as WorldSnapshot;
            bytes = writeState({ ...state, snapshot });
          } catch {
            unwritable += 1;
            return;
          }
          const refused = await sim.importState(bytes).then(
            () => null,
            (error: unknown) => error,
          );
          const name = `${path.join('.')} (${how})`;
          if (refused !== null) {
            refusals += 1;
            if (!(refused instanceof StateError)) wrongs.push(`${name}: ${refused as Error}`);
            return;
          }
          const violations = await sim.invariants().catch((error: unknown) => [error]);
          if (violations.length > 0) wrongs.push(`${name}: breaks invariants`);
          const failed = await reads(sim).then(
            (statuses) => Object.entries(statuses).filter(isFailure),
            (error: unknown) => [[(error as Error).message]],
          );
          if (failed.length > 0) wrongs.push(`${name}: ${failed.map(([what]) => what).join(' ')}`);
          await sim.revert(before);
        },
      ),
      { numRuns: RUNS, seed: 48 },
    );
    expect(wrongs).toEqual([]);
    expect(refusals).toBeGreaterThan(RUNS / 10);
    expect(unwritable).toBeLessThan(RUNS / 3);
  });

  it('is refused at a start, as at an import', async () => {
    const author = await world();
    await author.agent(0).fund(5, 'USDC');
    const read = readState(await author.exportState());
    const path = ['bank', 'books', 'state', 'seq'];
    const snapshot = withChange(read.snapshot, path, () => 7) as WorldSnapshot;
    const state = writeState({ ...read, snapshot });
    const refused = { code: 'state_damaged', message: expect.stringContaining('journal') as string };
    await expect(author.importState(state)).rejects.toMatchObject(refused);
    await expect(createSimulator({ state })).rejects.toMatchObject(refused);
  });

  it('has at most a count of reverts that can be searched', async () => {
    const read = readState(await (await world()).exportState());
    for (const reverts of [-1, 0.5, 1e17]) {
      const state = withChange(read.snapshot, ['ground', 'chain', 'reverts'], () => reverts) as WorldSnapshot;
      const refused = createSimulator({ state: writeState({ ...read, snapshot: state }) });
      await expect(refused, String(reverts)).rejects.toBeInstanceOf(StateError);
    }
  });

  it('has at most the wallets that a world creates', async () => {
    const read = readState(await (await world()).exportState());
    const withMade = (walletsMade: number) =>
      writeState({ ...read, snapshot: { ...read.snapshot, walletsMade } });
    await expect(world({ state: withMade(100_001) })).rejects.toMatchObject({ code: 'state_damaged' });
    const full = await world({ state: withMade(100_000) });
    expect(() => full.createWallet()).toThrow('has created 100000 wallets');
  });
});
