import { INDEX_ONE } from './growth.js';

/** Fixed-point 1 base unit in `shares` and values: 24 decimal places. */
const PART = 10n ** 24n;
const SHARE = INDEX_ONE * PART;
/** A yield this close below a whole base unit counts as whole. Source: docs/reference/fidelity.md, Savings. */
const FORGIVEN = PART / 10_000_000n;
/** Within this relative distance of a whole base unit, the service's fixed-point yield may be one higher or lower. */
const NEAR = 10n ** 23n;

export interface Savings {
  readonly principalBase: bigint;
  /** In units of the index: worth `shares × index / INDEX_ONE`, in `PART`. */
  readonly shares: bigint;
}

/** A yield in base units, rounded down, and its neighbour if either may be what the service computes. */
export interface Earned {
  readonly base: bigint;
  readonly otherBase: bigint | null;
}

export const NO_SAVINGS: Savings = { principalBase: 0n, shares: 0n };

function floored(exact: bigint, nearPart: bigint): Earned {
  if (exact <= 0n) return { base: 0n, otherBase: null };
  const base = (exact + FORGIVEN) / PART;
  const rest = (exact + FORGIVEN) % PART;
  if (rest < nearPart && base > 0n) return { base, otherBase: base - 1n };
  if (PART - rest < nearPart) return { base: base + 1n, otherBase: base };
  return { base, otherBase: null };
}

function value({ shares }: Savings, index: bigint): bigint {
  return (shares * index) / INDEX_ONE;
}

/** Yield that was earned but not withdrawn, rounded down. Source: docs/reference/fidelity.md, Savings. */
export function earned(savings: Savings, index: bigint): Earned {
  if (savings.shares === 0n) return { base: 0n, otherBase: null };
  const worth = value(savings, index);
  return floored(worth - savings.principalBase * PART, worth / NEAR);
}

export function withMore(savings: Savings, amountBase: bigint, index: bigint): Savings {
  return {
    principalBase: savings.principalBase + amountBase,
    shares: savings.shares + (amountBase * SHARE) / index,
  };
}

/**
 * The share of the yield paid with this part of the principal: a share of the earned whole base units, rounded down again. Source:
 * docs/reference/fidelity.md, Savings.
 */
export function yieldOf(savings: Savings, amountBase: bigint, index: bigint): Earned {
  if (savings.shares === 0n) return { base: 0n, otherBase: null };
  const whole = earned(savings, index);
  const share = (of: bigint) => (of * amountBase) / savings.principalBase;
  const base = share(whole.base);
  const otherBase = whole.otherBase === null ? base : share(whole.otherBase);
  return { base, otherBase: otherBase === base ? null : otherBase };
}

/** Savings after withdrawing principal and its yield. A fraction of a base unit remains only while there is principal. */
export function withLess(
  savings: Savings,
  taken: { amountBase: bigint; yieldBase: bigint },
  index: bigint,
): Savings {
  const principalBase = savings.principalBase - taken.amountBase;
  if (principalBase === 0n) return NO_SAVINGS;
  const gone = ((taken.amountBase + taken.yieldBase) * SHARE) / index;
  return { principalBase, shares: savings.shares - gone };
}

/** Savings after a yield payment that exceeded the prediction by this amount. */
export function withMoreTaken(savings: Savings, yieldBase: bigint, index: bigint): Savings {
  return savings.principalBase === 0n ? savings : withLess(savings, { amountBase: 0n, yieldBase }, index);
}
