import { createSimulator } from '../src/index.js';
import { interleave, msOf } from './measure.js';
import type { Benchmark, Row, Target } from './report.js';
import { makeSavers } from './savers.js';

const SAVERS = 10_000;
const TEN_YEARS = '3652d';
const TARGET: Target = { kind: 'at most', value: 2 };

/** The cost of advancing ten years with many savers, against one second. */
export const tenYears: Benchmark = {
  name: 'ten-years',
  run: async () => {
    // One second before midnight: either jump settles today's savings on chain.
    const sim = await createSimulator({
      engine: 'litesvm',
      time: 'frozen',
      startTime: '2026-01-01T23:59:59Z',
    });
    const [wallet = ''] = makeSavers(sim, SAVERS);
    const due = await sim.snapshot();
    await sim.advance('1h');
    const idle = await sim.snapshot();
    const jump = (from: string, by: string, and: () => unknown) => async () => {
      await sim.revert(from);
      return (
        1_000 *
        (await msOf(async () => {
          await sim.advance(by);
          and();
        }))
      );
    };
    const nothing = () => undefined;
    const overview = () => sim.bank.account(wallet);
    const us = await interleave(
      { rounds: 101, warmUp: 30 },
      {
        idleSecond: jump(idle, '1s', nothing),
        idleYears: jump(idle, TEN_YEARS, nothing),
        readSecond: jump(idle, '1s', overview),
        readYears: jump(idle, TEN_YEARS, overview),
        dueSecond: jump(due, '1s', nothing),
        dueYears: jump(due, TEN_YEARS, nothing),
      },
    );
    await sim.close();
    const row = (name: string, measured: number, ceiling: number, target: Target | null): Row => {
      return { name: `ten years, ${name}`, unit: 'µs', measured, ceiling, target };
    };
    return [
      row('10,000 savers', us.idleYears, us.idleSecond, TARGET),
      // The index is computed when it is read.
      row('with an overview', us.readYears, us.readSecond, null),
      row('with a settlement', us.dueYears, us.dueSecond, TARGET),
    ];
  },
};
