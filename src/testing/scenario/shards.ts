import type { Scenario } from './scenario.js';

/** One of several equal parts of a suite, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Estimates in milliseconds: per world and per step. */
const WORLD_MS = 40;
const STEP_MS = 3;
const SCRIPT_STEPS = 10;

function guess({ play }: Scenario): number {
  switch (play.kind) {
    case 'steps':
      return WORLD_MS + play.steps.length * STEP_MS;
    case 'script':
      return WORLD_MS + SCRIPT_STEPS * STEP_MS;
    case 'property':
      return play.property.runs * (WORLD_MS + play.property.steps * STEP_MS);
  }
}

export function parseShard(text: string): Shard | null {
  const [, index = '', count = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : null;
}

/**
 * The scenarios of one shard, in order. Each scenario is in exactly one shard. Shards take about equally long: scenarios are assigned longest first, each to the least loaded shard. Equal suites give equal shards.
 */
export function shardOf(scenarios: readonly Scenario[], shard: Shard): Scenario[] {
  const timed = scenarios.map((scenario) => ({ scenario, ms: guess(scenario) }));
  timed.sort((a, b) => b.ms - a.ms || (a.scenario.id < b.scenario.id ? -1 : 1));
  const loads = Array.from({ length: shard.count }, () => 0);
  const mine = new Set<Scenario>();
  for (const { scenario, ms } of timed) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] ?? 0) + ms;
    if (least === shard.index - 1) mine.add(scenario);
  }
  return scenarios.filter((scenario) => mine.has(scenario));
}
