import { createSimulator, type Simulator } from '../src/index.js';
import { ensure, interleave, msOf, randomAddress } from './measure.js';
import type { Benchmark } from './report.js';

const LOANS = 1_000;

/** A world with pending loan applications. */
async function withApplications(): Promise<{ sim: Simulator; ids: string[] }> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  for (let at = 0; at < LOANS; at += 1) {
    const wallet = randomAddress();
    await sim.faucet(wallet, 10, 'SOL');
    await sim.linkIdentity(wallet, { x: true, github: true });
    const applied = await sim.bank.credit.applyForLoan({ wallet, amount: 100, purpose: 'task', duration: 7 });
    ensure(applied.ok, 'an application was refused');
  }
  return { sim, ids: sim.reviews.list().map(({ loanId }) => loanId) };
}

/** A ten-year jump over which every loan falls due and defaults, against approving them. */
export const loansDue: Benchmark = {
  name: 'loans-due',
  run: async () => {
    const { sim, ids } = await withApplications();
    ensure(ids.length === LOANS, `${ids.length} applications wait`);
    const waiting = await sim.snapshot();
    const decide = async () => {
      for (const id of ids) await sim.reviews.approve(id);
    };
    const ms = await interleave(
      { rounds: 11, warmUp: 2 },
      {
        decide: async () => {
          await sim.revert(waiting);
          return msOf(decide);
        },
        jump: async () => {
          await sim.revert(waiting);
          await decide();
          let fired = 0;
          const taken = await msOf(async () => {
            fired = (await sim.advance('10y')).filter(({ kind }) => kind.startsWith('loan.')).length;
          });
          ensure(fired === 2 * LOANS, `${fired} events of loans`);
          return taken;
        },
      },
    );
    await sim.close();
    return [
      {
        name: 'ten years with 1,000 loans that fall due, against deciding them',
        unit: 'ms',
        measured: ms.jump,
        ceiling: ms.decide,
        target: { kind: 'at most', value: 3 },
      },
    ];
  },
};
