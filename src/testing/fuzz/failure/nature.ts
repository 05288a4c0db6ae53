import type { FailureFile } from './failure-file.js';

/** Where a counterexample fails, by the results of its replays, as text that begins with its engine. */
export function natureOf({ failure, confirmed, world, steps, unrepeatable }: FailureFile): string {
  if (unrepeatable === true)
    return `${world.engine}; not reproduced in a fresh world, so some state survives in the process: the file holds everything that the world had played`;
  const isReverted = steps.some((step) => step.do === 'revert');
  const survived = isReverted ? 'state survives a revert; ' : '';
  if (confirmed.failure === null)
    return `${world.engine}; ${survived}passes on ${confirmed.engine}: the engines differ`;
  return confirmed.failure.kind === failure.kind
    ? `${world.engine}; ${survived}confirmed on ${confirmed.engine}`
    : `${world.engine}; ${survived}fails differently on ${confirmed.engine}: ${confirmed.failure.text}`;
}
