import { onTestFinished } from 'vitest';
import type { Simulator, SimulatorOptions } from '../../src/index.js';

/** In a world with these options a jump by a month would take hours. */
export const ENDLESS = {
  oracle: { solUsd: { walk: { start: 150, every: '1ms', step: 0.01 } } },
  limits: { jumpEvents: 100_000_000 },
} as const satisfies SimulatorOptions;

/** Aborts with the reason `enough` after the given number of due events. */
export function abortedAfter(sim: Simulator, events: number): AbortSignal {
  const controller = new AbortController();
  let count = 0;
  const stop = sim.events.onAppend(() => {
    if (sim.events.bodyAt(sim.events.last)?.kind === 'fired') count += 1;
    if (count === events) controller.abort(new Error('enough'));
  });
  onTestFinished(stop);
  return controller.signal;
}
