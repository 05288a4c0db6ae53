import fc from 'fast-check';
import type { ModelToken, Published } from '../model/types.js';
import { type Draw, chance, composed } from '../draw.js';
import type { ModelRunner } from '../play/model-runner.js';
import { DAY, HOUR } from '../spans.js';
import type { Command } from './command.js';
import { playControl } from './control.js';

/** Prices, including the maximum and the least, at which money is worth nothing. */
const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001, 1e9, 1e-8, 0],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99, 1e9, 1e-8, 0],
};
/** Rates in common notations. */
const PERCENTAGES = ['5.2%', ' 0.29 %', '0%', '100%', '1.75%'];
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 2.5, 0.000001, 10];
/** When a change takes effect, from now. */
const OFFSETS = [-DAY, 0, 1, 999, 1_000, HOUR, DAY, DAY + 1, 30 * DAY, 365 * DAY];
const DELAYS = ['1ms', '90s', '1h', '1d', '30d'];

/** Mostly from now on, rarely from an instant that may have passed; often from the instant of a scheduled change. */
function later(draw: Draw, runner: ModelRunner, { kind, token }: Published): { in?: string; from?: string } {
  const nowMs = runner.world.nowMs();
  const coming = runner.memory.plannedChanges.filter(
    (each) => each.kind === kind && each.token === token && each.fromMs > nowMs,
  );
  if (coming.length > 0 && draw(chance(40)))
    return { from: new Date(draw(fc.constantFrom(...coming)).fromMs).toISOString() };
  if (draw(chance(15))) return { in: draw(fc.constantFrom(...DELAYS)) };
  return draw(chance(8)) ? { from: new Date(nowMs + draw(fc.constantFrom(...OFFSETS))).toISOString() } : {};
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  verbs: ['oracle.set'],
  weight: 1.5,
  draw: (runner) =>
    composed((draw) => {
      const token = draw(chance(75)) ? 'SOL' : 'USDC';
      const when = later(draw, runner, { kind: 'usd', token });
      const usd = draw(fc.constantFrom(...PRICES[token]));
      return { do: 'oracle.set', with: { [token === 'SOL' ? 'solUsd' : 'usdcUsd']: usd, ...when } };
    }),
  play: playControl,
};

export const SET_APY: Command = {
  name: 'setApy',
  verbs: ['oracle.set'],
  weight: 2,
  draw: (runner) =>
    composed((draw) => {
      const apy = draw(chance(85)) ? draw(fc.constantFrom(...APYS)) : draw(fc.constantFrom(...PERCENTAGES));
      const token = draw(fc.constantFrom('USDC', 'SOL'));
      const when = later(draw, runner, { kind: 'apy', token });
      return { do: 'oracle.set', with: { [token.toLowerCase()]: apy, ...when } };
    }),
  play: playControl,
};

/** Oracle outage, stale data, and recovery. Recovery is more frequent, since little else can be reached before it. */
export const ORACLE: Command = {
  name: 'oracle',
  weight: 1,
  draw: () =>
    fc
      .constantFrom('out', 'fresh', 'fresh', 'stale', 'fresh')
      .map((state) => ({ do: 'oracle', with: { state } })),
  play: playControl,
};
