import type {
  FaultEffect,
  Fault,
  FaultRule,
  FaultWhen,
  FaultsSnapshot,
} from '../../runtime/faults/fault-rules.js';
import { PHASES } from '../../runtime/faults/fault-rules.js';
import { faultInput } from '../../runtime/faults-api.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import type { PerToken } from '../../core/domain/money.js';
import { LAST_INSTANT_MS } from '../../core/domain/calendar.js';
import { type ClockSnapshot, MOST_FACTOR, type TimeMode } from '../../world/clock.js';
import type { FeedPoint, FeedSource, RateCurve } from '../../world/feed.js';
import type { OracleSnapshot } from '../../world/oracle.js';
import { feedFrom } from '../../world/sources.js';
import { type Stretch, Timeline } from '../../world/timeline.js';
import type { YieldIndexSnapshot } from '../../world/yield-index.js';
import { bank } from './bank.js';
import { perToken } from './books.js';
import {
  type Codec,
  array,
  big,
  checked,
  counter,
  flag,
  lazily,
  list,
  nullable,
  number,
  oneOf,
  struct,
  text,
  union,
  via,
} from './codec.js';
import { always, fields, whenChanged } from './field.js';
import { embeddedChain } from './embedded-chain.js';

const clock: Codec<ClockSnapshot> = checked(
  struct<ClockSnapshot>({
    mode: union<TimeMode>({ real: {}, frozen: {}, scaled: { factor: number } }),
    nowMs: number,
    slotMs: number,
  }),
  ({ mode, nowMs, slotMs }) =>
    Number.isInteger(nowMs) &&
    Math.abs(nowMs) <= LAST_INSTANT_MS &&
    slotMs >= 0 &&
    slotMs <= LAST_INSTANT_MS &&
    (mode.kind !== 'scaled' || (mode.factor > 0 && mode.factor <= MOST_FACTOR)),
);

const source: Codec<FeedSource> = lazily('feed', () =>
  union<FeedSource>({
    fixed: { value: big },
    series: { points: array(struct<FeedPoint>({ atMs: number, value: big })) },
    walk: { seed: text, startMs: number, start: big, everyMs: number, stepPpm: number, min: big, max: big },
    capped: { most: big, feed: source },
    curve: {
      curve: struct<RateCurve>({
        basePpm: big,
        slope1Ppm: big,
        slope2Ppm: big,
        optimalPpm: big,
        reserveFactorPpm: big,
      }),
      utilization: source,
    },
  }),
);

/** Feeds are recreated from their sources. */
const stretch = struct<Stretch>({
  fromMs: number,
  feed: via(source, { encode: (feed) => feed.source, decode: feedFrom }),
  isPlanned: flag,
});

const timelines = (() => {
  const both = perToken(
    via(array(stretch), {
      encode: (line: Timeline) => line.stretches(),
      decode: (stretches) => Timeline.from(stretches),
    }),
  );
  return struct<OracleSnapshot['told']>({ apy: both, usd: both });
})();

type IndexWithoutFeed = Omit<YieldIndexSnapshot, 'apy'>;

/** Rates and prices. An index shares the timeline of its token's APY, which is written once. */
const oracle: Codec<OracleSnapshot> = via(
  struct<Omit<OracleSnapshot, 'indices'> & { readonly indices: PerToken<IndexWithoutFeed> }>({
    told: timelines,
    stale: nullable(struct<NonNullable<OracleSnapshot['stale']>>({ sinceMs: number, behind: timelines })),
    out: flag,
    indices: perToken(struct<IndexWithoutFeed>({ atMs: number, indexRay: big, passedMs: number })),
  }),
  {
    encode: (snapshot) => snapshot,
    decode: ({ indices, ...snapshot }) => ({
      indices: {
        USDC: { apy: snapshot.told.apy.USDC, ...indices.USDC },
        SOL: { apy: snapshot.told.apy.SOL, ...indices.SOL },
      },
      ...snapshot,
    }),
  },
);

/** A member of a fault in the form of the control interface. */
function accepted(name: 'status' | 'retryAfter'): Codec<number> {
  return checked(number, (value) => faultInput.shape[name].safeParse(value).success);
}

const fault = struct<Fault>({
  target: struct<FaultRule['target']>({ kind: oneOf('api', 'rpc'), name: text }),
  phase: oneOf(...PHASES),
  when: struct<FaultWhen>({
    nth: nullable(number),
    every: nullable(number),
    probability: nullable(number),
    fromMs: nullable(number),
    untilMs: nullable(number),
    wallet: nullable(text),
    times: nullable(number),
  }),
  effect: union<FaultEffect>({
    'replace-response': {
      status: accepted('status'),
      code: text,
      message: text,
      retryAfterSeconds: nullable(accepted('retryAfter')),
    },
    delay: { ms: number },
    'drop-connection': {},
    'lose-response': {},
    'drop-transaction': {},
    'delay-transaction': { ms: number },
    'expire-blockhash': {},
    'chain-unavailable': {},
    'oracle-outage': {},
  }),
  id: text,
  met: counter,
  struck: counter,
});

export const world = fields<Omit<WorldSnapshot, 'attached'>>({
  // A running clock changes all the time; that it was set is seen otherwise.
  clock: always(clock, () => false),
  bank,
  ground: embeddedChain,
  // How far an index has caught up is not part of a world.
  oracle: whenChanged(oracle, (a, b) => a.told !== b.told || a.stale !== b.stale || a.out !== b.out),
  seenMs: always(number),
  faults: whenChanged(
    struct<FaultsSnapshot>({ faults: list(fault), added: counter }),
    (a, b) => a.faults !== b.faults || a.added !== b.added,
  ),
  walletsMade: always(counter),
});
