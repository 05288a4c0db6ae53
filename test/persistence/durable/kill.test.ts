// @module-tag slow
import { expect, it } from 'vitest';
import { ENGINES } from '../../support/world.js';
import { killAgainAndAgain } from './kills.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

it.each(ENGINES)(
  'a service on %s that is killed under load keeps every answered write, whole',
  { timeout: 120_000 },
  async (engine) => {
    const answered = await killAgainAndAgain(temporaryFolder(), { engine, seed: `kill-${engine}`, kills: 4 });
    expect(answered).toBeGreaterThanOrEqual(40);
  },
);
