import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { ReplayHarness } from '../../../src/testing/fuzz/play/replay.js';
import { durationText } from '../../../src/testing/fuzz/spans.js';
import type { WorldOptions } from '../../../src/testing/fuzz/world.js';
import type { FuzzTarget, Step } from '../../../src/testing/fuzz-library.js';
import { CHECK_SUITE } from './by-hand.js';

export type Unnumbered = Omit<Step, 'id'>;

export function numbered(steps: readonly Unnumbered[], after = 0): Step[] {
  return steps.map((step, at) => ({ ...step, id: after + at + 1 }));
}

export function operator(name: string, args: Step['with'] = {}): Unnumbered {
  return { do: name, with: args };
}

/** A step of an agent. */
export function by(agent: string, name: string, args: Step['with'] = {}): Unnumbered {
  return { do: name, by: agent, with: args };
}

export function ann(name: string, args: Step['with'] = {}): Unnumbered {
  return by('ann', name, args);
}

/** A call of ann with a body, and with other arguments, such as a key or a fault. */
export function call(name: string, body: Step['with'], more: Step['with'] = {}): Unnumbered {
  return ann(name, { body, ...more });
}

export function send(token: string, amount: number): Unnumbered {
  return ann('send', { transfers: [{ to: '${treasury}', token, amount }] });
}

/** The deposit of what the step `of` sent. */
export function deposit(token: string, amount: number, of: number): Unnumbered {
  return call('deposit', { amount, token, tx_signature: `\${s${of}.signature}` });
}

export function advance(span: number | string): Unnumbered {
  return operator('time.advance', { by: typeof span === 'number' ? durationText(span) : span });
}

export function overlap(calls: readonly Unnumbered[], order: number): Unnumbered {
  return operator('overlap', { calls, order });
}

/** ann signs in and deposits 1,500 USDC. */
export const FUNDED: readonly Unnumbered[] = [ann('signIn'), send('USDC', 1_500), deposit('USDC', 1_500, 2)];
/** Steps after `FUNDED`: she deposits 30 SOL too. */
export const FUNDED_SOL: readonly Unnumbered[] = [send('SOL', 30), deposit('SOL', 30, 4)];
export const LOOK: readonly Unnumbered[] = [ann('account'), ann('transactions')];

/** A world with its model, and what plays steps in both: null, or how they break a rule. */
export async function opened({
  target = inProcessFuzz,
  agents = 2,
  ...options
}: Partial<WorldOptions> & { target?: FuzzTarget; agents?: number } = {}) {
  const world = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {}, ...options } as const;
  const harness = await ReplayHarness.open(target, world, {
    agents,
    checkSuite: CHECK_SUITE,
  });
  return {
    runner: harness.runner,
    play: (steps: readonly Step[]) => harness.playOn(steps),
  };
}
