import { describe, expect, it } from 'vitest';
import { ALICE_AND_BOB, PLAY_OPTIONS, played, playedScript } from '../played.js';

const REFUSED = 'alice.withdraw: { amount: 5000, token: USDC }';
const LOOK = '{ until: { expect: { chain: { bob: { usdc: 0 } } } } }';

// `test/golden/scenario-faults.test.ts` has what is refused before it is played.
describe('scenario that could pass without being checked', () => {
  it.each([
    [
      'a wrong count of nested parallel calls',
      `[{ parallel: [{ parallel: [{ ${REFUSED} }, { ${REFUSED} }] }, alice.account], expect: { refused: 0 } }]`,
    ],
    ['a wrong expectation beside a wait', `[{ wait: ${LOOK}, expect: { chain: { bob: { usdc: 1 } } } }]`],
    [
      'a number of rounds that is not a number',
      '[{ alice.loans: {}, save: l }, { repeat: { times: "${l.loans}", steps: [alice.account] } }]',
    ],
  ])('fails for %s', async (_what, steps) => {
    expect((await played(`${ALICE_AND_BOB}steps: ${steps}`)).verdict).toBe('failed');
  });

  it('fails as a property whose check throws null', { tags: ['slow'] }, async () => {
    const { verdict, reason } = await playedScript(
      `export default property('x', { runs: 2, steps: 3 }, () => { throw null; });`,
    );
    expect([verdict, reason]).toEqual(['failed', expect.stringMatching(/^after .*: null$/)]);
  });

  it('fails as a property whose world cannot be created', async () => {
    const open = () => Promise.reject(new Error('no world today'));
    const target = { ...PLAY_OPTIONS.target, open };
    expect(await played('name: x\nproperty: { runs: 2, steps: 2 }\n', { target })).toMatchObject({
      verdict: 'failed',
      reason: 'no world today',
    });
  });
});
