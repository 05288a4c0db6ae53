import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator } from '../src/index.js';
import { planStudy, runOf } from '../src/testing/study/plan.js';
import { playRun } from '../src/testing/study/play/play-run.js';
import { NO_MODULE } from '../src/testing/study/module.js';
import { ensure, interleave } from './measure.js';
import type { Benchmark } from './report.js';
import { makeSavers } from './savers.js';

const AGENTS = 1_000;
const TICKS = 60;
const TICKS_OF_A_MONTH = 30;

/** Off chain only: what a study adds to the operations themselves. */
const OFF_CHAIN = `
name: Savers and borrowers
population:
  count: ${AGENTS}
  personas:
    saver: { weight: 3, does: { savings.deposit: 6, savings.withdraw: 5 } }
    borrower: { weight: 1, does: { collateral.borrow: 5, collateral.repay: 3 } }
span: ${TICKS}d
world: { engine: litesvm }
`;

/** A tenth of the actions on chain. */
const MIXED = `
name: Savers, borrowers and payers
population:
  count: ${AGENTS}
  personas:
    saver: { weight: 6, does: { deposit: 1, savings.deposit: 12, savings.withdraw: 10, withdraw: 1 } }
    borrower: { weight: 3, does: { collateral.borrow: 5, collateral.repay: 3, savings.withdraw: 2, savings.deposit: 1 } }
    payer: { weight: 1, does: { x402.pay: 5, savings.deposit: 2, savings.withdraw: 2 } }
span: ${TICKS}d
world: { engine: litesvm }
`;

/** What a run took: the whole, and its ticks. */
interface Measured {
  readonly actions: number;
  readonly tickMs: readonly number[];
}

async function measured(text: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-study-'));
  const file = join(folder, 'study.yaml');
  writeFileSync(file, text);
  const plan = await planStudy(file);
  rmSync(folder, { recursive: true });
  const tickMs: number[] = [];
  let last = 0;
  const { actions, failure } = await playRun(plan, runOf(plan, 1), {
    module: NO_MODULE,
    onTick: (tick) => {
      const now = performance.now();
      if (tick > 0) tickMs.push(now - last);
      last = now;
    },
  });
  ensure(failure === null, `the run failed: ${failure?.text}`);
  return { actions, tickMs };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const rateOf = ({ actions, tickMs }: Measured): number => actions / (sum(tickMs) / 1_000);

/** The rate of the operations themselves, by as many customers. */
async function directRate(): Promise<number> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const wallets = makeSavers(sim, AGENTS);
  const round = () => {
    for (const wallet of wallets) {
      const input = { wallet, amount: 1, token: 'USDC' };
      ensure(
        sim.bank.savingsDeposit(input).ok && sim.bank.savingsWithdraw(input).ok,
        'an operation was refused',
      );
    }
  };
  round();
  const begunMs = performance.now();
  const rounds = TICKS / 2;
  for (let at = 0; at < rounds; at += 1) round();
  const seconds = (performance.now() - begunMs) / 1_000;
  await sim.close();
  return (rounds * 2 * AGENTS) / seconds;
}

/** Actions of the agents of a study, and whether its ticks become slower. */
export const study: Benchmark = {
  name: 'study',
  run: async () => {
    const rates = await interleave(
      { rounds: 3, warmUp: 1 },
      { direct: directRate, offChain: async () => rateOf(await measured(OFF_CHAIN)) },
    );
    const mixed = await measured(MIXED);
    const month = (from: number) => sum(mixed.tickMs.slice(from, from + TICKS_OF_A_MONTH));
    return [
      {
        name: 'actions of a study, off chain',
        unit: '1/s',
        measured: rates.offChain,
        ceiling: rates.direct,
        target: { kind: 'at least', value: 0.5 },
      },
      {
        name: 'actions of a study, a tenth on chain',
        unit: '1/s',
        measured: rateOf(mixed),
        ceiling: null,
        target: null,
      },
      {
        name: 'last month of a study, against the first',
        unit: 'ms',
        measured: month(TICKS - TICKS_OF_A_MONTH),
        ceiling: month(0),
        target: { kind: 'at most', value: 1.2 },
      },
    ];
  },
};
