import fc from 'fast-check';
import { TOKENS } from '../model/amounts.js';
import { GRACE_MS } from '../model/credit.js';
import { durationMs } from '../model/duration.js';
import type { ModelConfig, ModelToken } from '../model/types.js';
import { type Draw, chance, composed } from '../draw.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import { DAY, HOUR, SECOND, SPANS, durationText } from '../spans.js';
import { hasUnderWay } from './actors.js';
import type { Command, Drawn } from './command.js';

const DONE: Played = { outcome: 'ok', deviation: null };

const RARELY = [10 * 365 * DAY, 1, 999];

/**
 * Delays of faults, lifetimes of challenges, tokens, prices, keys and uses of a limit, terms of overdue loans, and a year, after which
 * yields and interest are whole numbers.
 */
function livesOf({ limits, oracleMaxAgeMs }: ModelConfig): readonly number[] {
  const { challengeSeconds, tokenSeconds } = limits;
  const set = [challengeSeconds * SECOND, tokenSeconds * SECOND, oracleMaxAgeMs ?? HOUR];
  return [20 * SECOND, 300 * SECOND, DAY, GRACE_MS, 365 * DAY, ...set];
}

/** How many of the latest instants to use. */
const LATEST = 12;

/** Future due dates and defaults that no longer apply, since an operator changed the loan's date. */
export function formerDates({ memory, world }: ModelRunner): number[] {
  const nowMs = world.nowMs();
  return [...memory.oldDueDates].flatMap((atMs) => [atMs, atMs + GRACE_MS]).filter((atMs) => atMs > nowMs);
}

/** Current and former due dates of loans: mostly former ones, if any are still to come. */
function dueDatesOf(draw: Draw, runner: ModelRunner, former: readonly number[]): readonly number[] {
  if (former.length > 0 && draw(chance(70))) return former;
  const now = runner.names.flatMap((name) => runner.accountState(name).loans.map(({ dueAtMs }) => dueAtMs));
  return [...now.filter((atMs) => atMs !== null), ...runner.memory.oldDueDates];
}

/** Time until the end of a span that began at a known instant, or until an instant in a response; null for none. */
function untilEnd(draw: Draw, runner: ModelRunner, former: readonly number[]): number | null {
  const { memory, world } = runner;
  const nowMs = world.nowMs();
  const keyed = memory.keyed.filter(({ isDone, atMs }) => isDone && atMs + DAY > nowMs);
  const keyEnds = draw(chance(15)) ? keyed.map(({ atMs }) => atMs + DAY) : [];
  const instants = keyEnds.length > 0 ? keyEnds : [...memory.instants].slice(-LATEST);
  const dueDates = draw(chance(former.length > 0 ? 70 : 30)) ? dueDatesOf(draw, runner, former) : [];
  const known = dueDates.length > 0 ? dueDates : instants;
  if (known.length === 0) return null;
  const instant = draw(fc.constantFrom(...known));
  const endMs = instant > nowMs ? instant : instant + draw(fc.constantFrom(...livesOf(world.modelConfig)));
  const ms = endMs + draw(fc.constantFrom(0, 0, 0, 1, -1)) - nowMs;
  return ms > 0 ? ms : null;
}

function untilMidnight(nowMs: number): number {
  return DAY - (nowMs % DAY);
}

/** Whether this is the last millisecond of a UTC day: use of a daily limit expires a millisecond later. */
export function isLastOfDay({ world }: ModelRunner): boolean {
  return untilMidnight(world.nowMs()) === 1;
}

function advance(ms: number): Drawn {
  return { do: 'time.advance', with: { by: durationText(ms) } };
}

export const ADVANCE: Command = {
  name: 'time.advance',
  weight: 6,
  draw: (runner) =>
    composed((draw) => {
      // Changed due dates are rare, so the clock mostly moves to one if it exists.
      const former = formerDates(runner);
      // A transfer in progress fails or arrives while its day and its call's key still count.
      if (hasUnderWay(runner) && draw(chance(40)))
        return advance(draw(fc.constantFrom(20 * SECOND, 61 * SECOND, 300 * SECOND)));
      const end = draw(chance(former.length > 0 ? 75 : 40)) ? untilEnd(draw, runner, former) : null;
      if (end !== null) return advance(end);
      const left = untilMidnight(runner.world.nowMs());
      if (left === 1 && draw(chance(60))) return advance(left);
      const spans = fc.oneof(
        { weight: 12, arbitrary: fc.constant(left) },
        { weight: 6, arbitrary: fc.constant(Math.max(1, left - 1)) },
        { weight: 78, arbitrary: fc.constantFrom(...SPANS) },
        { weight: 4, arbitrary: fc.constantFrom(...RARELY) },
      );
      return advance(draw(spans));
    }),
  play: async (step, runner) => {
    const ms = durationMs(step.with['by'] as string);
    const fromMs = runner.world.nowMs();
    runner.memory.instants.add(fromMs);
    const response = await runner.world.advance(ms);
    return { outcome: 'ok', deviation: runner.model.advance(fromMs + ms).judge(response) };
  },
};

/** Base units that remain in the treasury: the bank soon runs short, but can pay fees. */
const LEFT: Readonly<Record<ModelToken, readonly bigint[]>> = {
  USDC: [0n, 5_000_000n, 100_000_000n, 1_000_000_000n],
  SOL: [1_100_000_000n, 2_000_000_000n, 6_000_000_000n],
};

/** Tokens that a short bank can get elsewhere: from savings, or from collection addresses. */
function tokensElsewhere(runner: ModelRunner): ModelToken[] {
  const { names, world, model } = runner;
  const held = names.map((name) => world.holdings(world.modelConfig.collectionOf(runner.address(name))));
  return [
    ...TOKENS.filter((token) => model.toCallBack(token) > 0n),
    ...TOKENS.filter((token) => held.some((each) => each[token] > 0n)),
  ];
}

/** The treasury loses most of its money, so that the bank must call back savings and sweep collection addresses. */
export const DRAIN: Command = {
  name: 'drain',
  weight: 2,
  draw: (runner) =>
    composed((draw) => {
      const elsewhere = tokensElsewhere(runner);
      if (elsewhere.length === 0 && draw(chance(75))) return null;
      const isElsewhere = elsewhere.length > 0 && draw(chance(80));
      const token = isElsewhere ? draw(fc.constantFrom(...elsewhere)) : draw(chance(60)) ? 'USDC' : 'SOL';
      return { do: 'drain', with: { token, left: Number(draw(fc.constantFrom(...LEFT[token]))) } };
    }),
  play: async ({ with: args }, { world, model, memory, strangers: [to = ''] }) => {
    const token = args['token'] === 'SOL' ? 'SOL' : 'USDC';
    const done = await world.drain(token, BigInt(args['left'] as number), to);
    if (done === null) return { outcome: 'idle', deviation: null };
    memory.drained.add(token);
    const { ran, amountBase } = done;
    const { treasury } = world.modelConfig;
    model.sent({ ...ran, transfers: [{ from: treasury, to, token, amountBase }] });
    return DONE;
  },
};
