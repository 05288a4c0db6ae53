import fc from 'fast-check';
import type { Played } from '../play/model-runner.js';
import { hasUnderWay } from './actors.js';
import type { Command } from './command.js';

const DONE: Played = { outcome: 'ok', deviation: null };
const IDLE: Played = { outcome: 'idle', deviation: null };

/** A reference to a snapshot step, as text: references are renumbered with the steps. */
const SNAPSHOT_REFERENCE = /^\$\{s(\d+)\.snapshot\}$/;

/** Takes a snapshot of the world and its model for `revert`. */
export const SNAPSHOT: Command = {
  name: 'snapshot',
  weight: 1,
  draw: () => fc.constant({ do: 'snapshot', with: {} }),
  play: async ({ id }, runner) => {
    await runner.keepSnapshot(id);
    return DONE;
  },
};

/** Mostly while the bank does not know the outcome of a transfer: then a state file contains the most. */
export const RELOAD: Command = {
  name: 'reload',
  weight: 0.5,
  times: (runner) => (hasUnderWay(runner) ? 6 : 1),
  draw: () => fc.constant({ do: 'reload', with: {} }),
  play: async (_step, { world }) => {
    await world.reload();
    return DONE;
  },
};

/** Reverts the world to a snapshot of this sequence: any later difference survived the revert. */
export const REVERT: Command = {
  name: 'revert',
  weight: 3,
  draw: ({ snapshots }) =>
    snapshots.length === 0
      ? fc.constant(null)
      : fc.constantFrom(...snapshots).map((id) => ({ do: 'revert', with: { to: `\${s${id}.snapshot}` } })),
  play: async ({ with: { to } }, runner) => {
    const [, id] = SNAPSHOT_REFERENCE.exec(to as string) ?? [];
    return (await runner.revertTo(Number(id))) ? DONE : IDLE;
  },
};
