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
  {
    name: 'a transfer worth nothing decides when the limit resets',
    file: 'core/domain/daily-window.ts',
    from: 'window.uses.find(({ usdMicro }) => usdMicro > 0n)',
    to: 'window.uses.first()',
    options: { variants: { dailyWindow: 'rolling-24h' } },
  },
  {
    name: 'the key of a payment that failed late says for ever that it is under way',
    file: 'bank/reservations.ts',
    from: "if (outflow.status === 'failed') return null;",
    to: "if (outflow.status === 'failed' && outflow.terms.type === 'withdraw') return null;",
  },
  {
    name: 'a missed loan that was reinstated no longer lowers the score',
    file: 'core/domain/credit/score.ts',
    from: "(loan.status === 'overdue' || loan.status === 'active')",
    to: "loan.status === 'overdue'",
  },
  {
    name: 'a state file forgets the requests whose payment is under way',
    file: 'persistence/state-file/books.ts',
    from: "const key = status === 'failed' ? null : requestKey(terms);",
    to: "const key = status !== 'completed' ? null : requestKey(terms);",
  },
  {
    name: 'a stored answer lives a moment too long',
    file: 'core/ttl-map.ts',
    from: 'found.expiresMs <= nowMs ? undefined',
    to: 'found.expiresMs < nowMs ? undefined',
  },
  {
    name: 'a payment whose outcome is unknown can be received',
    file: 'bank/settlement.ts',
    from: 'return this.#transfers.isUnderWay(signature) || this.late.has(signature);',
    to: 'return this.#transfers.isUnderWay(signature);',
  },
];
