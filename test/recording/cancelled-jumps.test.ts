import { expect, it } from 'vitest';
import type { Simulator, SimulatorOptions } from '../../src/index.js';
import { ENDLESS, abortedAfter } from '../support/endless.js';
import type { Session } from './session.js';
import { type Known, begin, differencesOf, recordingOf } from './support.js';

const OPTIONS = { seed: 'left', ...ENDLESS } as const satisfies SimulatorOptions;

/** The lines of the jumps in a recording. */
function jumpsIn(text: string): { at: number; kind: string; to?: number }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { at: number; kind: string; command?: string; to?: number })
    .filter(({ kind, command }) => kind === 'clock' || command === 'advance');
}

/** A jump over HTTP that its caller cancels. */
async function left({ sim, control }: Session): Promise<void> {
  const signal = abortedAfter(sim, 700);
  await expect(control.do('advance', { body: { by: '30d' }, signal })).rejects.toThrow('enough');
}

/** Resolves at the next event, such as the first due event of a jump. */
function nextEvent(sim: Simulator): Promise<void> {
  return new Promise((resolve) => {
    const stop = sim.events.onAppend(() => {
      stop();
      resolve();
    });
  });
}

it.each(['frozen', '60x'])(
  'a cancelled jump is recorded up to the instant it reached, and replays (%s)',
  async (time) => {
    let reachedMs = 0;
    const text = await recordingOf({ ...OPTIONS, time }, async (session, sim) => {
      const { alice } = await begin(session);
      await alice.depositSavings({ amount: 500, token: 'USDC' });
      await left(session);
      await alice.account();
      reachedMs = sim.now().getTime();
      // While time runs, the response to a jump depends on the machine.
      if (time === 'frozen') await session.control.do('advance', { body: { by: '1s' } });
      await alice.account();
    });
    const [jump, next] = jumpsIn(text);
    expect(jump).toEqual({
      at: expect.any(Number) as number,
      kind: 'clock',
      to: expect.any(Number) as number,
    });
    if (time === 'frozen') expect([jump?.to, next?.kind]).toEqual([reachedMs, 'control']);
    expect(await differencesOf(text)).toEqual([]);
  },
);

/** What is done after an endless jump was asked for, which its caller cancels. */
const BEHIND: Readonly<Record<string, (known: Known, sim: Simulator) => Promise<unknown>>> = {
  'calls that wait behind a cancelled jump are recorded after it': ({ alice }) =>
    Promise.all([alice.account(), alice.depositSavings({ amount: 500, token: 'USDC' })]),
  'a jump that is cancelled before it begins is not recorded': async (_known, sim) => {
    const waiting = new AbortController();
    const init = { method: 'POST', body: JSON.stringify({ by: '30d' }), signal: waiting.signal };
    const second = sim.fetch('/_sim/v1/time/advance', init);
    waiting.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
  },
};

it.each(Object.entries(BEHIND))('%s', async (_what, act) => {
  const text = await recordingOf(OPTIONS, async (session, sim) => {
    const known = await begin(session);
    const jump = left(session);
    await nextEvent(sim);
    await Promise.all([jump, act(known, sim)]);
    await known.alice.account();
  });
  expect(jumpsIn(text)).toHaveLength(1);
  expect(await differencesOf(text)).toEqual([]);
});

it('a cancelled in-process jump is recorded while a command waits behind it, and replays', async () => {
  const text = await recordingOf(OPTIONS, async (session, sim) => {
    const { alice } = await begin(session);
    const jump = sim.advance('30d', { signal: abortedAfter(sim, 2_000) });
    await Promise.all([expect(jump).rejects.toThrow('enough'), session.control.do('wallets')]);
    await alice.account();
  });
  expect(jumpsIn(text)).toMatchObject([{ kind: 'clock' }]);
  expect(await differencesOf(text)).toEqual([]);
});
