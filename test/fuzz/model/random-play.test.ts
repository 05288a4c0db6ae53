import { describe, expect, it, onTestFinished } from 'vitest';
import type { SimulatorOptions } from '../../../src/index.js';
import { Play } from './play.js';
import { Stage } from './stage.js';

const STEPS = 400;
const START = '2026-01-05T12:00:00.400Z';

type Variants = NonNullable<SimulatorOptions['variants']>;

/** Plays so many steps. What differs throws, with the steps that led to it. */
async function played(seed: number, variants: Variants): Promise<Stage> {
  const stage = await Stage.open({ seed, startTime: START, variants });
  onTestFinished(() => stage.sim.close());
  const play = new Play(stage, seed);
  await play.begin();
  for (let step = 0; step < STEPS; step += 1) await play.step();
  return stage;
}

/** What the service has sent, by the chain: what an address holds less what others gave it. */
function sentByChain(stage: Stage, address: string): { USDC: bigint; SOL: bigint } {
  const { lamports, usdcBase } = stage.sim.chain.balancesByCopy(address);
  const given = stage.given.get(address) ?? { USDC: 0n, SOL: 0n };
  return { USDC: usdcBase - given.USDC, SOL: lamports - given.SOL };
}

const WORLDS: readonly (readonly [string, Variants])[] = [
  ['as it comes', {}],
  ['with queued withdrawals and late reviews', { withdrawals: 'queued', review: 'delay:10m' }],
  [
    'with rolling limits, automatic reviews and variant A',
    { dailyWindow: 'rolling-24h', review: 'auto', overview: 'A' },
  ],
  [
    'without credit in the history, in variant B',
    { historyTypes: 'no-credit', overview: 'B', score: '300-850' },
  ],
  [
    'with scripted reviews on devnet',
    { review: 'script:approve,deny:no,manual,after:auto', network: 'devnet' },
  ],
];

describe('a random play of model and service', () => {
  it.each(WORLDS)('finds no difference in a world %s', async (_, variants) => {
    const stage = await played(1, variants);
    const strangers = [...stage.model.sentByBank()].filter(([address]) => !stage.isWallet(address));
    for (const [address, sent] of strangers) expect(sentByChain(stage, address), address).toEqual(sent);
    expect(await stage.sim.invariants()).toEqual([]);
  });
});
