import fc from 'fast-check';
import type { Command } from '../commands/command.js';
import { type Draw, chance, weighted } from '../draw.js';
import type { Step } from '../step.js';
import type { ModelRunner } from './model-runner.js';

/** Step numbers to draw, up to a maximum. */
export function lengthUpTo(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: Math.ceil(most / 4), max: most });
}

const TRIES = 1_000;

/** Draws until a step is possible in the current state; null when none seems possible. */
export function untilPossible<T>(draw: () => T | null): T | null {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const drawn = draw();
    if (drawn !== null) return drawn;
  }
  return null;
}

/** Draws a step of one of the commands; null when the draw is impossible in the current state. */
export function drawStep(
  id: number,
  commands: readonly Command[],
  { draw, runner }: { readonly draw: Draw; readonly runner: ModelRunner },
): Step | null {
  runner.drawingBegins();
  const command = draw(weighted(commands.map((each) => [each, each.weight * (each.times?.(runner) ?? 1)])));
  const drawn = draw(command.draw(runner));
  if (drawn === null) return null;
  // An expired token can do little, so it is used only occasionally.
  const { by } = drawn;
  const isOver = by !== undefined && !runner.isSignedIn(by) && drawn.with['auth'] === undefined;
  return isOver && draw(chance(85)) ? { id, do: 'signIn', by, with: {} } : { id, ...drawn };
}
