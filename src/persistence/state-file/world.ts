import {
  type Fault,
  type FaultEffect,
  type FaultRule,
  type FaultWhen,
  type FaultsSnapshot,
  PHASES,
} from '../../runtime/faults/fault-rules.js';
import { faultInput } from '../../runtime/faults-api.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import { MOST_WALLETS_MADE } from '../../runtime/wallet-funding.js';
import type { PerToken } from '../../core/domain/money.js';
import { LAST_INSTANT_MS } from '../../core/domain/calendar.js';
import { type ClockSnapshot, MOST_FACTOR, type TimeMode } from '../../world/clock.js';
import type { FeedPoint, FeedSource } from '../../world/feed.js';
import type { OracleSnapshot } from '../../world/oracle.js';
import { feedFrom } from '../../world/sources.js';
import { type Stretch, Timeline } from '../../world/timeline.js';
import type { YieldIndexSnapshot } from '../../world/yield-index.js';
import { bank } from './bank.js';
import { perToken } from './books.js';
import * as c from './codec.js';
import { always, fields, whenChanged } from './field.js';
import { embeddedChain } from './embedded-chain.js';

const clock: c.Codec<ClockSnapshot> = c.checked(
  c.struct<Omit<ClockSnapshot, 'turns'>>({
    mode: c.union<TimeMode>({ real: {}, frozen: {}, scaled: { factor: c.number } }),
    nowMs: c.number,
    slotMs: c.number,
  }),
  ({ mode, nowMs, slotMs }) =>
    Number.isInteger(nowMs) &&
    Math.abs(nowMs) <= LAST_INSTANT_MS &&
    slotMs >= 0 &&
    slotMs <= LAST_INSTANT_MS &&
    (mode.kind !== 'scaled' || (mode.factor > 0 && mode.factor <= MOST_FACTOR)),
);

const source = c.union<FeedSource>({
  fixed: { value: c.big },
  series: { points: c.array(c.struct<FeedPoint>({ atMs: c.number, value: c.big })) },
  walk: {
    seed: c.text,
    startMs: c.number,
    start: c.big,
    everyMs: c.number,
    stepPpm: c.number,
    min: c.big,
    max: c.big,
  },
});

/** Feeds are recreated from their sources. */
const stretch = c.struct<Stretch>({
  fromMs: c.number,
  feed: c.via(source, { encode: (feed) => feed.source, decode: feedFrom }),
  isPlanned: c.flag,
});

const timelines = (() => {
  const both = perToken(
    c.via(c.array(stretch), {
      encode: (line: Timeline) => line.stretches(),
      decode: (stretches) => Timeline.from(stretches),
    }),
  );
  return c.struct<OracleSnapshot['told']>({ apy: both, usd: both });
})();

type IndexWithoutFeed = Omit<YieldIndexSnapshot, 'apy'>;

/** Rates and prices. An index shares the timeline of its token's APY, which is written once. */
const oracle: c.Codec<OracleSnapshot> = c.derived(
  c.struct<Omit<OracleSnapshot, 'indices'> & { readonly indices: PerToken<IndexWithoutFeed> }>({
    told: timelines,
    stale: c.nullable(
      c.struct<NonNullable<OracleSnapshot['stale']>>({ sinceMs: c.number, behind: timelines }),
    ),
    out: c.flag,
    indices: perToken(c.struct<IndexWithoutFeed>({ atMs: c.number, indexRay: c.big, passedMs: c.number })),
  }),
  ({ indices, ...snapshot }) => ({
    indices: {
      USDC: { apy: snapshot.told.apy.USDC, ...indices.USDC },
      SOL: { apy: snapshot.told.apy.SOL, ...indices.SOL },
    },
    ...snapshot,
  }),
);

/** A member of a fault in the form of the control interface. */
function accepted(name: 'status' | 'retryAfter'): c.Codec<number> {
  return c.checked(c.number, (value) => faultInput.shape[name].safeParse(value).success);
}

const fault = c.struct<Fault>({
  target: c.struct<FaultRule['target']>({ kind: c.oneOf('api', 'rpc'), name: c.text }),
  phase: c.oneOf(...PHASES),
  when: c.struct<FaultWhen>({
    nth: c.nullable(c.number),
    every: c.nullable(c.number),
    probability: c.nullable(c.checked(c.number, (share) => share >= 0 && share <= 1)),
    fromMs: c.nullable(c.number),
    untilMs: c.nullable(c.number),
    wallet: c.nullable(c.text),
    times: c.nullable(c.number),
  }),
  effect: c.union<FaultEffect>({
    'replace-response': {
      status: accepted('status'),
      code: c.text,
      message: c.text,
      retryAfterSeconds: c.nullable(accepted('retryAfter')),
    },
    delay: { ms: c.number },
    'drop-connection': {},
    'lose-response': {},
    'drop-transaction': {},
    'delay-transaction': { ms: c.number },
    'expire-blockhash': {},
    'chain-unavailable': {},
    'oracle-outage': {},
  }),
  id: c.text,
  met: c.counter,
  struck: c.counter,
});

export const world = fields<Omit<WorldSnapshot, 'attached'>>({
  // A running clock changes all the time; that it was set is seen otherwise.
  clock: always(clock, () => false),
  bank,
  ground: embeddedChain,
  // How far an index has caught up is not part of a world.
  oracle: whenChanged(oracle, (a, b) => a.told !== b.told || a.stale !== b.stale || a.out !== b.out),
  seenMs: always(c.number),
  faults: whenChanged(
    c.struct<FaultsSnapshot>({ faults: c.list(fault), added: c.counter }),
    (a, b) => a.faults !== b.faults || a.added !== b.added,
  ),
  walletsMade: always(c.checked(c.counter, (made) => made <= MOST_WALLETS_MADE)),
});
