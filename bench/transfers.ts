import { createSimulator } from '../src/index.js';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { bankrun, bankrunInternal } from './ceilings/bankrun.js';
import { rawRate } from './ceilings/engine.js';
import { litesvm, litesvmInternal } from './ceilings/litesvm.js';
import { ensure, interleave, msOf } from './measure.js';
import type { Benchmark, Row, Target } from './report.js';

const HALF: Target = { kind: 'at least', value: 0.5 };
const AMOUNT = 0.000001;
// A bankrun batch must finish before its blockhash expires, one to two seconds after signing.
const COUNT = { bankrun: 150, litesvm: 500 } as const;

async function onEngine(engine: EmbeddedEngineName): Promise<Row[]> {
  const sim = await createSimulator({ engine, time: 'frozen' });
  await sim.agent(0).fund(100, 'USDC');
  const [wallet, destination] = [sim.wallets[0]?.address ?? '', sim.wallets[1]?.address ?? ''];
  await sim.faucet(destination, 1, 'USDC');
  const raw = engine === 'litesvm' ? litesvm() : await bankrun();
  const internal = engine === 'litesvm' ? litesvmInternal() : await bankrunInternal();
  const count = COUNT[engine];
  const rate = async (work: () => Promise<{ ok: boolean }>): Promise<number> => {
    const ms = await msOf(async () => {
      for (let at = 0; at < count; at += 1) ensure((await work()).ok, 'an operation was refused');
    });
    return (count / ms) * 1_000;
  };
  const rates = await interleave(
    { rounds: 15, warmUp: 3 },
    {
      raw: () => rawRate(raw, count),
      withdraw: () => rate(() => sim.bank.withdraw({ wallet, destination, amount: AMOUNT, token: 'USDC' })),
      internal: () => rawRate(internal, count),
      pay: () => rate(() => sim.bank.pay({ wallet, recipient: destination, amount: AMOUNT, token: 'USDC' })),
    },
  );
  await sim.close();
  const row = (name: string, measured: number, ceiling: number, target: Target | null): Row => {
    return { name: `${engine}: ${name}`, unit: '1/s', measured, ceiling, target };
  };
  return [
    row('withdraw, raw transfers', rates.withdraw, rates.raw, HALF),
    row('x402 pay, raw transfers', rates.pay, rates.raw, HALF),
    row('withdraw, internal API', rates.withdraw, rates.internal, null),
    row('x402 pay, internal API', rates.pay, rates.internal, null),
  ];
}

/** Operations that move money on chain, against the engine's own transfers, signed in advance. */
export const transfers: Benchmark = {
  name: 'transfers',
  run: async () => [...(await onEngine('bankrun')), ...(await onEngine('litesvm'))],
};
