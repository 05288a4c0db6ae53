import { createSimulator } from '../src/index.js';
import { ensure, interleave, rateOf } from './measure.js';
import type { Benchmark } from './report.js';

const COUNT = 10_000;
const AMOUNT = 0.01;

/** Operations that touch the books only, called directly. */
export const offChain: Benchmark = {
  name: 'off-chain',
  run: async () => {
    const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
    await sim.agent(0).fund(50_000, 'USDC');
    const wallet = sim.wallets[0]?.address ?? '';
    ensure(sim.bank.savingsDeposit({ wallet, amount: 20_000, token: 'USDC' }).ok, 'no savings');
    ensure(sim.bank.collateralBorrow({ wallet, amount: 5_000 }).ok, 'no loan');
    const input = { wallet, amount: AMOUNT, token: 'USDC' };
    const rate = (operation: () => { ok: boolean }) => () =>
      rateOf(COUNT, () => ensure(operation().ok, 'an operation was refused'));
    const rates = await interleave(
      { rounds: 8, warmUp: 2 },
      {
        'savings deposit': rate(() => sim.bank.savingsDeposit(input)),
        'collateral borrow': rate(() => sim.bank.collateralBorrow(input)),
        'collateral repay': rate(() => sim.bank.collateralRepay(input)),
        'savings withdraw': rate(() => sim.bank.savingsWithdraw(input)),
      },
    );
    await sim.close();
    return Object.entries(rates).map(([name, measured]) => ({
      name,
      unit: '1/s',
      measured,
      ceiling: null,
      target: { kind: 'at least', value: 50_000 },
    }));
  },
};
