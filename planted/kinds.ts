import type { PlantedBug } from './bug.js';

/** Bugs of kinds of which campaigns missed some that were not in this list. */
export const KINDS: readonly PlantedBug[] = [
  {
    name: 'what a failed transfer gives back is given back again on another day',
    file: 'core/domain/daily-window.ts',
    from: 'uses: window.uses.delete(at), totalMicro',
    to: 'uses: window.uses, totalMicro',
  },
  {
    name: 'a score is approved without conditions only above the least one',
    file: 'core/domain/credit/score.ts',
    from: 'score < APPROVE_FROM ?',
    to: 'score <= APPROVE_FROM ?',
  },
  {
    name: 'a page of one type and token skips records of the other token',
    file: 'core/domain/queries/transactions.ts',
    from: '  for (let at = numbers.size - 1 - offset;',
    to: `  const skipped = (customer(state, wallet).history.get(type ?? token ?? '') ?? List<number>()).takeLast(offset);
  for (let at = numbers.findLastIndex((seq) => !skipped.includes(seq));`,
  },
  {
    name: 'of two rates from one instant on, the first is kept',
    file: 'world/timeline.ts',
    from: '    return new Timeline(this.#before(fromMs).push({ fromMs, feed, isPlanned: options.isPlanned }));',
    to: `    if (options.isPlanned && this.#stretches.last()?.fromMs === fromMs) return this;
    return new Timeline(this.#before(fromMs).push({ fromMs, feed, isPlanned: options.isPlanned }));`,
  },
  {
    name: 'the receipt of a payment that was under way is dated at the repeat of its call',
    file: 'bank/reservations.ts',
    from: 'const nowMs = books.entryAt(outflow.id).atMs;',
    to: 'const { nowMs } = this.#parts.env({ trouble: null } as RequestContext);',
  },
];
