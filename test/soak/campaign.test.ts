import { describe, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { runCampaign } from '../bank/campaign.js';

describe('long campaigns', () => {
  for (const [engine, seeds] of [
    ['litesvm', 100],
    ['bankrun', 30],
  ] as const) {
    it(`keep every invariant on ${engine}: ${seeds} seeds of 1,000 steps`, async () => {
      for (let seed = 1; seed <= seeds; seed += 1) {
        await runCampaign(() => createSimulator({ engine, time: 'frozen', seed: `soak-${seed}` }), {
          seed: `soak-${engine}-${seed}`,
          steps: 1_000,
          checkEvery: 10,
        });
      }
    });
  }
});
