import { expect, it } from 'vitest';
import { DamagedFile } from '../persistence/durable/damaged-file.js';
import { killAgainAndAgain } from '../persistence/durable/kills.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ENGINES } from '../support/world.js';

it.each(ENGINES)('200 kills of sim start on %s lose nothing that was answered', async (engine) => {
  const answered = await killAgainAndAgain(temporaryFolder(), { engine, seed: `soak-${engine}`, kills: 200 });
  expect(answered).toBeGreaterThanOrEqual(2_000);
});

it('a file cut or damaged at 2,000 places loads what is whole, or is rejected', async () => {
  const file = await DamagedFile.make();
  file.cut(2_000);
  file.flip(2_000);
});
